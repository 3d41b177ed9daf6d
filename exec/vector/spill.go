package vector

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// File holds rows of IDs on disk. The file has no name any more when it is in use, so that nothing is left
// behind however the query ends.
type File struct {
	file    *os.File
	w       *bufio.Writer
	Width   int
	Rows    int64
	line    []byte
	disk    *Disk
	buffer  int
	written int64
}

// Temporary files are read and written through buffers of a part of the query's memory: each join, sort or group may have 16 of
// them open, and more while it splits one again.
const (
	largestBuffer  = 64 << 10
	smallestBuffer = 16
	bufferShare    = 1 << 11
)

// Disk is where the temporary files of a query are.
type Disk struct {
	// Folder has the files, Budget counts what is written, and Buffers the buffers of open files. Nothing is written once the
	// query has Ended.
	Folder  string
	Budget  *limits.Budget
	Buffers *limits.Meter
	Ended   limits.Ended
}

// Buffer is the size of a file's buffer, in bytes.
func (d *Disk) Buffer() int {
	return int(min(largestBuffer, max(smallestBuffer, d.Budget.Limit()/bufferShare)))
}

// Create makes a file for rows of so many columns.
func (d *Disk) Create(width int) (*File, error) {
	f, err := machine.NamelessFile(d.Folder)
	if err != nil {
		return nil, wrapSpill(err)
	}
	s := &File{file: f, Width: width, line: make([]byte, 4*width), disk: d, buffer: d.Buffer()}
	s.w = bufio.NewWriterSize(countedFile{s}, s.buffer)
	if err := s.disk.Buffers.Charge(int64(s.buffer)); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// countedFile counts what is written of the disk that all queries share.
type countedFile struct{ s *File }

// Write writes to the file.
func (c countedFile) Write(b []byte) (int, error) {
	if ended := c.s.disk.Ended; ended != nil {
		if err := ended(); err != nil {
			return 0, endedError{err}
		}
	}
	c.s.written += int64(len(b))
	if err := c.s.disk.Budget.Spill(int64(len(b))); err != nil {
		return 0, err
	}
	return c.s.file.Write(b)
}

// Write adds row r of cols, of which it takes the first width.
func (s *File) Write(cols [][]dictionary.ID, r int) error {
	for c := range s.Width {
		binary.LittleEndian.PutUint32(s.line[4*c:], cols[c][r])
	}
	s.Rows++
	_, err := s.w.Write(s.line)
	return wrapSpill(err)
}

// Read calls do with batches of at most BatchRows rows, in the order they were written. It may be called again.
func (s *File) Read(do func(*Batch) error) error {
	r, err := s.Reader()
	if err != nil {
		return err
	}
	for {
		b, err := r.Next(BatchRows)
		if err != nil || b == nil {
			return err
		}
		if err := do(b); err != nil {
			return err
		}
	}
}

// Reader reads a File from its beginning, independently of other readers.
type Reader struct {
	in   *bufio.Reader
	left int64
	raw  []byte
	out  Batch
}

// Reader returns a reader of what was written so far.
func (s *File) Reader() (*Reader, error) {
	if err := s.w.Flush(); err != nil {
		return nil, wrapSpill(err)
	}
	section := io.NewSectionReader(s.file, 0, s.Rows*int64(s.Width)*4)
	r := &Reader{in: bufio.NewReaderSize(section, s.buffer), left: s.Rows}
	r.out.Cols = make([][]dictionary.ID, s.Width)
	return r, nil
}

// Next returns up to n rows, nil at the end. The batch is valid until the next call.
func (r *Reader) Next(n int) (*Batch, error) {
	if r.left == 0 {
		return nil, nil
	}
	n = int(min(int64(n), r.left))
	width := len(r.out.Cols)
	if cap(r.raw) < 4*n*width {
		r.raw = make([]byte, 4*n*width)
	}
	raw := r.raw[:4*n*width]
	if _, err := io.ReadFull(r.in, raw); err != nil {
		return nil, wrapSpill(err)
	}
	for c := range r.out.Cols {
		col := r.out.Cols[c][:0]
		for i := range n {
			col = append(col, binary.LittleEndian.Uint32(raw[4*(i*width+c):]))
		}
		r.out.Cols[c] = col
	}
	r.out.N = n
	r.left -= int64(n)
	return &r.out, nil
}

// slowToRemove is from how many bytes on a file is removed in the background: the system takes tens of milliseconds to free
// hundreds of megabytes, for which a query that has reached its limit does not wait.
const slowToRemove = 1 << 20

// removing is held while a large file is removed: one at a time, so that the processor is left to queries.
var removing sync.Mutex

// Close removes the file, a large one perhaps a moment later, and its bytes are counted until then. It may be called again.
func (s *File) Close() {
	if s.file == nil {
		return
	}
	if s.written < slowToRemove {
		s.remove(s.file)
	} else {
		go func(file *os.File) {
			removing.Lock()
			defer removing.Unlock()
			s.remove(file)
		}(s.file)
	}
	s.file, s.w = nil, nil
	_ = s.disk.Buffers.Charge(-int64(s.buffer))
}

// endedError is why a query ended that was writing.
type endedError struct{ error }

// remove closes the file, which has no name, and gives back what it took of the disk.
func (s *File) remove(file *os.File) {
	file.Close()
	s.disk.Budget.Erase(s.written)
}

// wrapSpill says where a file failed. A full disk is a limit like that of the pool.
func wrapSpill(err error) error {
	var ended endedError
	switch {
	case err == nil, errors.Is(err, limits.ErrSpill):
		return err
	case errors.As(err, &ended):
		return ended.error
	case machine.DiskFull(err):
		return fmt.Errorf("exec: the disk of the temporary files is full (%v): %w", err, limits.ErrSpill)
	}
	return fmt.Errorf("exec: temporary file: %w", err)
}

// fanout is how many files one level of partitioning writes.
const fanout = 16

// Partitions splits rows over files by hash, one level of a Grace partitioning.
type Partitions struct {
	Files [fanout]*File
	level int
}

// Partition makes the files of a level of partitioning, for rows of so many columns.
func (d *Disk) Partition(width, level int) (*Partitions, error) {
	p := &Partitions{level: level}
	for i := range p.Files {
		f, err := d.Create(width)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.Files[i] = f
	}
	return p, nil
}

// Of says which file a hash belongs to; every level looks at other bits.
func (p *Partitions) Of(hash uint64) *File {
	return p.Files[(hash>>(60-4*uint(p.level)))&(fanout-1)]
}

// Close closes all files.
func (p *Partitions) Close() {
	for _, f := range p.Files {
		if f != nil {
			f.Close()
		}
	}
}

// MaxLevel bounds the recursion: rows that still meet in one partition then are equal, or nearly so.
const MaxLevel = 6

// WriteRows distributes rows over the files by hash.
func (p *Partitions) WriteRows(b *Batch, hashes []uint64) error {
	for r := range b.N {
		if err := p.Of(hashes[r]).Write(b.Cols, r); err != nil {
			return err
		}
	}
	return nil
}
