package group

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// groupParts are runs of some of the groups each, by hash, which workers take rows into, in rounds of chunks: one is filled while
// the other one is worked on. The rows of a chunk are split by parts of their hashes, then each part takes its rows of all chunks, in
// their order: so every group meets its rows in the order of the source, and what depends on that order may be shared too. Where several goroutines
// find the rows, which are in no order then, each takes its own into the parts (partsaside.go).
type groupParts struct {
	run              *run
	stages           []operator.Stage // below the group
	phases           *operator.Phases
	filling, working *groupRound
	runs             []*run
	rows             []vector.Batch // of each part, on their way
	locks            []operator.PartLock
	holding          sync.Mutex // guards the run's account
	beside           partsBeside
}

// groupRound is some chunks, of which used have rows.
type groupRound struct {
	chunks []*groupChunk
	used   int
}

// groupChunk is a copy of some rows of the source, the first of which is row at of it, and what the stages make of them.
type groupChunk struct {
	source vector.BatchCopy
	at     uint64
	stages *groupRows
	rows   *vector.Batch // nil: none
	hashes []uint64
	split  vector.Split
}

const (
	// chunksEach is how many chunks of a round there are for each goroutine; with fewer than fewestChunks workers do not pay.
	chunksEach   = 4
	fewestChunks = 4
)

// mostChunks is how many chunks a round has: together, two of them take an eighth of what the query may hold, at most.
func (r *run) mostChunks() int {
	row := int64(4*(len(r.Input.Columns())+2*(r.width()+1)) + 12)
	return int(min(int64(chunksEach*r.x.Copies()), r.x.Memory.Limit()/8/(2*int64(r.x.Tuning.ChunkRows)*row)))
}

// splits reports whether goroutines may take some of the groups each.
func (r *run) splits() bool {
	return r.parts == nil && r.groups.Rows.N >= r.x.Tuning.SplitGroups && r.mostChunks() >= fewestChunks
}

// newGroupParts lets parts take over from a run.
func newGroupParts(r *run, stages []operator.Stage) (*groupParts, error) {
	t := &groupParts{run: r, stages: stages, phases: operator.NewPhases(r.x), rows: make([]vector.Batch, vector.Parts), locks: make([]operator.PartLock, vector.Parts)}
	for range vector.Parts {
		part, err := r.newPart(r.x)
		if err != nil {
			return nil, err
		}
		t.runs = append(t.runs, part)
	}
	t.filling, t.working = t.newRound(), t.newRound()
	r.groups, r.first, r.states, r.split = vector.NewRowSet(len(r.Keys), r.x.Ended), nil, nil, t
	return t, nil
}

// replay takes the rows that the run had.
func (t *groupParts) replay(rows *vector.Rows) error {
	first := &groupChunk{rows: rows.Batch(0, rows.N, &vector.Batch{})}
	t.begin([]*groupChunk{first}, func(c *groupChunk) error { t.split(c); return nil })
	return t.phases.Finish()
}

func (t *groupParts) newRound() *groupRound {
	r := &groupRound{}
	for range t.run.mostChunks() {
		r.chunks = append(r.chunks, t.newChunk())
	}
	return r
}

// add takes rows into the round that is filled; the first is row at of the source.
func (t *groupParts) add(b *vector.Batch, at uint64) error {
	size := t.run.x.Tuning.ChunkRows
	for from := 0; from < b.N; {
		c := t.filling.open(size, at+uint64(from))
		if c == nil {
			if err := t.turn(); err != nil {
				return err
			}
			continue
		}
		to := min(b.N, from+size-c.source.N)
		c.source.Append(b, from, to)
		from = to
	}
	t.phases.Ask()
	return nil
}

func (t *groupParts) newChunk() *groupChunk {
	return &groupChunk{stages: newGroupRows(t.run.Group, t.stages)}
}

// open returns a chunk of fewer than size rows, nil where there is none; the next is row at of the source.
func (r *groupRound) open(size int, at uint64) *groupChunk {
	if r.used > 0 && r.chunks[r.used-1].source.N < size {
		return r.chunks[r.used-1]
	}
	if r.used == len(r.chunks) {
		return nil
	}
	c := r.chunks[r.used]
	c.source.Reset()
	c.at = at
	r.used++
	return c
}

// turn waits for the round that is worked on, and begins the one that was filled.
func (t *groupParts) turn() error {
	if err := t.phases.Finish(); err != nil {
		return err
	}
	if err := t.account(); err != nil {
		return err
	}
	t.filling, t.working = t.working, t.filling
	t.filling.used = 0
	t.begin(t.working.chunks[:t.working.used], t.prepare)
	return nil
}

// drain waits for all rows.
func (t *groupParts) drain() error {
	if err := t.turn(); err != nil {
		return err
	}
	return t.turn()
}

func (t *groupParts) close() {
	t.phases.Close()
	for _, c := range slices.Concat(t.filling.chunks, t.working.chunks) {
		c.stages.stages.Report(t.run.x, len(c.stages.stages.Stages))
	}
}

// begin begins to prepare chunks, and to group what comes of them. The parts that write to one file are one goroutine's.
func (t *groupParts) begin(chunks []*groupChunk, prepare func(*groupChunk) error) {
	step := 1
	if t.run.parts != nil {
		step = vector.PartsOfFile
	}
	if len(chunks) == 0 {
		return
	}
	t.phases.Start(
		operator.Phase{Units: len(chunks), Do: func(i int) error { return prepare(chunks[i]) }},
		operator.Phase{Units: vector.Parts / step, Do: func(i int) error {
			for p := i * step; p < (i+1)*step; p++ {
				if _, err := t.take(p, chunks, true); err != nil {
					return err
				}
			}
			return nil
		}})
}

// prepare takes the rows of a chunk through the stages and splits them.
func (t *groupParts) prepare(c *groupChunk) (err error) {
	if c.rows, err = c.stages.of(t.run.x, &c.source.Batch); err == nil && c.rows != nil {
		t.split(c)
	}
	return err
}

// split splits the rows of a chunk by their groups' hashes.
func (t *groupParts) split(c *groupChunk) {
	c.hashes = vector.HashRows(c.hashes, c.rows.Cols, vector.AllColumns(len(t.run.Keys)), c.rows.N)
	c.split.Set(c.hashes)
}

// take takes the rows of a part into its groups, while nobody else does so: it waits for that, or leaves them.
func (t *groupParts) take(part int, chunks []*groupChunk, wait bool) (taken bool, err error) {
	return t.locks[part].Do(t.run.x, wait, func() error { return t.takeLocked(part, chunks) })
}

func (t *groupParts) takeLocked(part int, chunks []*groupChunk) error {
	r, width := t.runs[part], t.run.width()
	for _, c := range chunks {
		if c.rows == nil {
			continue
		}
		some := c.split.Part(part)
		if len(some) == 0 {
			continue
		}
		rows := vector.Select(&t.rows[part], &vector.Batch{Cols: c.rows.Cols[:width], N: c.rows.N}, some)
		r.hashes = vector.Gather(r.hashes[:0], c.hashes, some)
		if err := r.take(rows, places{c.at, some}); err != nil {
			return err
		}
	}
	return nil
}

// account counts the memory, between rounds, and has rows of new groups put aside when there is too much.
func (t *groupParts) account() (err error) {
	t.beside.gate.Lock()
	defer t.beside.gate.Unlock()
	bytes := t.filling.bytes() + t.working.bytes()
	for _, r := range t.runs {
		bytes += r.bytes()
	}
	t.holding.Lock()
	holds := t.run.held.Hold(bytes)
	t.holding.Unlock()
	if holds || t.run.parts != nil {
		return nil
	}
	t.run.parts, err = t.run.x.Disk.Partition(t.run.width(), 0)
	for _, r := range t.runs {
		r.parts = t.run.parts
	}
	return err
}

// bytes is the memory that a round takes, beside what stages do.
func (r *groupRound) bytes() (sum int64) {
	for _, c := range r.chunks {
		sum += c.source.Bytes() + c.stages.work.Bytes() + int64(cap(c.hashes))*8 + c.split.Bytes()
	}
	return sum
}

// groupPlace is a group of a part, by its first row.
type groupPlace struct {
	first     uint64
	part, row uint32
}

// orderRows is about how many groups are put into order at a time.
const orderRows = 1 << 14

// emit hands out the groups of all parts, in the order of their first rows where these came in one.
func (t *groupParts) emit(emit func(*vector.Batch) error) error {
	picked := make([]*vector.Rows, len(t.runs))
	err := t.run.x.Each(len(t.runs), func(p int) (err error) {
		picked[p], err = t.runs[p].picked()
		return err
	})
	if err != nil {
		return err
	}
	if !t.inOrder() {
		for _, rows := range picked {
			if err := rows.Emit(emit); err != nil {
				return err
			}
		}
		return nil
	}
	out := vector.NewRows(len(t.run.Pick))
	for _, r := range t.runs {
		out.N += r.groups.Rows.N
	}
	for c := range out.Cols {
		out.Cols[c] = make([]uint32, out.N)
	}
	bounds := t.bounds(out.N/orderRows + 1)
	if err := t.run.x.Each(len(bounds)-1, func(i int) error { t.order(bounds[i], bounds[i+1], picked, out); return nil }); err != nil {
		return err
	}
	return out.Emit(emit)
}

// inOrder reports whether the groups of each part are in the order of their first rows: not so where several goroutines have found them.
func (t *groupParts) inOrder() bool {
	return !t.beside.took.Load() || !slices.ContainsFunc(t.runs, func(r *run) bool { return !slices.IsSorted(r.first) })
}

// bounds are rows of the source between which about as many groups begin. Those of one part stand for all.
func (t *groupParts) bounds(n int) []uint64 {
	first := slices.MaxFunc(t.runs, func(a, b *run) int { return cmp.Compare(len(a.first), len(b.first)) }).first
	bounds := []uint64{0}
	for i := 1; i < n; i++ {
		bounds = append(bounds, first[i*len(first)/n])
	}
	return append(bounds, math.MaxUint64)
}

// order puts the groups that begin between two rows of the source into their places.
func (t *groupParts) order(from, to uint64, picked []*vector.Rows, out *vector.Rows) {
	var list []groupPlace
	at := 0
	for p, r := range t.runs {
		low := sort.Search(len(r.first), func(i int) bool { return r.first[i] >= from })
		at += low
		for row := low; row < len(r.first) && r.first[row] < to; row++ {
			list = append(list, groupPlace{r.first[row], uint32(p), uint32(row)})
		}
	}
	slices.SortFunc(list, func(a, b groupPlace) int { return cmp.Compare(a.first, b.first) })
	for c, col := range out.Cols {
		for i, g := range list {
			col[at+i] = picked[g.part].Cols[c][g.row]
		}
	}
}
