package mine

import (
	"context"
	"errors"
	"math/big"
	"math/bits"
	"sync"
)

// ErrCount: there are more of a motif than 64 bits can count.
var ErrCount = errors.New("mine: there are more than 2^64-1 of a motif")

// The connected patterns of three and four vertices.
var (
	wedge    = shaped([2]int{0, 1}, [2]int{0, 2})
	star     = shaped([2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3})
	path4    = shaped([2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3})
	square   = shaped([2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{0, 3})
	tailed   = shaped([2]int{0, 1}, [2]int{1, 2}, [2]int{0, 2}, [2]int{2, 3})
	diagonal = shaped([2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{0, 3}, [2]int{0, 2})
)

// shaped is the canonical pattern of some edges.
func shaped(edges ...[2]int) Pattern {
	p := Pattern{}
	for _, e := range edges {
		p.Size = max(p.Size, e[0]+1, e[1]+1)
		p.Edges |= bit(e[0], e[1])
	}
	p, _ = p.Canonical()
	return p
}

// closedOfThree counts the motifs of three vertices: wedges by degrees, triangles as cliques.
func closedOfThree(ctx context.Context, g *Graph, options Options) (map[Pattern]*big.Int, error) {
	var wedges wide
	for v := range Vertex(g.Len()) {
		if degree := uint64(g.Degree(v)); degree > 1 {
			wedges.product(degree, degree-1, 2)
		}
	}
	triangles, err := Cliques(ctx, g, 3, options)
	return map[Pattern]*big.Int{wedge: wedges.big(), Clique(3): new(big.Int).SetUint64(triangles)}, err
}

// closedOfFour counts the motifs of four vertices without visiting them, by closed forms over degrees, the triangles of each edge,
// squares and 4-cliques (Ahmed, Neville, Rossi and Duffield, Efficient Graphlet Counting for Large Networks, section 3), each once for
// every choice of edges that makes it. The time goes with the sum over all edges of the smaller degree of their ends, and with the
// 4-cliques; each worker takes 4 bytes for a vertex, and as many work at once as half of the memory has room for.
func closedOfFour(ctx context.Context, g *Graph, options Options) (map[Pattern]*big.Int, error) {
	c := &closed{rooms: make(chan []uint32, closedAtOnce(g, options))}
	if err := Run(ctx, g, options, c.count); err != nil {
		return nil, err
	}
	var s closedSums
	for _, w := range c.workers {
		s.add(&w.sums)
	}
	triangles := over(s.triangles, 3) // one for each of its edges
	cliques, err := Cliques(ctx, g, 4, options)
	closedPaths := new(big.Int).Mul(triangles, big.NewInt(3)) // those that end where they began
	return map[Pattern]*big.Int{
		star:      s.stars.big(),
		path4:     new(big.Int).Sub(s.paths.big(), closedPaths),
		square:    s.squares.big(),
		tailed:    over(s.tails, 2), // a triangle at a vertex is one of two of its edges
		diagonal:  s.diagonals.big(),
		Clique(4): new(big.Int).SetUint64(cliques),
	}, err
}

// mostAtOnce is how many workers use closed forms at once at most.
const mostAtOnce = 1 << 10

// closedAtOnce is for how many workers there is room in half of the memory.
func closedAtOnce(g *Graph, options Options) int {
	return int(min(options.memory()/2/int64(4*max(1, g.Len())), mostAtOnce))
}

// closed is what workers add up.
type closed struct {
	rooms   chan []uint32 // that were made and that nobody uses
	mu      sync.Mutex
	made    int
	workers []*closedWorker
}

// closedSums are over vertices (stars) and over edges, of the triangles of each and of all pairs of neighbours of its ends.
type closedSums struct {
	stars, triangles, tails, paths, squares, diagonals wide
}

func (s *closedSums) add(o *closedSums) {
	s.stars.add(o.stars)
	s.triangles.add(o.triangles)
	s.tails.add(o.tails)
	s.paths.add(o.paths)
	s.squares.add(o.squares)
	s.diagonals.add(o.diagonals)
}

// closedWorker is one goroutine's.
type closedWorker struct {
	sums closedSums
	// met says of each vertex how many paths of two edges lead to it from the vertex that is worked on, all below that, and with
	// adjacent whether it is a neighbour.
	met []uint32
}

const adjacent = 1 << 31

// count adds what the vertices of a table of one column are the greatest of.
func (c *closed) count(t *Table) error {
	w := c.worker(t)
	w.met = c.room(t)
	defer func() { c.rooms <- w.met }()
	for _, v := range t.last().vertices {
		if err := t.look(w.vertex(t.Graph(), v)); err != nil {
			return err
		}
	}
	return nil
}

func (c *closed) worker(t *Table) *closedWorker {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.workers) <= t.worker {
		c.workers = append(c.workers, &closedWorker{})
	}
	return c.workers[t.worker]
}

// room is one that nobody else uses, all of it 0; where no more may be made, one is waited for.
func (c *closed) room(t *Table) []uint32 {
	select {
	case met := <-c.rooms:
		return met
	default:
	}
	c.mu.Lock()
	more := c.made < cap(c.rooms)
	if more {
		c.made++
	}
	c.mu.Unlock()
	if more {
		return make([]uint32, t.Graph().Len())
	}
	t.run.share.Leave()
	defer t.run.share.Enter()
	return <-c.rooms
}

// vertex adds what one is the greatest of, and returns how many vertices it read.
func (w *closedWorker) vertex(g *Graph, v Vertex) (read int) {
	neighbours, degree := g.Neighbours(v), uint64(g.Degree(v))
	if degree > 2 {
		w.sums.stars.product(degree*(degree-1)/2, degree-2, 3)
	}
	for _, u := range neighbours {
		w.met[u] |= adjacent
	}
	below := neighbours[:from(neighbours, v)]
	for _, u := range below {
		triangles, squares := uint64(0), uint64(0)
		for _, x := range g.Neighbours(u) {
			met := w.met[x]
			triangles += uint64(met >> 31)
			if x < v {
				squares += uint64(met &^ adjacent)
				w.met[x] = met + 1
			}
		}
		other := uint64(g.Degree(u))
		w.sums.triangles.product(triangles, 1, 1)
		w.sums.squares.product(squares, 1, 1)
		w.sums.paths.product(degree-1, other-1, 1)
		if triangles > 0 {
			w.sums.tails.product(triangles, degree+other-4, 1)
			w.sums.diagonals.product(triangles, triangles-1, 2)
		}
		read += int(other)
	}
	for _, u := range below {
		for _, x := range within(g.Neighbours(u), 0, uint64(v)) {
			w.met[x] = 0
		}
	}
	for _, u := range neighbours {
		w.met[u] = 0
	}
	return read
}

// wide is a number of 128 bits.
type wide struct{ high, low uint64 }

func (n *wide) add(o wide) {
	var carry uint64
	n.low, carry = bits.Add64(n.low, o.low, 0)
	n.high, _ = bits.Add64(n.high, o.high, carry)
}

// product adds a·b/c, which leaves no rest; c is small.
func (n *wide) product(a, b, c uint64) {
	high, low := bits.Mul64(a, b)
	var rest uint64
	high, rest = high/c, high%c
	low, _ = bits.Div64(rest, low, c)
	n.add(wide{high, low})
}

func (n wide) big() *big.Int {
	x := new(big.Int).SetUint64(n.high)
	return x.Add(x.Lsh(x, 64), new(big.Int).SetUint64(n.low))
}

// over divides.
func over(n wide, by int64) *big.Int {
	x := n.big()
	return x.Quo(x, big.NewInt(by))
}
