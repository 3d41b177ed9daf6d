package cpu

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// run is one pass of a join: the source of its first rows, and what its workers share.
type run struct {
	matcher *Matcher
	join    *join
	// limit is the most rows to emit (or solutions to count), 0 for all; most is where counting for one row may stop.
	limit, most uint64
	capacity    int
	// tableBytes is what the tables of a worker may take, and its memos where they are many.
	tableBytes int64
	// memoBits is the size of each memo.
	memoBits int
	source   source
	emit     func(*match.Batch) error
	aside    func(*match.Batch) (bool, error)
	helpers  schedule.Group
	// weightTables are those that weights are written in.
	weightTables []*numberTable
	// warm: threads have made weights, and look for more work. scarce: there are fewer chunks of the source than threads, which are to be given parts of them soon.
	warm, scarce bool

	// What all workers read all the time lies apart from what they write.
	_    apart
	hubs atomic.Pointer[hubs]
	stop atomic.Bool
	_    apart

	total atomic.Uint64 // solutions counted
	// number tells the runs of a matcher apart; waiting is how many workers wait for forks.
	number  uint64
	waiting atomic.Int32

	turns   vector.Turns // of rows that are emitted
	emitted uint64       // is of whose turn it is
	mu      sync.Mutex   // guards what follows
	err     error        // of emit, or aside
}

// source deals out the first rows: seeds, the first step's list, or one empty row.
type source struct {
	length, chunk int
	next          atomic.Int64
	list          []pcsr.Vertex
	rows          *pcsr.Partition
	first         int // row of the partition that stands at place 0
	// bound, where it is not nil, says which members are needed no more; ahead is which places come first then.
	bound *match.Bound
	ahead *bgp.Ahead
}

func newRun(m *Matcher, p *join, limit uint64) *run {
	r := &run{matcher: m, join: p, limit: limit, most: ^uint64(0), capacity: m.tuning.tableRows, number: m.runs.Add(1)}
	r.turns.Open((*runTurns)(r), p.workers.Limit())
	r.helpers = schedule.Group{Share: p.workers, Failed: func() { r.stop.Store(true) }, Gives: true}
	if limit > 0 {
		r.most = limit
		r.capacity = int(min(uint64(m.tuning.tableRows), max(64, 2*limit)))
	}
	columns := 0
	for _, carried := range p.carry {
		columns += len(carried) + 1
	}
	if columns > 0 {
		r.capacity = min(r.capacity, max(fewestRows, tableCells/columns))
	}
	r.tableBytes = 4*int64(r.capacity)*int64(columns) + sliceBytes*int64(len(p.carry)*len(p.Plan.Slots))
	memos := remembering(p.tail)
	for r.memoBits = m.tuning.memoBits; memos<<r.memoBits > mostEntries && r.memoBits > fewestBits; r.memoBits-- {
	}
	if entries := memos << r.memoBits; entries > smallEntries {
		r.tableBytes += int64(entries) * int64(unsafe.Sizeof(memoEntry{}))
	}
	return r
}

// The tables of a worker hold up to tableCells IDs: a chain of n steps carries up to n columns at each of n levels. What takes
// less than smallTables is not counted; what takes more than largeTables is not kept for the next run.
const (
	tableCells  = 4 << 20
	fewestRows  = 64
	smallTables = 256 << 10
	largeTables = 8 << 20
	sliceBytes  = 24
	// The memos of a worker have up to mostEntries entries together, and each at least 1<<fewestBits; up to smallEntries are not counted.
	mostEntries  = 1 << 18
	smallEntries = 1 << 16
	fewestBits   = 4
)

// charge counts the tables of workers that begin (1) or end (-1).
func (r *run) charge(workers int64) {
	if r.tableBytes > smallTables && r.join.charge != nil {
		_ = r.join.charge(workers * r.tableBytes)
	}
}

// do runs the join to its end.
func (r *run) do(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if ctx.Done() != nil {
		cancel := context.AfterFunc(ctx, func() { r.stop.Store(true) })
		defer cancel()
	}
	defer r.dropWeights()
	defer r.dropHubs()
	if err := r.weigh(); err != nil {
		return err
	}
	r.openSource()
	if r.limit == 0 && r.source.bound == nil {
		least := bgp.ManyThreadCosts * float64(r.matcher.tuning.quiet)
		if r.warm {
			least /= warmShare
		}
		if cost := r.join.cost(); cost >= least {
			r.startAll(cost)
		}
	}
	r.helpers.Do(func() error {
		w := r.matcher.worker(r)
		if r.scarce {
			w.lookSoon(leastShare)
		}
		w.chunks()
		w.release()
		return nil
	})
	if err := r.helpers.Wait(); err != nil {
		return err
	}
	if r.err != nil {
		return r.err
	}
	return ctx.Err()
}

// openSource chooses what the first rows come from.
func (r *run) openSource() {
	p, s := r.join, &r.source
	switch {
	case p.input != nil:
		s.length = p.input.N
	case p.prefix == 0:
		s.length = 1
	default:
		s.open(p.steps[0], p.tuning)
	}
	s.chunk = min(r.capacity, max(32, s.length/(16*r.join.workers.Limit())))
	if a := p.Plan.Ahead; a != nil && p.bound != nil && p.input == nil && p.prefix > 0 && p.steps[0].Index == 0 {
		s.bound, s.ahead = p.bound, a
		s.chunk = min(s.chunk, max(32, s.length/mostChunks))
	}
}

// mostChunks is how many chunks the source of a match that may end early is dealt out in, at most: small ones let it end early, but each is passed on by itself.
const mostChunks = 2048

// open chooses the shortest list or rows of a step. Rows that lie between the ends of a list are taken where they are much fewer: each is
// looked for in the list then.
func (s *source) open(first *step, t *tuning) {
	low, high, price := first.Low, first.High, 1
	if len(first.static) > 0 {
		s.list = pcsr.Between(first.static[0].list, low, bound(high))
		if s.length = len(s.list); s.length <= t.shortSource {
			return
		}
		low, high, price = s.list[0], s.list[s.length-1]+1, t.rowPrice
	}
	for _, rows := range first.rows {
		from := rows.RowFrom(low)
		if n := max(0, rows.RowFrom(high)-from); s.list == nil && s.rows == nil || price*n < s.length {
			s.list, s.rows, s.first, s.length, price = nil, rows, from, n, 1
		}
	}
}

// take returns the next chunk's places, without those that are needed no more.
func (s *source) take() (low, high int, ok bool) {
	for {
		if low = int(s.next.Add(int64(s.chunk))) - s.chunk; low >= s.length {
			return 0, 0, false
		}
		if s.bound != nil {
			low = s.chunk * s.turn(low/s.chunk)
		}
		high = min(low+s.chunk, s.length)
		if s.bound == nil || !s.bound.Beaten(s.member(low), s.member(high-1)) {
			return low, high, true
		}
	}
}

// turn is which chunk comes at its turn: from one end on, or from both.
func (s *source) turn(i int) int {
	last := (s.length - 1) / s.chunk
	switch {
	case s.ahead.Both && i%2 == 0:
		return i / 2
	case s.ahead.Both:
		return last - i/2
	case s.ahead.Descending:
		return last - i
	}
	return i
}

// member is what stands at a place.
func (s *source) member(place int) pcsr.Vertex {
	if s.rows != nil {
		return s.rows.Vertex(s.first + place)
	}
	return s.list[place]
}

// left reports whether there are chunks that nobody has taken.
func (s *source) left() bool { return s.next.Load() < int64(s.length) }

// start runs a worker on another thread, for which there is a permit: it does its share, and then goes on with the source.
func (r *run) start(share func(*worker)) { r.helpers.Start(r.helper(share)) }

// helper is what a worker on another thread does.
func (r *run) helper(share func(*worker)) func(*schedule.Worker) error {
	return func(permit *schedule.Worker) error {
		w := r.matcher.worker(r)
		w.permit, w.shareAt, w.lookedAt = permit, w.tuning.often, 0
		switch {
		case r.scarce:
			w.lookSoon(leastShare)
		case r.emit == nil:
			w.lookSoon(soonShare)
		}
		share(w)
		w.chunks()
		w.release()
		if r.join.idle != nil {
			r.join.idle()
		}
		return nil
	}
}

// startAll starts workers on chunks of the source, as many as an expected cost is enough for and as there are threads for.
func (r *run) startAll(cost float64) {
	begun, chunk := r.source.next.Load(), int64(r.source.chunk)
	chunks := (int64(r.source.length) - max(begun, chunk) + chunk - 1) / chunk // the first one is the caller's
	wanted := min(r.matcher.tuning.helpers(cost), r.join.workers.Limit()-1)
	if begun == 0 {
		r.scarce = int(chunks) < wanted && r.emit == nil
	}
	r.helpers.GoAll(min(int(chunks), wanted), r.helper(func(*worker) {}))
}

// expected is what the rest of the source will cost all workers, if so far the run has cost work for each of them.
func (r *run) expected(work int) float64 {
	taken := float64(min(r.source.next.Load(), int64(r.source.length)))
	return float64(work) * float64(1+r.helpers.Running()) * (float64(r.source.length) - taken) / max(taken, 1)
}

// deliver emits a batch, or leaves a copy of it to whoever does.
func (r *run) deliver(batch *match.Batch) {
	if batch.N == 0 || r.stop.Load() {
		return
	}
	take := func() bool {
		taken, err := r.aside(batch)
		if err != nil {
			r.fail(err)
		}
		return taken || err != nil
	}
	if r.aside == nil || r.limit > 0 || !r.turns.Offer(batch, take, r.join.workers.Await) {
		r.turns.Pass(batch)
	}
}

// runTurns are the turns of a run.
type runTurns run

// Wait implements vector.Taker.
func (r *runTurns) Wait(turn *sync.Mutex) { r.join.workers.Lock(turn) }

// Hand implements vector.Taker: it emits a batch, no more rows than the limit allows.
func (r *runTurns) Hand(batch *match.Batch) {
	if r.stop.Load() {
		return
	}
	if r.limit > 0 && r.emitted+uint64(batch.N) >= r.limit {
		batch.N = int(r.limit - r.emitted)
		for i := range batch.Cols {
			batch.Cols[i] = batch.Cols[i][:batch.N]
		}
		if batch.Origin != nil {
			batch.Origin = batch.Origin[:batch.N]
		}
		if batch.Weights != nil {
			batch.Weights = batch.Weights[:batch.N]
		}
		r.stop.Store(true)
	}
	if batch.N == 0 {
		return
	}
	r.emitted += uint64(batch.N)
	if err := r.emit(batch); err != nil {
		(*run)(r).fail(err)
	}
}

// fail ends the run with an error, the first of several.
func (r *run) fail(err error) {
	r.stop.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// addTotal counts solutions; enough of them end the run.
func (r *run) addTotal(n uint64) {
	for {
		old := r.total.Load()
		sum := add(old, n)
		if r.total.CompareAndSwap(old, sum) {
			if r.limit > 0 && sum >= r.limit {
				r.stop.Store(true)
			}
			return
		}
	}
}
