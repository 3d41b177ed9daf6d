package join

import (
	"github.com/rdfgpu/rdfgpu/exec/eval"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/sideways"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Join joins the solutions of its left input with a pattern on the right.
//
// It begins by seeding: the right pattern is matched for the left solutions that are there, which is cheap while
// they are few (sideways information passing). Once more rows came than the pattern alone would cost, the pattern
// is run once into a hash table, which the remaining rows probe. A pattern that cannot be seeded is hashed at once.
type Join struct {
	operator.Base
	Kind   planner.JoinKind
	Left   operator.Operator
	Seeds  *sideways.Side // nil: cannot be seeded
	Hashed *Hashed        // nil: cannot be hashed
	Seeded bool           // the operator has inputs, its batches an Origin
	// Condition filters pairs (LeftJoin's expression); its columns are out and then what else it reads.
	Condition *eval.Predicate
	Merged    int // columns of a pair
	// take is operator.Aside's of the next run.
	take operator.Take
}

// run is one run of a join. It merges what it finds itself.
type run struct {
	merger
	pending *vector.Rows // left rows to be seeded; the last column is their Origin when the join is seeded itself
	flushAt int
	held    *limits.Account
	fed     int
	hashing bool

	// probed is how many rows have probed the table in this goroutine, and shared are the others, with workers; alone: there was no
	// memory for these.
	probed  uint64
	shared  *sharedProbes
	alone   bool
	spilled *vector.Partitions
	// aside are those who join the rows that they have found themselves; nil where there are none.
	aside *probesAside
	// owns are what goroutines match the right pattern with beside others.
	owns schedule.Spares[*sideways.Own]
}

// firstFlush is for how many rows the right pattern is seeded first; after shareSeeds rows workers may match it for some of the others each.
const (
	firstFlush = planner.FewSeeds
	shareSeeds = 2048
)

func (j *Join) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := &run{merger: merger{Join: j, x: x, emit: emit}, hashing: j.Seeds == nil, held: x.Memory.Open("rows on their way through joins")}
	r.pending = vector.NewRows(len(j.Left.Columns()) + 1)
	r.most = x.RowsAtOnce(len(r.pending.Cols) + j.Merged)
	r.flushAt = min(firstFlush, r.most)
	defer r.close()
	if err := r.runLeft(seed); err != nil {
		return err
	}
	if err := r.flush(); err != nil {
		return err
	}
	if r.shared != nil {
		return r.shared.drain()
	}
	if r.spilled != nil {
		return r.joinPartitions()
	}
	return nil
}

// runLeft takes the left rows.
func (r *run) runLeft(seed *vector.Batch) error {
	if seed != nil || r.Hashed == nil && !r.seedsShared() || r.x.Alone() || r.x.Analyze {
		return operator.Run(r.Join.Left, r.x, seed, r.add)
	}
	r.aside = newProbesAside(r)
	r.emit = r.aside.out.Emit
	if err := r.tableFirst(); err != nil {
		return err
	}
	return operator.RunAside(r.Join.Left, r.x, nil, func(b *vector.Batch) error {
		defer r.aside.busy.Add(-1)
		r.aside.busy.Add(1)
		return r.add(b)
	}, r.aside.probe)
}

// tableFirst makes the table and its index where many left rows are expected, so that those who find them need not wait for it.
func (r *run) tableFirst() error {
	if !r.hashing || !r.Hashed.First {
		return nil
	}
	if err := r.Hashed.build(r.x); err != nil || r.Hashed.parts != nil {
		return err
	}
	if err := r.Hashed.table.IndexAll(r.Kind == planner.Minus); err != nil {
		return err
	}
	r.aside.ready(r.Hashed.table)
	return nil
}

func (r *run) close() {
	if r.aside != nil {
		r.aside.close()
	}
	if r.shared != nil {
		r.shared.close()
	}
	r.held.Close()
	if r.spilled != nil {
		r.spilled.Close()
	}
}

// add takes a batch of the left input.
func (r *run) add(b *vector.Batch) error {
	if r.hashing {
		return r.probe(b)
	}
	last := len(r.pending.Cols) - 1
	for c := range last {
		r.pending.Cols[c] = append(r.pending.Cols[c], b.Cols[c]...)
	}
	if b.Origin != nil {
		r.pending.Cols[last] = append(r.pending.Cols[last], b.Origin...)
	}
	r.pending.N += b.N
	if r.pending.N < r.flushAt && (r.aside == nil || !r.aside.due()) {
		return nil
	}
	r.flushAt = min(2*r.flushAt, operator.MostRows, r.most)
	return r.flush()
}

// flush joins the rows collected so far.
func (r *run) flush() error {
	if r.pending.N == 0 {
		return nil
	}
	if err := r.held.Need(r.pending.Bytes() + vector.Bytes(&r.out)); err != nil {
		return err
	}
	last := len(r.pending.Cols) - 1
	view := &vector.Batch{Cols: r.pending.Cols[:last], N: r.pending.N}
	if r.Seeded {
		view.Origin = r.pending.Cols[last]
	}
	err := r.choose()
	switch {
	case err != nil:
	case r.hashing:
		err = r.probe(view)
	default:
		err = r.seedWith(view)
	}
	r.pending.Reset()
	return err
}

// choose decides how the rows collected so far are joined: when there were enough, by a table.
func (r *run) choose() (err error) {
	r.fed += r.pending.N
	if r.aside != nil {
		r.fed += r.aside.fed()
	}
	if r.hashing || r.fed <= planner.FewSeeds || r.Hashed == nil {
		return nil
	}
	if r.hashing, err = r.Hashed.cheaper(r.x, r.fed); err != nil || !r.hashing {
		return err
	}
	if r.aside != nil {
		r.aside.seeds.Store(false)
	}
	return r.endShared()
}

// seedWith matches the right pattern for the rows of b: for the first of all in this goroutine, and then by workers.
func (r *run) seedWith(b *vector.Batch) error {
	if r.aside != nil && r.seedsShared() {
		r.aside.seed(r.fed)
	}
	if r.shared == nil && r.fed-b.N >= int(min(shareSeeds, r.x.Tuning.ShareFrom)) && r.seedsShared() && r.mayShare() {
		r.shared = newSharedProbes(r, nil)
	}
	if r.shared != nil {
		return r.probeShared(b)
	}
	return r.merger.seed(b)
}

// seedsShared reports whether several goroutines may match the right pattern for some of the rows each. (Two have enough to do with the match and with what comes of it.)
func (r *run) seedsShared() bool {
	return r.Seeds != nil && r.Seeds.Another != nil && r.x.Copies() > 2 && (r.Condition == nil || r.Condition.Shared())
}

// own is what a goroutine matches the right pattern with beside others, to be given back to owns.
func (r *run) own() (*sideways.Own, error) {
	var err error
	own := r.owns.Take(func() (own *sideways.Own) {
		own, err = r.Seeds.Beside()
		return own
	})
	return own, err
}

// endShared ends what workers do for the run.
func (r *run) endShared() error {
	if r.shared == nil {
		return nil
	}
	err := r.shared.drain()
	r.shared.close()
	r.shared, r.lone = nil, nil
	return err
}

// probe joins the rows of b with the hash table: the first of all in this goroutine, and then by workers.
func (r *run) probe(b *vector.Batch) error {
	if err := r.Hashed.build(r.x); err != nil {
		return err
	}
	if r.Hashed.parts != nil {
		return r.spill(b)
	}
	if first := r.x.Tuning.ShareFrom; r.x.Copies() > 2 && r.shared == nil && r.probed < first && uint64(b.N) >= 2*first && r.mayShare() {
		return r.probeFirst(b, int(first-r.probed))
	}
	if r.shared == nil && r.probed >= r.x.Tuning.ShareFrom && r.mayShare() {
		r.shared = newSharedProbes(r, r.Hashed.table)
	}
	if r.shared != nil {
		return r.probeShared(b)
	}
	return r.probeAlone(b)
}

// probeFirst joins the first rows of b by this goroutine, and the others by workers. (Two threads have enough to do with what comes of them.)
func (r *run) probeFirst(b *vector.Batch, first int) error {
	var lone vector.BatchCopy // rows without a partner come at the end of their batch
	r.lone = func(b *vector.Batch) error {
		lone.Append(b, 0, b.N)
		return nil
	}
	err := r.probeAlone(b.Part(0, first))
	if r.lone = nil; err != nil {
		return err
	}
	r.shared = newSharedProbes(r, r.Hashed.table)
	r.shared.lone.Append(&lone.Batch, 0, lone.N)
	return r.probeShared(b.Part(first, b.N))
}

// probeAlone joins the rows of b by this goroutine; others may do so with those that they find from now on.
func (r *run) probeAlone(b *vector.Batch) error {
	if r.probed += uint64(b.N); r.aside != nil && r.probed >= r.x.Tuning.ShareFrom {
		r.aside.ready(r.Hashed.table)
	}
	return r.probeTable(b, r.Hashed.table)
}

// mayShare reports whether workers may have rows.
func (r *run) mayShare() bool {
	return !r.alone && !r.x.Alone() && (r.Condition == nil || r.Condition.Shared()) && r.mostJobs() >= fewestJobs
}

// probeShared joins the rows of b by workers, as long as there is memory for that.
func (r *run) probeShared(b *vector.Batch) error {
	err := r.shared.add(b)
	if err != nil || !r.shared.full {
		return err
	}
	r.alone = true
	return r.endShared()
}
