package exec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// spillFile holds rows of IDs on disk. The file has no name any more when it is in use, so that nothing is left
// behind however the query ends.
type spillFile struct {
	file    *os.File
	w       *bufio.Writer
	width   int
	rows    int64
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
	// Folder has the files, Budget counts what is written, and Buffers the buffers of open files.
	Folder  string
	Budget  *Budget
	Buffers *Meter
}

// buffer is the size of a file's buffer, in bytes.
func (d *Disk) buffer() int {
	return int(min(largestBuffer, max(smallestBuffer, d.Budget.Limit()/bufferShare)))
}

// create makes a file for rows of so many columns.
func (d *Disk) create(width int) (*spillFile, error) {
	f, err := os.CreateTemp(d.Folder, "rdfgpu-*.spill")
	if err != nil {
		return nil, wrapSpill(err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, wrapSpill(err)
	}
	s := &spillFile{file: f, width: width, line: make([]byte, 4*width), disk: d, buffer: d.buffer()}
	s.w = bufio.NewWriterSize(countedFile{s}, s.buffer)
	if err := s.disk.Buffers.Charge(int64(s.buffer)); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// countedFile counts what is written of the disk that all queries share.
type countedFile struct{ s *spillFile }

// Write writes to the file.
func (c countedFile) Write(b []byte) (int, error) {
	c.s.written += int64(len(b))
	if err := c.s.disk.Budget.spill(int64(len(b))); err != nil {
		return 0, err
	}
	return c.s.file.Write(b)
}

// write adds row r of cols, of which it takes the first width.
func (s *spillFile) write(cols [][]dictionary.ID, r int) error {
	for c := range s.width {
		binary.LittleEndian.PutUint32(s.line[4*c:], cols[c][r])
	}
	s.rows++
	_, err := s.w.Write(s.line)
	return wrapSpill(err)
}

// read calls do with batches of at most BatchRows rows, in the order they were written. It may be called again.
func (s *spillFile) read(do func(*Batch) error) error {
	r, err := s.reader()
	if err != nil {
		return err
	}
	for {
		b, err := r.next(BatchRows)
		if err != nil || b == nil {
			return err
		}
		if err := do(b); err != nil {
			return err
		}
	}
}

// spillReader reads a spillFile from its beginning, independently of other readers.
type spillReader struct {
	in   *bufio.Reader
	left int64
	raw  []byte
	out  Batch
}

func (s *spillFile) reader() (*spillReader, error) {
	if err := s.w.Flush(); err != nil {
		return nil, wrapSpill(err)
	}
	section := io.NewSectionReader(s.file, 0, s.rows*int64(s.width)*4)
	r := &spillReader{in: bufio.NewReaderSize(section, s.buffer), left: s.rows}
	r.out.Cols = make([][]dictionary.ID, s.width)
	return r, nil
}

// next returns up to n rows, nil at the end. The batch is valid until the next call.
func (r *spillReader) next(n int) (*Batch, error) {
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

func (s *spillFile) close() {
	if s.file == nil {
		return
	}
	s.file.Close()
	s.file, s.w = nil, nil
	s.disk.Budget.erase(s.written)
	_ = s.disk.Buffers.Charge(-int64(s.buffer))
}

// wrapSpill says where a file failed. A full disk is a limit like that of the pool.
func wrapSpill(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrSpillLimit):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("exec: the disk of the temporary files is full (%v): %w", err, ErrSpillLimit)
	}
	return fmt.Errorf("exec: temporary file: %w", err)
}

// spillFanout is how many files one level of partitioning writes.
const spillFanout = 16

// partitions splits rows over files by hash, one level of a Grace partitioning.
type partitions struct {
	files [spillFanout]*spillFile
	level int
}

// partition makes the files of a level of partitioning, for rows of so many columns.
func (d *Disk) partition(width, level int) (*partitions, error) {
	p := &partitions{level: level}
	for i := range p.files {
		f, err := d.create(width)
		if err != nil {
			p.close()
			return nil, err
		}
		p.files[i] = f
	}
	return p, nil
}

// of says which file a hash belongs to; every level looks at other bits.
func (p *partitions) of(hash uint64) *spillFile {
	return p.files[(hash>>(60-4*uint(p.level)))&(spillFanout-1)]
}

func (p *partitions) close() {
	for _, f := range p.files {
		if f != nil {
			f.close()
		}
	}
}

// maxSpillLevel bounds the recursion: rows that still meet in one partition then are equal, or nearly so.
const maxSpillLevel = 6

// writeRows distributes rows over the files by hash.
func (p *partitions) writeRows(b *Batch, hashes []uint64) error {
	for r := range b.N {
		if err := p.of(hashes[r]).write(b.Cols, r); err != nil {
			return err
		}
	}
	return nil
}
