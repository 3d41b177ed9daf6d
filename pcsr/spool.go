package pcsr

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// spoolNumbers is how many numbers a spool keeps in memory.
const spoolNumbers = 1 << 24

// spool gathers numbers of which there may be too many for the heap: as many as most at a time go to a file.
type spool struct {
	path   string // "" keeps all in memory
	disk   *section.Disk
	most   int
	heap   []uint32
	file   *section.DiskFile
	mapped []byte
	n      int // numbers in file
}

func (s *spool) append(v uint32) error {
	if len(s.heap) == s.most && s.path != "" {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.heap = append(s.heap, v)
	return nil
}

func (s *spool) flush() error {
	if s.file == nil {
		file, err := s.disk.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		s.file = file
	}
	s.n += len(s.heap)
	err := section.WriteNumbers(s.file, s.heap)
	s.heap = s.heap[:0]
	return err
}

// numbers returns everything appended, until reset.
func (s *spool) numbers() ([]uint32, error) {
	if s.file == nil {
		return s.heap, nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	mapped, err := unix.Mmap(int(s.file.Fd()), 0, 4*s.n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", s.path, err)
	}
	s.mapped = mapped
	return numbersOf(mapped), nil
}

// reset empties the spool and removes its file.
func (s *spool) reset() error {
	s.heap = s.heap[:0]
	if s.file == nil {
		return nil
	}
	var err error
	if s.mapped != nil {
		err = unix.Munmap(s.mapped)
	}
	err = errors.Join(err, s.file.Close(), s.disk.Remove(s.path))
	s.file, s.mapped, s.n = nil, nil, 0
	return err
}
