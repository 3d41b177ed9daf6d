package modifier

import (
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// sharedDistinct is rows of a run that workers tell apart, in rounds of chunks: one is filled while the other one is worked on. The
// rows of a chunk are split by parts of their hashes, then each part finds its rows of all chunks, in their order, and at last
// those that are new are picked.
type sharedDistinct struct {
	run              *distinctRun
	phases           *operator.Phases
	filling, working *distinctRound
	// skims: most rows of the round before had been seen, so that rows are looked up before they are split.
	skims bool
	// most is how many chunks the next round has: the first have few, so that no more rows are waited for than were there before.
	most int
}

// distinctRound is some chunks, of which used have rows.
type distinctRound struct {
	chunks []*distinctChunk
	used   int
}

// distinctChunk is a copy of some rows, and which of them are new.
type distinctChunk struct {
	rows   operator.BatchCopy
	hashes []uint64
	asked  []uint32 // rows that may be new
	split  vector.Split
	fresh  []bool
	keep   []uint32
	out    vector.Batch
}

const (
	// chunksEach is how many chunks of a round there are for each goroutine.
	chunksEach = 4
	// firstChunks is how many the first round has; each has twice as many as the one before.
	firstChunks = 2
	// skimFrom is from how many rows for each new one on rows are looked up before they are split.
	skimFrom = 4
)

// mostChunks is how many chunks a round has: together, two of them take an eighth of what the query may hold, at most.
func (r *distinctRun) mostChunks() int {
	size := r.x.Memory.Limit() / 8 / int64(2*r.x.Tuning.ChunkRows*(8*r.width+20))
	return int(min(int64(chunksEach*r.x.Copies()), size))
}

func newSharedDistinct(r *distinctRun) *sharedDistinct {
	s := &sharedDistinct{run: r, phases: operator.NewPhases(r.x), filling: &distinctRound{}, working: &distinctRound{}, most: firstChunks}
	r.seen.split(r.width, r.x.Ended)
	for range r.mostChunks() {
		s.filling.chunks = append(s.filling.chunks, &distinctChunk{})
		s.working.chunks = append(s.working.chunks, &distinctChunk{})
	}
	return s
}

// add takes rows into the round that is filled.
func (s *sharedDistinct) add(b *vector.Batch) error {
	size := s.run.x.Tuning.ChunkRows
	for from := 0; from < b.N; {
		c := s.filling.open(size, s.most)
		if c == nil {
			if err := s.turn(); err != nil {
				return err
			}
			if s.run.shared == nil {
				return s.run.add(after(b, from))
			}
			continue
		}
		to := min(b.N, from+size-c.rows.N)
		c.rows.Append(b, from, to)
		from = to
	}
	s.phases.Ask()
	return nil
}

// after views the rows of a batch from one on.
func after(b *vector.Batch, row int) *vector.Batch {
	v := &vector.Batch{N: b.N - row}
	for _, col := range b.Cols {
		v.Cols = append(v.Cols, col[row:])
	}
	if b.Weights != nil {
		v.Weights = b.Weights[row:]
	}
	return v
}

// open returns a chunk of fewer than size rows, nil where there is none among the first ones.
func (r *distinctRound) open(size, most int) *distinctChunk {
	if r.used > 0 && r.chunks[r.used-1].rows.N < size {
		return r.chunks[r.used-1]
	}
	if r.used == min(most, len(r.chunks)) {
		return nil
	}
	r.used++
	return r.chunks[r.used-1]
}

// turn waits for the round that is worked on, begins the one that was filled, and emits what is new of the first. Where there is
// no memory for that, the run goes on in its own goroutine.
func (s *sharedDistinct) turn() error {
	if err := s.phases.Finish(); err != nil {
		return err
	}
	if !s.run.held.Hold(s.run.seen.bytes() + 2*s.working.bytes()) {
		return s.leave()
	}
	s.filling, s.working = s.working, s.filling
	s.most = min(2*s.most, len(s.filling.chunks))
	s.begin(s.working.chunks[:s.working.used])
	return s.emit(s.filling)
}

// leave emits what is new of the round that was worked on, and gives the rest back to the run.
func (s *sharedDistinct) leave() error {
	s.run.shared, s.run.sharing = nil, false
	s.phases.Close()
	if err := s.emit(s.working); err != nil {
		return err
	}
	for _, c := range s.filling.chunks[:s.filling.used] {
		if err := s.run.add(&c.rows.Batch); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a round.
func (s *sharedDistinct) begin(chunks []*distinctChunk) {
	skims := s.skims
	split := operator.Phase{Units: len(chunks), Do: func(i int) error { s.split(chunks[i], skims); return nil }}
	tell := operator.Phase{Units: vector.Parts, Do: func(p int) error {
		for _, c := range chunks {
			c.tell(p, s.run.seen.sets[p])
		}
		return nil
	}}
	pick := operator.Phase{Units: len(chunks), Do: func(i int) error { chunks[i].pick(); return nil }}
	if len(chunks) > 0 {
		s.phases.Start(split, tell, pick)
	}
}

// split hashes the rows of a chunk and splits those that may be new: with skims, those that were not seen in earlier rounds.
func (s *sharedDistinct) split(c *distinctChunk, skims bool) {
	c.hashes = vector.HashRows(c.hashes, c.rows.Cols, s.run.key, c.rows.N)
	c.fresh = append(c.fresh[:0], make([]bool, c.rows.N)...)
	if !skims {
		c.split.Set(c.hashes)
		return
	}
	c.asked = c.asked[:0]
	for i, h := range c.hashes {
		if _, _, known := s.run.seen.of(h).Find(c.rows.Cols, i, h); !known {
			c.asked = append(c.asked, uint32(i))
		}
	}
	c.split.SetSome(c.asked, c.hashes)
}

// tell finds the new rows of a part.
func (c *distinctChunk) tell(part int, seen *vector.RowSet) {
	for _, r := range c.split.Part(part) {
		_, c.fresh[r] = seen.Add(c.rows.Cols, int(r), c.hashes[r])
	}
}

// pick copies the new rows.
func (c *distinctChunk) pick() {
	c.keep = c.keep[:0]
	for i, fresh := range c.fresh {
		if fresh {
			c.keep = append(c.keep, uint32(i))
		}
	}
	vector.Select(&c.out, &c.rows.Batch, c.keep)
}

// emit emits the new rows of a round, and empties it.
func (s *sharedDistinct) emit(r *distinctRound) error {
	rows, fresh := 0, 0
	for _, c := range r.chunks[:r.used] {
		rows, fresh = rows+c.rows.N, fresh+c.out.N
		if c.out.N > 0 {
			if err := s.run.emit(&c.out); err != nil {
				return err
			}
		}
		c.rows.Reset()
	}
	if r.used > 0 {
		s.skims = rows >= skimFrom*fresh
	}
	r.used = 0
	return nil
}

// drain emits what is left.
func (s *sharedDistinct) drain() error {
	for s.run.shared != nil && s.filling.used+s.working.used > 0 {
		if err := s.turn(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sharedDistinct) close() { s.phases.Close() }

// bytes is the memory that a round takes.
func (r *distinctRound) bytes() (sum int64) {
	for _, c := range r.chunks {
		sum += c.rows.Bytes() + int64(cap(c.hashes))*8 + int64(cap(c.asked)+cap(c.keep))*4 + c.split.Bytes() + int64(cap(c.fresh)) + vector.Bytes(&c.out)
	}
	return sum
}
