package loader

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// tempFiles is where the temporary files of a load lie, and who counts them.
type tempFiles struct {
	folder string
	spill  func(bytes int64) error // nil counts nothing
}

// tempFile is a file without a name, of which nothing is left however the process ends. What it takes of the disk is asked for before it
// is written. Parts of it may be written and read at the same time.
type tempFile struct {
	file  *os.File
	spill func(bytes int64) error

	mu   sync.Mutex
	size int64 // that was asked for
	end  int64 // where Write goes on
}

func (t *tempFiles) create() (*tempFile, error) {
	f, err := machine.NamelessFile(t.folder)
	if err != nil {
		return nil, fmt.Errorf("loader: %w", err)
	}
	return &tempFile{file: f, spill: t.spill}, nil
}

// grow asks for room up to an end of the file.
func (f *tempFile) grow(end int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if end <= f.size || f.spill == nil {
		return nil
	}
	more := end - f.size
	f.size = end // what was refused is counted until Close
	return f.spill(more)
}

// Write writes behind what Write wrote before. One goroutine at a time may call it.
func (f *tempFile) Write(b []byte) (int, error) {
	n, err := f.WriteAt(b, f.end)
	f.end += int64(n)
	return n, err
}

// WriteAt writes at a place.
func (f *tempFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.grow(at + int64(len(b))); err != nil {
		return 0, err
	}
	return f.file.WriteAt(b, at)
}

// ReadAt reads from a place.
func (f *tempFile) ReadAt(b []byte, at int64) (int, error) { return f.file.ReadAt(b, at) }

// reader reads what Write wrote, from its beginning.
func (f *tempFile) reader() io.Reader { return io.NewSectionReader(f.file, 0, f.end) }

// Close removes the file. It may be called again.
func (f *tempFile) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	if f.spill != nil {
		_ = f.spill(-f.size) // giving back is never refused
	}
	return err
}
