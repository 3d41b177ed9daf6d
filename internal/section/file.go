package section

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// File is a finished file. Its methods are safe for concurrent use, except Close.
type File struct {
	name    string
	version uint32
	data    []byte
	mapped  bool
	entries []entry // without the sums
	index   map[string]int
	checks  checks
}

// Open maps the file at path and checks its header and its table; a small file is read, and checked as a whole. It must
// be of the given kind and of a version from 1 to version; otherwise, or when it is damaged, the error names the file
// and is ErrVersion or ErrDamaged.
func Open(path, kind string, version uint32) (*File, error) {
	data, mapped, err := readFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{name: path, data: data, mapped: mapped}
	if mapped {
		mappings.add(f)
	}
	err = Guard(func() error { return f.read(kind, version) })
	if err == nil && !mapped {
		err = f.Verify()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if mapped {
		f.checks.start()
	}
	return f, nil
}

// Parse opens a file that lies in memory; name is used in errors. The File keeps data (or a copy, where data does not
// start at a multiple of 8). Only Verify compares its checksums.
func Parse(name string, data []byte, kind string, version uint32) (*File, error) {
	if len(data) > 0 && uintptr(unsafe.Pointer(&data[0]))%8 != 0 {
		moved := alignedBytes(len(data))
		copy(moved, data)
		data = moved
	}
	f := &File{name: name, data: data}
	if err := f.read(kind, version); err != nil {
		return nil, err
	}
	return f, nil
}

// alignedBytes is n zero bytes that start at a multiple of 8.
func alignedBytes(n int) []byte {
	words := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)[:n]
}

// smallFile is the size in bytes up to which a file is read instead of mapped: a process may have tens of thousands of
// mappings, and a store more small graphs than that.
const smallFile = 32 << 10

// readFile maps the file at path, or reads it when it is small.
func readFile(path string) (data []byte, mapped bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, fmt.Errorf("section: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("section: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() < headerBytes || uint64(info.Size()) > 1<<46 {
		return nil, false, damaged(path, errors.New("it is too short, too long or not a file"))
	}
	if info.Size() <= smallFile {
		data = alignedBytes(int(info.Size()))
		if _, err := io.ReadFull(file, data); err != nil {
			return nil, false, fmt.Errorf("section: read %s: %w", path, err)
		}
		return data, false, nil
	}
	data, err = unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, false, fmt.Errorf("section: map %s: %w", path, err)
	}
	return data, true, nil
}

// read reads and checks the header and the table.
func (f *File) read(kind string, version uint32) error {
	if !littleEndian() {
		return fmt.Errorf("section: %s: files are read on little-endian machines only", f.name)
	}
	h, err := decodeHeader(f.data)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if h.kind != kind {
		return f.Damaged("its kind is %q, not %q", h.kind, kind)
	}
	if h.version == 0 || h.version > version {
		return fmt.Errorf("%s: %w: the file has version %d, this program reads up to %d", f.name, ErrVersion, h.version, version)
	}
	entries, err := decodeTable(f.data, h)
	if err != nil {
		return damaged(f.name, err)
	}
	sums := entries[len(entries)-1]
	f.version, f.entries, f.index = h.version, entries[:len(entries)-1], make(map[string]int, len(entries))
	f.checks.open(f.data, sums, h)
	for i, e := range f.entries {
		if _, twice := f.index[e.name]; twice {
			return f.Damaged("section %q is there twice", e.name)
		}
		f.index[e.name] = i
	}
	return nil
}

// Damaged returns an ErrDamaged that names the file and says what is wrong with its content.
func (f *File) Damaged(format string, args ...any) error {
	return damaged(f.name, fmt.Errorf(format, args...))
}

func damaged(name string, err error) error { return fmt.Errorf("%s: %w: %w", name, ErrDamaged, err) }

// Name is the path that the file was opened by.
func (f *File) Name() string { return f.name }

// Version is the format version that the file was written with.
func (f *File) Version() uint32 { return f.version }

// Size is the size of the whole file in bytes.
func (f *File) Size() int64 { return int64(len(f.data)) }

// Sections are the names of the sections in the order of the file.
func (f *File) Sections() []string {
	names := make([]string, len(f.entries))
	for i, e := range f.entries {
		names[i] = e.name
	}
	return names
}

// Has reports whether the file has a section of that name.
func (f *File) Has(name string) bool {
	_, ok := f.index[name]
	return ok
}

// Bytes is the section of that name; an error (ErrDamaged) when there is none.
func (f *File) Bytes(name string) ([]byte, error) {
	i, ok := f.index[name]
	if !ok {
		return nil, f.Damaged("section %q is missing", name)
	}
	e := f.entries[i]
	end := e.offset + e.length
	return f.data[e.offset:end:end], nil
}

// Uint32s is Bytes as 32-bit numbers.
func (f *File) Uint32s(name string) ([]uint32, error) { return view[uint32](f, name) }

// Uint64s is Bytes as 64-bit numbers.
func (f *File) Uint64s(name string) ([]uint64, error) { return view[uint64](f, name) }

type number interface {
	uint8 | uint16 | uint32 | uint64
}

func view[T number](f *File, name string) ([]T, error) {
	b, err := f.Bytes(name)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	size := int(unsafe.Sizeof(T(0)))
	if len(b)%size != 0 {
		return nil, f.Damaged("section %q has %d bytes, which is no multiple of %d", name, len(b), size)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/size), nil
}

// Prefetch asks the system to read the whole file ahead.
func (f *File) Prefetch() {
	if f.mapped {
		_ = unix.Madvise(f.data, unix.MADV_WILLNEED) // advice only
	}
}

// Close unmaps the file; none of its views may be used any more. A second Close does nothing.
func (f *File) Close() error {
	data := f.data
	f.entries, f.index = nil, nil
	if !f.mapped {
		f.data = nil
		return nil
	}
	mappings.remove(f)
	f.data = nil
	f.mapped = false
	if err := unix.Munmap(data); err != nil {
		return fmt.Errorf("section: unmap %s: %w", f.name, err)
	}
	return nil
}

// WriteNumbers writes numbers to w, little-endian, as the views read them.
func WriteNumbers[T number](w io.Writer, numbers []T) error {
	if len(numbers) == 0 {
		return nil
	}
	_, err := w.Write(unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), len(numbers)*int(unsafe.Sizeof(T(0)))))
	return err
}

func littleEndian() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}

// Identity reads the header of the file at path: its size, and a number that differs between files whose content
// differs (the header's checksum, which covers that of the sums, which cover everything else).
func Identity(path string) (size int64, sum uint64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, fmt.Errorf("section: %w", err)
	}
	defer file.Close()
	head := make([]byte, headerBytes)
	if _, err := io.ReadFull(file, head); err != nil {
		return 0, 0, damaged(path, err)
	}
	if _, err := decodeHeader(head); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	info, err := file.Stat()
	if err != nil {
		return 0, 0, fmt.Errorf("section: %w", err)
	}
	return info.Size(), checksum(head), nil
}

// Place says where an array lies in which file: two that are equal have the same content, whoever opened the file and when.
type Place struct {
	size   int64
	sum    uint64 // as by Identity
	offset uint64
}

// Place is that of words, which are a view of the file or some of one; ok is false for a nil File, and for no words.
func (f *File) Place(words []uint32) (at Place, ok bool) {
	if f == nil || len(words) == 0 {
		return Place{}, false
	}
	offset := uintptr(unsafe.Pointer(&words[0])) - uintptr(unsafe.Pointer(&f.data[0]))
	return Place{size: int64(len(f.data)), sum: checksum(f.data[:headerBytes]), offset: uint64(offset)}, true
}
