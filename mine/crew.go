package mine

import "sync"

// crew is what goroutines work with, one each: what one has left another takes, and otherwise fresh makes one more of all.
type crew[T any] struct {
	fresh func() *T
	mu    sync.Mutex
	idle  []*T
	all   []*T
}

func (c *crew[T]) take() *T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		one := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return one
	}
	one := c.fresh()
	c.all = append(c.all, one)
	return one
}

func (c *crew[T]) leave(one *T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, one)
}

// blockSize is how many of so many vertices a goroutine takes at a time: few enough that all goroutines end together.
func blockSize(n int) int { return max(512, min(pageVertices, n/256)) }

// blocks is how many blocks of a size there are.
func blocks(n, size int) int { return (n + size - 1) / size }
