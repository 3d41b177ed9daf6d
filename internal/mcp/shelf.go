package mcp

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/rdfgpu/rdfgpu"
)

// Bounds of a shelf: the answers whose rows wait, and their bytes.
const (
	shelfAnswers = 256
	shelfBytes   = 32 << 20
)

// shelf keeps the rows that were found and not read yet, those longest who are asked for. It is safe for concurrent use.
type shelf struct {
	budget *rdfgpu.Budget
	mu     sync.Mutex
	kept   *simplelru.LRU[string, *rest]
	bytes  int64
}

func newShelf(budget *rdfgpu.Budget) *shelf {
	s := &shelf{budget: budget}
	s.kept, _ = simplelru.NewLRU(shelfAnswers, func(_ string, f *rest) { s.forget(f) })
	return s
}

// forget takes rows off the count.
func (s *shelf) forget(f *rest) {
	s.bytes -= f.bytes
	if s.budget != nil {
		s.budget.Give(f.bytes)
	}
}

// first is the first page of an answer, whose other rows are kept.
func (s *shelf) first(f *rest) *page {
	p, end := f.from(0)
	if end == len(f.rows) {
		return p
	}
	name, err := s.keep(f)
	if err != nil {
		p.Note = strings.TrimPrefix(fmt.Sprintf("%s; there are more rows, and no room to keep them (%v): read on by ORDER BY and OFFSET %d", p.Note, err, end), "; ")
		return p
	}
	p.Next = cursor(name, end)
	return p
}

// keep puts an answer on the shelf under a name that cannot be guessed.
func (s *shelf) keep(f *rest) (name string, err error) {
	if s.budget != nil {
		if err := s.budget.Take("rows that wait for a client of the tools", f.bytes); err != nil {
			return "", err
		}
	}
	name = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += f.bytes
	s.kept.Add(name, f)
	for s.bytes > shelfBytes && s.kept.Len() > 1 {
		s.kept.RemoveOldest()
	}
	return name, nil
}

// next is the page that a cursor stands for.
func (s *shelf) next(at string) (*page, error) {
	name, digits, _ := strings.Cut(at, ".")
	start, err := strconv.Atoi(digits)
	s.mu.Lock()
	f, ok := s.kept.Get(name)
	s.mu.Unlock()
	if err != nil || !ok || start < 0 || start >= len(f.rows) {
		return nil, fmt.Errorf("no rows wait under %q: they are kept for a while only; ask the query again, with ORDER BY and OFFSET", at)
	}
	p, end := f.from(start)
	if end < len(f.rows) {
		p.Next = cursor(name, end)
	}
	return p, nil
}

// cursor names a row of an answer.
func cursor(name string, row int) string { return name + "." + strconv.Itoa(row) }
