package operator

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Gather keeps rows that several goroutines find: each appends to blocks that nobody else uses meanwhile, so that nobody waits for another one's, and
// at the end all move them to one place. The first rows are left to who runs the operator, as most queries have no more.
type Gather struct {
	x     *Execution
	width int
	rows  atomic.Uint64 // that were offered
	// full: there is no memory for more rows.
	full atomic.Bool
	// idle are those of all that nobody uses.
	idle schedule.Spares[*vector.Blocks]

	mu   sync.Mutex // guards all, while rows are taken, and held
	all  []*vector.Blocks
	held *limits.Account
}

// NewGather returns no rows of so many columns, which are counted as the named operator's. It must be closed.
func NewGather(x *Execution, width int, operator string) *Gather {
	return &Gather{x: x, width: width, held: x.Memory.Open(operator)}
}

// Take takes a batch, if there is memory for it, from any goroutine.
func (g *Gather) Take(b *vector.Batch) (taken bool, err error) {
	if g.rows.Add(uint64(b.N)) < g.x.Tuning.ShareFrom {
		return false, nil
	}
	if err := g.x.Ended(); err != nil || g.full.Load() {
		return false, err
	}
	blocks := g.idle.Take(g.another)
	bytes := blocks.Append(b)
	g.idle.Give(blocks)
	if bytes > 0 {
		g.hold(bytes)
	}
	return true, nil
}

// another is blocks for one goroutine more.
func (g *Gather) another() *vector.Blocks {
	blocks := vector.NewBlocks(g.width)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all = append(g.all, blocks)
	return blocks
}

// hold counts bytes of rows, twice, as they are moved.
func (g *Gather) hold(bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.held.Hold(g.held.Held + 2*bytes) {
		g.full.Store(true)
	}
}

// MoveTo moves the rows that were taken behind those of rows, where they fit into memory; else, or where rows is nil, it hands them to add, batch by
// batch. Nobody may take any more. The columns are borrowed (vector.Borrow).
func (g *Gather) MoveTo(rows *vector.Rows, add func(*vector.Batch) error) error {
	var list []*vector.Rows
	n := 0
	for _, blocks := range g.all {
		list, n = append(list, blocks.List()...), n+blocks.N
	}
	g.all, g.idle = nil, schedule.Spares[*vector.Blocks]{}
	if n == 0 {
		return nil
	}
	defer g.held.Hold(0)
	if g.full.Load() || rows == nil {
		for _, block := range list {
			if err := block.Emit(g.x.Checked(add)); err != nil {
				return err
			}
		}
		return nil
	}
	list = append([]*vector.Rows{{Cols: slices.Clone(rows.Cols), N: rows.N}}, list...)
	starts := make([]int, len(list)+1)
	for i, some := range list {
		starts[i+1] = starts[i] + some.N
	}
	rows.N += n
	for c := range rows.Cols {
		rows.Cols[c] = vector.Borrow(rows.N)
	}
	return g.x.Each(len(list), func(i int) error {
		for c, col := range list[i].Cols {
			copy(rows.Cols[c][starts[i]:], col)
		}
		return nil
	})
}

// Close gives the memory back.
func (g *Gather) Close() { g.held.Close() }
