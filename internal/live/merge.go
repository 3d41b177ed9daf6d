package live

import (
	"context"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// merge is the commit of an intake under way. What takes long, it does before its turn to write: files of the documents are staged over a
// state of then. In its turn it does to them what was committed meanwhile, which comes before the documents: what that removed is there all
// the same where a document has it, and what it did to a graph that is replaced is of no account.
type merge struct {
	*Intake
	replace bool
	// from is the state that the files were written over, base the same with all terms, and without the graph that is replaced: this is
	// replaced, nil where it had no triples.
	from     *Snapshot
	base     *State
	replaced *pcsr.Graph
	// fresh is base and the documents, state the same with what was committed since; nil where nothing was staged.
	fresh, state *State
	// common is how many triples the graph that is replaced shares with what replaces it.
	common uint64

	tx     *Transaction
	report Report
}

// stage writes the files.
func (m *merge) stage(ctx context.Context) error {
	if err := m.begin(ctx); err != nil {
		return err
	}
	staged, err := m.read.Stage(ctx, m.store.lock, m.base, m.replaced, !m.replace)
	if err != nil || staged == nil {
		return err
	}
	files, err := store.OpenStaged(m.store.dir, staged)
	if err != nil {
		return err
	}
	m.fresh = (&ground{files: files, tail: dictionary.NewTail(files.Dictionary), holders: 1}).first()
	m.state = m.fresh
	if m.replaced != nil {
		g, err := m.fresh.graphOf(m.graph)
		if err != nil {
			return err
		}
		if g != nil {
			m.common = commonEdges(m.replaced, m.base.translation(m.fresh), g)
		}
	}
	return m.follow(ctx)
}

// begin finds the state that the files are written over.
func (m *merge) begin(ctx context.Context) error {
	t, err := m.store.Begin(ctx)
	if err != nil {
		return err
	}
	defer t.Abort()
	m.store.mu.Lock()
	m.from = m.store.hold(t.state)
	m.store.mu.Unlock()
	m.base = t.state.next().ready()
	name, known := m.base.lookup(m.graph)
	if !m.replace || !known {
		return nil
	}
	g, err := m.base.Graph(name)
	if err != nil || g.Edges() == 0 {
		return err
	}
	m.replaced, m.base = g, m.base.without(name)
	return nil
}

// release lets go of the state that the files were written over.
func (m *merge) release() {
	if m.from != nil {
		m.from.Release()
	}
}

// drop ends a merge whose turn has not come.
func (m *merge) drop() {
	(&Transaction{store: m.store, eras: m.eras(), state: m.state}).endFiles()
	m.store.maintenance.give()
	m.store.wake()
}

// takeOver makes the files those of the transaction.
func (m *merge) takeOver() {
	m.tx.files = true
	if m.state != nil {
		m.tx.eras, m.tx.state = m.eras(), m.state
	}
}

// eras are one where files were staged, in which nothing was touched.
func (m *merge) eras() []era {
	if m.state == nil {
		return nil
	}
	return []era{{state: m.base}}
}

// run commits in the transaction's turn.
func (m *merge) run(ctx context.Context) (err error) {
	began := m.tx.began.State
	m.report.Sequence = began.sequence
	var graphs []GraphReport
	if m.state == nil {
		graphs, err = m.amend(ctx)
	} else if err = m.follow(ctx); err == nil {
		m.tx.state = m.state
		graphs, err = m.count(began)
	}
	if err != nil || len(graphs) == 0 {
		return err
	}
	report, err := m.tx.flush(ctx, graphs)
	if err == nil {
		m.report = report
	}
	return err
}

// committed are the commits since a state, whose terms get IDs of another one's ground.
func (m *merge) committed(ctx context.Context, since, by *State) (*batch, error) {
	b := newBatch(by)
	b.sequence = since.sequence
	for record, err := range m.store.log.Read(since.sequence + 1) {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			err = b.gather(record)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// follow does what was committed since to the state.
func (m *merge) follow(ctx context.Context) error {
	b, err := m.committed(ctx, m.state, m.state)
	if err != nil || b.sequence == m.state.sequence {
		return err
	}
	kept, err := m.kept(ctx, b, m.state)
	if err != nil {
		return err
	}
	next := m.state.next()
	for name, edges := range b.graphs {
		g, err := m.state.Graph(name)
		if err != nil {
			return err
		}
		if m.isReplaced(next, name) {
			m.countCommon(edges, g)
			continue
		}
		var added, removed []pcsr.Edge
		for e, f := range edges.all() {
			switch is := has(g, e); {
			case !is && !f.lastGone:
				added = append(added, e)
			case is && f.lastGone && !kept[quadOf(name, e)]:
				removed = append(removed, e)
			}
		}
		next.put(name, g.Change(next.dictionary.Len(), added, removed))
	}
	next.sequence = b.sequence
	m.state = next.ready()
	return nil
}

// isReplaced reports whether a graph of a state is the one that the documents replace.
func (m *merge) isReplaced(s *State, name dictionary.ID) bool {
	return m.replace && s.term(name) == m.graph
}

// countCommon follows what became of the graph that is replaced.
func (m *merge) countCommon(edges *fates, by *pcsr.Graph) {
	for e, f := range edges.all() {
		switch {
		case f.firstGone != f.lastGone || !has(by, e):
		case f.lastGone:
			m.common--
		default:
			m.common++
		}
	}
}

func quadOf(name dictionary.ID, e pcsr.Edge) Quad { return Quad{name, e.From, e.Label, e.To} }

// kept are those of the edges which were removed, and were there when the files were written or the documents have brought, that the documents have. Their IDs
// are those of a state.
func (m *merge) kept(ctx context.Context, b *batch, by *State) (map[Quad]bool, error) {
	kept := map[Quad]bool{}
	if m.replace {
		return kept, nil
	}
	wanted, quads := map[loader.Triple]bool{}, map[loader.Triple]Quad{}
	toBase := by.translation(m.base)
	for name, edges := range b.graphs {
		before, err := m.base.graphOf(by.term(name))
		if err != nil {
			return nil, err
		}
		brought, err := m.brought(by.term(name))
		if err != nil {
			return nil, err
		}
		for e, f := range edges.all() {
			if !f.lastGone {
				continue
			}
			old, known := translated(e, toBase)
			switch {
			case known && has(before, old):
				t := loader.Triple{Graph: toBase(name), Subject: old.From, Predicate: old.Label, Object: old.To}
				wanted[t], quads[t] = true, quadOf(name, e)
			case has(brought, e): // by IDs of the files, or by none of theirs
				kept[quadOf(name, e)] = true
			}
		}
	}
	met, err := m.read.Met(ctx, wanted)
	for t := range met {
		kept[quads[t]] = true
	}
	return kept, err
}

// brought is a graph of the files alone; nil where there is none, and where nothing was staged.
func (m *merge) brought(graph rdf.Term) (*pcsr.Graph, error) {
	if m.fresh == nil {
		return nil, nil
	}
	return m.fresh.graphOf(graph)
}

// amend does what is left where the documents had nothing that was not there: to undo what was committed since.
func (m *merge) amend(ctx context.Context) ([]GraphReport, error) {
	b, err := m.committed(ctx, m.base, m.tx.state)
	if err != nil {
		return nil, err
	}
	kept, err := m.kept(ctx, b, m.tx.state)
	if err != nil {
		return nil, err
	}
	var add, remove []Quad
	for name, edges := range b.graphs {
		replaced := m.isReplaced(m.tx.state, name)
		for e, f := range edges.all() {
			switch q := quadOf(name, e); {
			case kept[q], replaced && f.firstGone && f.lastGone:
				add = append(add, q)
			case replaced && !f.firstGone && !f.lastGone:
				remove = append(remove, q)
			}
		}
	}
	if err := m.tx.Apply(remove, add); err != nil {
		return nil, err
	}
	return m.tx.count()
}

// count finds out how many triples came and went.
func (m *merge) count(before *State) (graphs []GraphReport, err error) {
	after := m.state
	if m.replace {
		was, err := before.graphOf(m.graph)
		if err != nil {
			return nil, err
		}
		is, err := after.graphOf(m.graph)
		if err != nil {
			return nil, err
		}
		return changed(nil, m.graph, edgesOf(is)-m.common, edgesOf(was)-m.common), nil
	}
	was, is := before.counts(), after.counts()
	for _, name := range slices.Sorted(maps.Keys(is)) {
		graph, added := after.term(name), is[name]
		if old, known := before.lookup(graph); known {
			added -= was[old]
		}
		graphs = changed(graphs, graph, added, 0)
	}
	return graphs, nil
}

// changed appends what changed in a graph, where something did.
func changed(graphs []GraphReport, graph rdf.Term, added, removed uint64) []GraphReport {
	if added+removed == 0 {
		return graphs
	}
	return append(graphs, GraphReport{graph, added, removed})
}
