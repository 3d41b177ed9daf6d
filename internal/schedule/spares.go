package schedule

import "sync"

// Spares are things that goroutines use, each by one of them at a time. The zero Spares is empty. It is safe for concurrent use.
type Spares[T any] struct {
	mu   sync.Mutex
	free []T
}

// Take returns one that nobody uses or, where there is none, what make makes.
func (s *Spares[T]) Take(make func() T) T {
	s.mu.Lock()
	if n := len(s.free); n > 0 {
		x := s.free[n-1]
		s.free = s.free[:n-1]
		s.mu.Unlock()
		return x
	}
	s.mu.Unlock()
	return make()
}

// Give gives one back.
func (s *Spares[T]) Give(x T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, x)
}
