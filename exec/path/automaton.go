package path

import "github.com/rdfgpu/rdfgpu/pcsr"

// automaton is a path with closures inside as a machine: walks lead through pairs of a state and a vertex, so that a
// search looks at each pair once, however the closures are nested. Searching the inner closure of (p/q*)* from each
// vertex anew would walk the same edges once for each.
type automaton struct {
	states [][]transition
	row    int // how many predicates in a row a transition may walk
}

// The first states of every automaton: where walks of the path begin and end.
const (
	beginState = iota
	endState
)

// transition leads to another state by a step without closures inside, or by none where step is nil.
type transition struct {
	step Step
	dir  pcsr.Direction
	to   int
}

// mostInRow is how many predicates in a row a step may have that is walked as one, unless few vertices have most of its walks (repeats).
const mostInRow = 2

// nested reports whether a step has a closure inside, or more than so many steps in a row: walking them without remembering what was
// seen in between may take the same edges again and again, once for each walk.
func nested(s Step, row int) bool {
	switch s := s.(type) {
	case *closureStep:
		return true
	case *inverseStep:
		return nested(s.of, row)
	case *sequenceStep:
		return nested(s.left, row) || nested(s.right, row) || inRow(s) > row
	case *alternativeStep:
		return nested(s.left, row) || nested(s.right, row)
	}
	return false
}

// inRow is how many predicates a step without closures walks in a row, at most.
func inRow(s Step) int {
	switch s := s.(type) {
	case *inverseStep:
		return inRow(s.of)
	case *sequenceStep:
		return inRow(s.left) + inRow(s.right)
	case *alternativeStep:
		return max(inRow(s.left), inRow(s.right))
	}
	return 1
}

// newAutomaton is the machine of walks of one step in a direction, of which a transition walks so many predicates in a row at most.
func newAutomaton(s Step, d pcsr.Direction, row int) *automaton {
	a := &automaton{states: make([][]transition, 2), row: row}
	a.add(s, d, beginState, endState)
	return a
}

func (a *automaton) state() int {
	a.states = append(a.states, nil)
	return len(a.states) - 1
}

func (a *automaton) connect(from int, t transition) {
	a.states[from] = append(a.states[from], t)
}

// add lets walks of a step lead from one state to another.
func (a *automaton) add(s Step, d pcsr.Direction, from, to int) {
	if !nested(s, a.row) {
		a.connect(from, transition{s, d, to})
		return
	}
	switch s := s.(type) {
	case *inverseStep:
		a.add(s.of, d.Reverse(), from, to)
	case *sequenceStep:
		first, second := s.left, s.right
		if d == pcsr.In {
			first, second = second, first
		}
		middle := a.state()
		a.add(first, d, from, middle)
		a.add(second, d, middle, to)
	case *alternativeStep:
		a.add(s.left, d, from, to)
		a.add(s.right, d, from, to)
	case *closureStep:
		a.addClosure(s, d, from, to)
	}
}

// addClosure adds a repetition. One of more steps gets states of its own, so that the loop takes no walks that only pass
// from or to; its step is added once.
func (a *automaton) addClosure(s *closureStep, d pcsr.Direction, from, to int) {
	if s.zero {
		a.connect(from, transition{to: to})
	}
	if !s.more {
		a.add(s.step, d, from, to)
		return
	}
	first, last := a.state(), a.state()
	a.connect(from, transition{to: first})
	a.add(s.step, d, first, last)
	a.connect(last, transition{to: first})
	a.connect(last, transition{to: to})
}

// node is a vertex that a walk reaches in a state of an automaton.
type node struct {
	state  int32
	vertex pcsr.Vertex
}

// The nodes of a machine lie in pieces of nodePiece: millions of them, in one list, would be copied as it grows, and take twice
// their memory meanwhile. What a machine takes is counted after each growth of countedGrowth bytes.
const (
	nodePiece     = 1 << 13
	nodeBytes     = 8
	countedGrowth = 1 << 20
)

// machine is an automaton in use: the pairs that one search has seen, in the order in which they are gone on from.
type machine struct {
	*automaton
	step  Step
	dir   pcsr.Direction
	seen  [][]uint64 // a bitmap of vertices for each state
	nodes []*[nodePiece]node
	count int // of nodes
	// size is what seen and nodes take, in bytes; grown how much of it has not been counted.
	size, grown int64
}

// bytes is what the machine takes.
func (m *machine) bytes() int64 { return m.size }

// grows notes that the machine takes more.
func (m *machine) grows(bytes int64) { m.size, m.grown = m.size+bytes, m.grown+bytes }

// begin readies the machine for a new start.
func (m *machine) begin() {
	for i := range m.count {
		n := m.node(i)
		m.seen[n.state][n.vertex>>6] = 0
	}
	m.count = 0
}

func (m *machine) node(i int) node { return m.nodes[i/nodePiece][i%nodePiece] }

// visit adds a pair that was not seen before.
func (m *machine) visit(state int, v pcsr.Vertex, vertices int) {
	if m.seen == nil {
		m.seen = make([][]uint64, len(m.states))
	}
	if m.seen[state] == nil {
		m.seen[state] = borrowBitmap((vertices + 63) / 64)
		m.grows(int64(len(m.seen[state])) * 8)
	}
	word, bit := &m.seen[state][v>>6], uint64(1)<<(v&63)
	if *word&bit == 0 {
		*word |= bit
		m.add(node{int32(state), v})
	}
}

func (m *machine) add(n node) {
	if m.count == len(m.nodes)*nodePiece {
		m.nodes = append(m.nodes, pieces.Get().(*[nodePiece]node))
		m.grows(nodePiece * nodeBytes)
	}
	m.nodes[m.count/nodePiece][m.count%nodePiece] = n
	m.count++
}

// walk reports every vertex that walks of the machine (more: of one or more, in a row) from v end at, as
// Search.Closure does.
func (s *Search) walk(m *machine, v pcsr.Vertex, more bool, report func(pcsr.Vertex) error) error {
	vertices := s.graph.Vertices()
	m.begin()
	m.visit(beginState, v, vertices)
	for i := 0; i < m.count; i++ {
		if err := s.reads(1); err != nil {
			return err
		}
		if m.grown >= countedGrowth {
			m.grown = 0
			if err := s.held.Need(s.Bytes()); err != nil {
				return err
			}
		}
		n := m.node(i)
		if n.state == endState {
			if s.mark(n.vertex) {
				if err := report(n.vertex); err != nil {
					return err
				}
			}
			if more {
				m.visit(beginState, n.vertex, vertices)
			}
			continue
		}
		for _, t := range m.states[n.state] {
			if t.step == nil {
				m.visit(t.to, n.vertex, vertices)
				continue
			}
			err := t.step.neighbours(s, n.vertex, t.dir, func(w pcsr.Vertex) error {
				m.visit(t.to, w, vertices)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// ask finds how closures of a step are searched.
func (s *Search) ask(step Step, d pcsr.Direction) {
	if s.asked && s.step == step && s.dir == d { // searches from many vertices ask for the same one
		return
	}
	s.asked, s.step, s.dir = true, step, d
	s.machine, s.levels = s.machineOf(step, d), nil
	if s.list != nil { // of few edges
		return
	}
	if hops, ok := hopsOf(nil, step, s.graph, d); ok {
		s.levels = newLevels(s, hops)
	}
}

// machineOf returns the machine of a step with closures inside, or one of which walks repeat, made when it is first asked for; nil for other steps.
func (s *Search) machineOf(step Step, d pcsr.Direction) *machine {
	row := mostInRow
	if !nested(step, row) {
		if row = 1; s.list != nil || !nested(step, row) || !s.repeats(step, d) {
			return nil
		}
	}
	for _, m := range s.machines {
		if m.step == step && m.dir == d {
			return m
		}
	}
	m := &machine{automaton: newAutomaton(step, d, row), step: step, dir: d}
	s.machines = append(s.machines, m)
	return m
}
