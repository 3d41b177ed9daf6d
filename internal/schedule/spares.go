package schedule

import "sync"

// Spares are things that goroutines use, each by one of them at a time. The zero Spares is empty. It is safe for concurrent use.
type Spares[T any] struct {
	mu   sync.Mutex
	free []T
}

// Take returns one that nobody uses or, where there is none, what make makes, which runs while nobody else takes or gives.
func (s *Spares[T]) Take(make func() T) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return make()
	}
	x := s.free[n-1]
	s.free = s.free[:n-1]
	return x
}

// Give gives one back.
func (s *Spares[T]) Give(x T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, x)
}
