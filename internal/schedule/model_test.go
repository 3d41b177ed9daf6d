package schedule

import (
	"context"
	"testing"

	"pgregory.net/rapid"
)

// model is what a pool must be like after any steps: how many permits each query has, counted by who took and gave them.
type model struct {
	pool   *Pool
	shares []*Share
	held   []int
	queued [][]*waiter // goroutines of each query that wait
	parked []int
}

// settle takes note of goroutines that no longer wait.
func (m *model) settle() {
	for i, waiters := range m.queued {
		m.queued[i] = nil
		for _, w := range waiters {
			select {
			case <-w.ready:
				m.held[i]++
			default:
				m.queued[i] = append(m.queued[i], w)
			}
		}
	}
}

func (m *model) taken() (sum int) {
	for _, n := range m.held {
		sum += n
	}
	return sum
}

// check is called between steps.
func (m *model) check(t *rapid.T) {
	m.settle()
	running := 0
	for i, s := range m.shares {
		if s.held != m.held[i] || s.waiting != len(m.queued[i]) {
			t.Fatalf("query %d has %d permits and %d waiters, expected %d and %d", i, s.held, s.waiting, m.held[i], len(m.queued[i]))
		}
		if s.held == 0 && s.waiting > 0 {
			t.Fatalf("query %d stands still: %d of its goroutines wait", i, s.waiting)
		}
		if s.runs != (s.held > 0 || s.waiting > 0) {
			t.Fatalf("query %d with %d permits and %d waiters runs: %v", i, s.held, s.waiting, s.runs)
		}
		if s.runs {
			running++
		}
		if s.held > s.limit && !m.pool.pressed.Load() {
			t.Fatalf("query %d has %d permits of at most %d, and nobody asks for them", i, s.held, s.limit)
		}
	}
	if m.pool.taken != m.taken() || len(m.pool.running) != running {
		t.Fatalf("%d permits of %d queries are taken, expected %d of %d", m.pool.taken, len(m.pool.running), m.taken(), running)
	}
	parked := 0
	for _, n := range m.parked {
		parked += n
	}
	if goesOn := running == 1 || running == 0 && parked > 0; m.pool.alone.Load() != goesOn {
		t.Fatalf("%d queries run and %d goroutines wait for others: alone is %v", running, parked, m.pool.alone.Load())
	}
	if m.pool.taken > m.pool.size && !m.pool.pressed.Load() {
		t.Fatalf("%d permits of %d are taken, and nobody asks for them", m.pool.taken, m.pool.size)
	}
}

func TestAPoolCountsItsPermits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &model{pool: New(rapid.IntRange(1, 6).Draw(t, "permits"))}
		for range rapid.IntRange(1, 4).Draw(t, "queries") {
			m.shares = append(m.shares, m.pool.Open(context.Background(), rapid.IntRange(0, 6).Draw(t, "limit")))
		}
		m.held, m.queued, m.parked = make([]int, len(m.shares)), make([][]*waiter, len(m.shares)), make([]int, len(m.shares))
		query := func(t *rapid.T) int { return rapid.IntRange(0, len(m.shares)-1).Draw(t, "query") }
		t.Repeat(map[string]func(*rapid.T){
			"": m.check,
			"enter": func(t *rapid.T) {
				i := query(t)
				m.shares[i].Enter()
				m.held[i]++
			},
			"leave": func(t *rapid.T) {
				if i := query(t); m.held[i] > 0 {
					m.shares[i].Leave()
					m.held[i]--
				}
			},
			"park": func(t *rapid.T) {
				if i := query(t); m.held[i] > 0 {
					m.shares[i].Park()
					m.held[i]--
					m.parked[i]++
				}
			},
			"unpark": func(t *rapid.T) {
				if i := query(t); m.parked[i] > 0 {
					m.shares[i].Unpark()
					m.held[i]++
					m.parked[i]--
				}
			},
			"reserve": func(t *rapid.T) {
				i := query(t)
				free := m.taken() < m.pool.size
				if m.held[i] == 0 || m.shares[i].reserve(1, false) == 0 {
					return
				}
				if m.held[i]++; !free || m.held[i] > m.shares[i].limit {
					t.Fatalf("query %d got a permit too many", i)
				}
			},
			"cede": func(t *rapid.T) {
				i := query(t)
				if m.held[i] == 0 || !m.shares[i].cede() {
					return
				}
				if m.held[i]--; m.held[i] == 0 {
					t.Fatalf("query %d gave its last permit", i)
				}
			},
			"yield": func(t *rapid.T) {
				i := query(t)
				if m.held[i] == 0 {
					return
				}
				if w := m.shares[i].queue(); w != nil {
					m.held[i]--
					m.queued[i] = append(m.queued[i], w)
				}
			},
		})
	})
}

// TestQueriesThatAskForMuchGetTheirParts: all ask for as many as they may have, and give what they must.
func TestQueriesThatAskForMuchGetTheirParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := New(rapid.IntRange(1, 16).Draw(t, "permits"))
		var shares []*Share
		for range rapid.IntRange(1, 6).Draw(t, "queries") {
			s := p.Open(context.Background(), rapid.IntRange(0, 16).Draw(t, "limit"))
			s.Enter()
			for range rapid.IntRange(0, 16).Draw(t, "asked at once") {
				s.reserve(1, false)
			}
			shares = append(shares, s)
		}
		for range 2 * p.size {
			for _, s := range shares {
				s.reserve(1, false)
			}
			for _, s := range shares {
				s.cede()
			}
		}
		part := max(1, p.size/len(shares))
		for i, s := range shares {
			if s.held < min(part, s.limit) {
				t.Fatalf("query %d has %d permits, its part is %d of at most %d", i, s.held, part, s.limit)
			}
		}
		if most := max(p.size, len(shares)); p.taken > most {
			t.Fatalf("%d permits are taken of %d", p.taken, most)
		}
	})
}
