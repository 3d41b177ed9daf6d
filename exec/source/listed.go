package source

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// listSearch finds the solutions of a pattern in graphs that are lists of triples, and emits those of many graphs together: what a plan, a matcher and a batch cost for each
// graph is more than all of its triples.
type listSearch struct {
	listFinder
	x    *operator.Execution
	emit func(*vector.Batch) error
	// values are those of the variables, None where they are not bound; own is the slot of the graph's name, -1 where it has none, and out are those of the output's columns,
	// -1 standing for the name.
	values []dictionary.ID
	own    int
	out    []int

	name    dictionary.ID
	triples []pcsr.Edge
	row     uint32 // of the seed
	weight  uint64 // of the rows that are found next
	counted []bool // by step: its triples are only counted; nil where rows have no weights
	batch   vector.Batch
	looked  int // at so many triples since it was asked whether the query has ended
}

// lookAgain is after how many triples it is asked whether the query has ended.
const lookAgain = 1 << 14

func (g *EachGraph) newSearch(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) *listSearch {
	s := &listSearch{listFinder: g.newFinder(seed), x: x, emit: emit, own: slices.Index(g.Search.Variables, g.Variable)}
	s.values = make([]dictionary.ID, len(s.Variables))
	for _, v := range g.Out {
		slot := slices.Index(s.Variables, v)
		if v == g.Variable {
			slot = -1
		}
		s.out = append(s.out, slot)
	}
	s.batch.Cols = make([][]dictionary.ID, len(s.out))
	if s.weight = 1; g.Weighted {
		s.counted = s.Counted(g.Out, g.Variable)
	}
	return s
}

// graph searches a graph, for some rows of the seed (nil: all).
func (s *listSearch) graph(name dictionary.ID, triples []pcsr.Edge, rows []uint32) error {
	s.name, s.triples = name, triples
	if s.looked += 1 + len(triples)/16; s.looked >= lookAgain {
		if err := s.look(); err != nil {
			return err
		}
	}
	if s.seed == nil {
		return s.solve()
	}
	n := len(rows)
	if rows == nil {
		n = s.seed.N
	}
	for i := range n {
		if s.row = uint32(i); rows != nil {
			s.row = rows[i]
		}
		if err := s.solve(); err != nil {
			return err
		}
	}
	return nil
}

// solve finds the solutions for one row of the seed.
func (s *listSearch) solve() error {
	for i := range s.values {
		s.values[i] = dictionary.None
	}
	for i, slot := range s.Given {
		v := s.seed.Cols[s.from[i]][s.row]
		if of := s.OneOf[slot]; of != nil && v != dictionary.None && !slices.Contains(of, v) {
			return nil
		}
		s.values[slot] = v
	}
	if s.own >= 0 {
		if v := s.values[s.own]; v != dictionary.None && v != s.name {
			return nil
		}
		s.values[s.own] = s.name
	}
	return s.step(0)
}

// step goes on with the triple patterns from one on.
func (s *listSearch) step(k int) error {
	if k == len(s.Steps) {
		return s.add()
	}
	t, counted, n := &s.Steps[k], s.counted != nil && s.counted[k], uint64(0)
	subject, predicate, object := s.value(t.Subject), s.value(t.Predicate), s.value(t.Object)
	triples := s.triples
	if predicate != dictionary.None {
		triples = triples[below(triples, predicate, subject):]
	}
	for _, e := range triples {
		if predicate != dictionary.None && e.Label != predicate {
			break
		}
		if s.looked++; s.looked >= lookAgain {
			if err := s.look(); err != nil {
				return err
			}
		}
		if subject != dictionary.None && e.From != subject {
			if predicate != dictionary.None {
				break
			}
			continue
		}
		if object != dictionary.None && e.To != object {
			continue
		}
		if s.bind(t.Subject, e.From) && s.bind(t.Predicate, e.Label) && s.bind(t.Object, e.To) {
			if counted {
				n++
			} else if err := s.step(k + 1); err != nil {
				return err
			}
		}
		s.unbind(t.Subject, subject)
		s.unbind(t.Predicate, predicate)
		s.unbind(t.Object, object)
	}
	if n == 0 {
		return nil
	}
	before := s.weight
	high, weight := bits.Mul64(before, n)
	if high > 0 {
		return vector.ErrTooMany
	}
	s.weight = weight
	err := s.step(k + 1)
	s.weight = before
	return err
}

// below is the place of the first triple of a predicate, and of a subject unless it is None.
func below(triples []pcsr.Edge, predicate, subject dictionary.ID) int {
	if subject == dictionary.None {
		subject = 0
	}
	return sort.Search(len(triples), func(i int) bool {
		return cmp.Or(cmp.Compare(triples[i].Label, predicate), cmp.Compare(triples[i].From, subject)) >= 0
	})
}

// value is that of a term, None where it is not known.
func (s *listSearch) value(t planner.ListTerm) dictionary.ID {
	if t.Slot < 0 {
		return t.ID
	}
	return s.values[t.Slot]
}

// bind gives a variable a value, unless it has another.
func (s *listSearch) bind(t planner.ListTerm, id dictionary.ID) bool {
	if t.Slot < 0 {
		return true
	}
	if s.values[t.Slot] == dictionary.None {
		if of := s.OneOf[t.Slot]; of != nil && !slices.Contains(of, id) {
			return false
		}
		s.values[t.Slot] = id
	}
	return s.values[t.Slot] == id
}

// unbind gives a variable the value that it had.
func (s *listSearch) unbind(t planner.ListTerm, id dictionary.ID) {
	if t.Slot >= 0 {
		s.values[t.Slot] = id
	}
}

// add adds a solution.
func (s *listSearch) add() error {
	for i, slot := range s.out {
		id := s.name
		if slot >= 0 {
			id = s.values[slot]
		}
		s.batch.Cols[i] = append(s.batch.Cols[i], id)
	}
	if s.seed != nil {
		s.batch.Origin = append(s.batch.Origin, s.row)
	}
	if s.counted != nil {
		s.batch.Weights = append(s.batch.Weights, s.weight)
	}
	if s.batch.N++; s.batch.N < vector.BatchRows {
		return nil
	}
	return s.flush()
}

// flush emits the solutions that are there.
func (s *listSearch) flush() error { return emitKept(&s.batch, s.emit) }

// look asks whether the query has ended.
func (s *listSearch) look() error {
	s.looked = 0
	return s.x.Ended()
}
