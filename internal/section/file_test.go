package section

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func writeSample(t testing.TB, w *Writer) {
	t.Helper()
	for _, step := range []error{
		w.Section("bytes"), write(w, []byte("hello")),
		w.Section("empty"),
		w.Section("words"), WriteNumbers(w, []uint32{1, 2, 3}),
		w.Section("longs"), WriteNumbers(w, make([]uint64, 100_000)),
		w.Finish(),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
}

func write(w *Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}

func checkSample(t *testing.T, f *File) {
	t.Helper()
	b, err := f.Bytes("bytes")
	if err != nil || string(b) != "hello" {
		t.Fatal(b, err)
	}
	if b, err = f.Bytes("empty"); err != nil || len(b) != 0 {
		t.Fatal(b, err)
	}
	words, err := f.Uint32s("words")
	if err != nil || len(words) != 3 || words[2] != 3 {
		t.Fatal(words, err)
	}
	longs, err := f.Uint64s("longs")
	if err != nil || len(longs) != 100_000 {
		t.Fatal(len(longs), err)
	}
	if _, err := f.Uint32s("bytes"); !errors.Is(err, ErrDamaged) {
		t.Fatal("five bytes are no 32-bit numbers", err)
	}
	if _, err := f.Bytes("none"); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAFileOnDiskAndInMemoryReadTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	w, err := Create(path, "sample", 1)
	if err != nil {
		t.Fatal(err)
	}
	writeSample(t, w)
	f, err := Open(path, "sample", 1)
	if err != nil {
		t.Fatal(err)
	}
	checkSample(t, f)

	m := NewMemory("sample", 1)
	writeSample(t, m)
	if f, err = m.File(); err != nil {
		t.Fatal(err)
	}
	checkSample(t, f)
	disk, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(disk, m.buffer) {
		t.Fatal("disk and memory differ")
	}
	// A slice that starts at an odd address is moved.
	odd := append([]byte{0}, disk...)[1:]
	if f, err = Parse("odd", odd, "sample", 1); err != nil {
		t.Fatal(err)
	}
	checkSample(t, f)
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	w, err := Create(path, "sample", 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, "sample", 2); err == nil {
		t.Fatal("an existing file was overwritten")
	}
	writeSample(t, w)
	if _, err := Open(path, "sample", 1); !errors.Is(err, ErrVersion) {
		t.Fatal("newer version:", err)
	}
	older, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	older[7] = '\n'
	putChecksum(older[:64])
	if _, err := Parse("older", older, "sample", 2); !errors.Is(err, ErrVersion) {
		t.Fatal("older container:", err)
	}
	if _, err := Open(path, "other", 2); !errors.Is(err, ErrDamaged) {
		t.Fatal("other kind:", err)
	}
	if _, err := Open(dir, "sample", 2); !errors.Is(err, ErrDamaged) {
		t.Fatal("a folder:", err)
	}
	if _, err := Open(filepath.Join(dir, "none"), "sample", 2); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("no file:", err)
	}
	unfinished, err := Create(filepath.Join(dir, "y"), "sample", 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "y"), "sample", 2); !errors.Is(err, ErrDamaged) {
		t.Fatal("unfinished:", err)
	}
	if err := unfinished.Abort(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "y")); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("an aborted file stayed:", err)
	}
}

func TestWriteErrorsStay(t *testing.T) {
	w := NewMemory("sample", 1)
	if _, err := w.Write([]byte("x")); err == nil {
		t.Fatal("a write outside a section passed")
	}
	if err := w.Finish(); err == nil {
		t.Fatal("the error was forgotten")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here: ", err)
	}
	w = newWriter("/dev/full", "sample", 1)
	w.file = &DiskFile{File: full}
	err = w.Section("a")
	for i := 0; i < 20 && err == nil; i++ {
		err = write(w, make([]byte, 100_000))
	}
	if err == nil {
		t.Fatal("a full disk went unnoticed")
	}
	full.Close()
}

func TestEveryChangedByteIsFound(t *testing.T) {
	m := NewMemory("sample", 1)
	if err := errors.Join(m.Section("a"), write(m, []byte("some bytes")), m.Section("b"), write(m, []byte("more")), m.Finish()); err != nil {
		t.Fatal(err)
	}
	for i := range m.buffer {
		data := bytes.Clone(m.buffer)
		data[i] ^= 0x10
		f, err := Parse("x", data, "sample", 1)
		if err == nil {
			err = f.Verify()
		}
		if err == nil {
			t.Fatalf("byte %d is changed, and nothing is found", i)
		}
		if _, err := Parse("x", m.buffer[:i], "sample", 1); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d: %v", i, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	m := NewMemory("sample", 1)
	if err := errors.Join(m.Section("a"), write(m, []byte("some bytes")), m.Section("b"), WriteNumbers(m, []uint32{1, 2}), m.Finish()); err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(0), uint64(0), false)
	f.Add(uint16(40), uint64(1<<63), true)
	f.Add(uint16(256+24), uint64(1<<62), true)
	// A word of the file is changed and, where asked, the checksums of header and table are made right again.
	f.Fuzz(func(t *testing.T, at uint16, word uint64, repair bool) {
		data := bytes.Clone(m.buffer)
		i := int(at) % (len(data) - 8)
		for k := range 8 {
			data[i+k] ^= byte(word >> (8 * k))
		}
		if repair {
			h := header{}
			if h2, err := decodeHeader(data); err == nil {
				h = h2
			} else {
				fixed := bytes.Clone(data[:64])
				putChecksum(fixed)
				if h, err = decodeHeader(fixed); err != nil {
					return
				}
			}
			if h.tableOffset < uint64(len(data)) {
				h.tableSum = checksum(data[h.tableOffset:])
			}
			copy(data, h.encode())
		}
		file, err := Parse("x", data, "sample", 1)
		if err != nil {
			return
		}
		for _, name := range file.Sections() {
			b, err := file.Bytes(name)
			if err != nil {
				t.Fatal(err)
			}
			checksum(b)
			_, _ = file.Uint64s(name)
		}
		_ = file.Verify()
	})
}

func putChecksum(head []byte) {
	sum := checksum(head[:56])
	for k := range 8 {
		head[56+k] = byte(sum >> (8 * k))
	}
}

func TestWrittenIsReadBeforeFinish(t *testing.T) {
	onDisk, err := Create(filepath.Join(t.TempDir(), "sample"), "sample", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []*Writer{NewMemory("sample", 1), onDisk} {
		if _, _, err := w.Written(); err == nil {
			t.Fatal("there is no section yet")
		}
	}
	for _, w := range []*Writer{NewMemory("sample", 1), onDisk} {
		w.err = nil
		if err := errors.Join(w.Section("first"), write(w, []byte("a")), w.Section("second"), write(w, []byte("hello"))); err != nil {
			t.Fatal(err)
		}
		data, release, err := w.Written()
		if err != nil || string(data) != "hello" {
			t.Fatalf("%q %v", data, err)
		}
		if err := errors.Join(release(), write(w, []byte(", world")), w.Finish()); err != nil {
			t.Fatal(err)
		}
	}
}
