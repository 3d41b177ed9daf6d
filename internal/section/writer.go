package section

import (
	"errors"
	"fmt"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

func checksum(b []byte) uint64 { return xxh3.Hash(b) }

const writeBuffer = 1 << 18

// Writer writes one file, section after section: Section, Write …, Section, Write …, Finish.
// The first error stays: later calls do nothing and return it. Not for concurrent use.
type Writer struct {
	name    string
	kind    string
	version uint32
	file    *DiskFile // nil in memory
	buffer  []byte    // what is not yet in file; the whole file in memory
	flushed uint64
	sums    summer
	entries []entry
	open    bool // the last entry is still being written
	done    bool
	err     error
}

// Create starts a file at path, which must not exist yet. A kind has at most 8 ASCII characters.
func Create(path, kind string, version uint32) (*Writer, error) {
	return (*Disk)(nil).Create(path, kind, version)
}

// Create starts a file on the disk.
func (d *Disk) Create(path, kind string, version uint32) (*Writer, error) {
	file, err := d.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("section: %w", err)
	}
	w := newWriter(path, kind, version)
	w.file = file
	return w, nil
}

// NewMemory starts a file that is kept in memory; after Finish, File opens it.
func NewMemory(kind string, version uint32) *Writer {
	return newWriter("(memory "+kind+")", kind, version)
}

func newWriter(name, kind string, version uint32) *Writer {
	w := &Writer{name: name, kind: kind, version: version, sums: newSummer()}
	w.buffer = append(w.buffer, make([]byte, headerBytes)...)
	if kind == "" || len(kind) > kindBytes {
		w.err = fmt.Errorf("section: kind %q does not have 1 to %d bytes", kind, kindBytes)
	}
	return w
}

// Section ends the section before and starts the next. A name has 1 to 24 ASCII characters and is used once in a file.
func (w *Writer) Section(name string) error {
	w.endSection()
	if name == "" || len(name) > nameBytes || name == sumsName {
		w.fail(fmt.Errorf("section: name %q is taken or does not have 1 to %d bytes", name, nameBytes))
	}
	for _, e := range w.entries {
		if e.name == name {
			w.fail(fmt.Errorf("section: %s: section %q is written twice", w.name, name))
		}
	}
	if w.done {
		w.fail(errors.New("section: the file is finished"))
	}
	if w.err != nil {
		return w.err
	}
	w.pad()
	w.entries = append(w.entries, entry{name: name, offset: w.offset()})
	w.open = true
	return nil
}

// Write appends to the current section.
func (w *Writer) Write(p []byte) (int, error) {
	if !w.open {
		w.fail(fmt.Errorf("section: %s: write outside a section", w.name))
	}
	if w.err != nil {
		return 0, w.err
	}
	w.append(p)
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// Offset is the number of bytes written to the current section.
func (w *Writer) Offset() uint64 {
	if !w.open {
		return 0
	}
	return w.offset() - w.entries[len(w.entries)-1].offset
}

// Written returns what has been written to the current section, to be read before the file is finished: a mapping of
// the file, or the memory itself, that lasts until release or the next Write.
func (w *Writer) Written() (data []byte, release func() error, err error) {
	if !w.open {
		w.fail(fmt.Errorf("section: %s: read outside a section", w.name))
	}
	if w.err == nil && w.file != nil {
		w.flush()
	}
	if w.err != nil {
		return nil, nil, w.err
	}
	start := w.entries[len(w.entries)-1].offset
	if w.file == nil {
		return w.buffer[start:], func() error { return nil }, nil
	}
	mapped, err := machine.Map(w.file.File, int(w.flushed))
	if err != nil {
		w.fail(fmt.Errorf("map %s: %w", w.name, err))
		return nil, nil, w.err
	}
	return mapped[start:], func() error { return machine.Unmap(mapped) }, nil
}

// Finish writes the sums, the table and the header, and flushes the file to the disk (Disk.Together: at the latest by Disk.Wait). A Writer must end in Finish or Abort.
func (w *Writer) Finish() error {
	w.endSection()
	if w.done {
		w.fail(errors.New("section: the file is finished"))
	}
	if w.err == nil {
		w.pad()
		sums := w.sums.finish()
		w.entries = append(w.entries, entry{sumsName, w.offset(), uint64(len(sums))})
		sums = append(sums, make([]byte, -len(sums)&(Alignment-1))...)
		w.append(sums)
		table := encodeTable(w.entries)
		h := header{
			kind: w.kind, version: w.version, sections: uint32(len(w.entries)),
			tableOffset: w.offset(), sumsSum: checksum(sums), tableSum: checksum(table),
		}
		h.size = h.tableOffset + uint64(len(table))
		w.append(table)
		w.finishHeader(h.encode())
	}
	if w.err != nil {
		return errors.Join(w.err, w.Abort())
	}
	w.done = true
	return nil
}

func (w *Writer) finishHeader(head []byte) {
	if w.file == nil {
		copy(w.buffer, head)
		return
	}
	w.flush()
	if w.err != nil {
		return
	}
	_, err := w.file.WriteAt(head, 0)
	w.fail(err)
	if w.err == nil {
		w.fail(w.file.finish())
	}
	if w.err == nil {
		w.file = nil
	}
}

// Abort closes and removes an unfinished file; after Finish it does nothing.
func (w *Writer) Abort() error {
	if w.done || w.file == nil {
		return nil
	}
	w.fail(errors.New("the file was given up"))
	err := w.file.Close()
	err = errors.Join(err, w.file.disk.Remove(w.file.Name()))
	w.file = nil
	return err
}

// File opens what was written by a Writer of NewMemory, after Finish.
func (w *Writer) File() (*File, error) {
	if !w.done || w.flushed != 0 {
		return nil, fmt.Errorf("section: %s is not a finished file in memory", w.name)
	}
	return Parse(w.name, w.buffer, w.kind, w.version)
}

func (w *Writer) offset() uint64 { return w.flushed + uint64(len(w.buffer)) }

func (w *Writer) pad() {
	var zeros [Alignment]byte
	if rest := w.offset() % Alignment; rest != 0 {
		w.append(zeros[rest:])
	}
}

func (w *Writer) endSection() {
	if w.open {
		e := &w.entries[len(w.entries)-1]
		e.length = w.offset() - e.offset
		w.open = false
	}
}

func (w *Writer) append(p []byte) {
	if w.err != nil {
		return
	}
	w.sums.add(p)
	if w.file != nil && len(w.buffer)+len(p) > writeBuffer {
		w.flush()
		if len(p) > writeBuffer && w.err == nil {
			n, err := w.file.Write(p)
			w.flushed += uint64(n)
			w.fail(err)
			return
		}
	}
	w.buffer = append(w.buffer, p...)
}

func (w *Writer) flush() {
	n, err := w.file.Write(w.buffer)
	w.flushed += uint64(n)
	w.buffer = w.buffer[:0]
	w.fail(err)
}

func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("section: %w", err)
	}
}
