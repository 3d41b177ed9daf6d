package rdfgpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/mine"
)

// Structure is what Mine looks for.
type Structure string

// What can be looked for.
const (
	Triangles        Structure = "triangles"
	Cliques          Structure = "cliques"
	Motifs           Structure = "motifs"
	FrequentPatterns Structure = "frequent"
	Cores            Structure = "cores"
	Trusses          Structure = "trusses"
	Components       Structure = "components"
)

// Structures are all that can be looked for.
var Structures = []Structure{Triangles, Cliques, Motifs, FrequentPatterns, Cores, Trusses, Components}

// ErrMineOptions: the options of Mine do not go together.
var ErrMineOptions = errors.New("cannot be mined so")

// MineOptions say what Mine looks for.
type MineOptions struct {
	MiningOptions
	What Structure
	// Size is of a clique or motif in vertices, of a frequent pattern the most edges; 0 means 3.
	Size int
	// Maximal: cliques of all sizes that are in no larger one.
	Maximal bool
	// Induced: motifs without other edges among their vertices.
	Induced bool
	// Frequent says what patterns are frequent, but for their Edges.
	Frequent mine.FrequentOptions
	// Queries: the report has the query that finds the embeddings of each pattern.
	Queries bool
	// Memory bounds tables and sets, in bytes, beside the graph itself; 0 means 1 GiB.
	Memory int64
	// Device is where triangles, cliques of up to 8 vertices and motifs without classes are counted where edges are the triples of one
	// predicate, which all lead both ways, and none from a resource to itself: as queries are. "" is the store's. With GPU, nothing else
	// is looked for. All else is the processor's.
	Device Device
	// Each, where it is not nil, is given every triangle, clique, or vertex or edge with its number, one at a time and in no order, in
	// place of a count. An error of it ends the search.
	Each func(MinedRow) error
	// Progress, where it is not nil, is told how far the search is, from several goroutines.
	Progress func(MineProgress)
}

// MinedRow is one thing that was found: the vertices of a clique; a vertex and its core; the ends of an edge and its truss; a vertex and
// the one that stands for its component.
type MinedRow struct {
	Vertices []Term // valid during the call
	Number   uint32 // of cores and trusses
}

// Columns names what the rows of a list have, the number last.
func (o MineOptions) Columns() []string {
	switch o.What {
	case Cores:
		return []string{"vertex", "core"}
	case Trusses:
		return []string{"from", "to", "truss"}
	case Components:
		return []string{"vertex", "component"}
	}
	var columns []string
	for i := range o.Size {
		columns = append(columns, fmt.Sprintf("v%d", i+1))
	}
	return columns
}

// Numbered reports whether the rows of a list have a number.
func (o MineOptions) Numbered() bool { return o.What == Cores || o.What == Trusses }

// MineProgress is how far a search is.
type MineProgress struct {
	Unit  string `json:"unit"` // what is counted
	Begun int    `json:"begun"`
	All   int    `json:"all"`
}

// String gives it in one line.
func (p MineProgress) String() string {
	return fmt.Sprintf("mine: %d of %d %s, %d %%", p.Begun, p.All, p.Unit, 100*p.Begun/max(p.All, 1))
}

// Check completes the options, or says what does not go together: ErrMineOptions.
func (o *MineOptions) Check() error {
	o.Size = cmp.Or(o.Size, 3)
	if o.What == Triangles {
		o.Size = 3
	}
	cliques, motifs, frequent := o.What == Cliques, o.What == Motifs, o.What == FrequentPatterns
	f := o.Frequent
	problem := ""
	switch {
	case !slices.Contains(Structures, o.What):
		problem = fmt.Sprintf("%q is none of %s", o.What, o.What.others())
	case frequent && f.Support == 0:
		problem = "frequent patterns need a support, the least that they have"
	case !frequent && (f.Support > 0 || f.Sample != 0 || o.Unlabelled || o.Undirected || o.Bins != 0 || o.Bounds != nil || f.Measure != "" && f.Measure != mine.MinimumImages):
		problem = "support, measure, sample, no classes, undirected, bins and bounds are for frequent patterns"
	case o.checkBins() != "":
		problem = o.checkBins()
	case f.Sample < 0, f.Sample > 0 && f.Measure == mine.Instances:
		problem = "a sample is a number of vertices, for the measure mni"
	case o.Unlabelled && len(o.Classes) > 0:
		problem = "classes, and none of them, say the opposite of each other"
	case o.Maximal && !cliques:
		problem = "maximal is for cliques"
	case o.Induced && !motifs, len(o.Classes) > 0 && !motifs && !frequent:
		problem = "induced is for motifs, classes are for motifs and frequent patterns"
	case o.Each != nil && (motifs || frequent):
		problem = fmt.Sprintf("%s are counted, not listed: the query of a pattern lists its embeddings", o.What)
	case o.Queries && (o.Each != nil || o.Maximal || !cliques && !motifs && !frequent && o.What != Triangles):
		problem = "queries are for triangles, cliques of one size, motifs and frequent patterns"
	case o.Device != "" && o.Device != Auto && o.Device != CPU && o.Device != GPU:
		problem = fmt.Sprintf("%q is no device: expected auto, cpu or gpu", o.Device)
	case o.Device == GPU && !o.counts():
		problem = fmt.Sprintf("the GPU counts triangles, cliques of one size up to %d, and motifs without classes", mine.MaxPattern)
	case o.Queries && cliques && o.Size > mine.MaxPattern:
		problem = fmt.Sprintf("queries are for up to %d vertices", mine.MaxPattern)
	default:
		return nil
	}
	return fmt.Errorf("%w: %s", ErrMineOptions, problem)
}

// others lists what there is.
func (Structure) others() string {
	var names []string
	for _, s := range Structures {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// Mine looks for structures in what is committed now, and reports them, or hands them to Each one by one. The error is
// one of Mining, or wraps ErrMineOptions, mine.ErrSize, mine.ErrMeasure, mine.ErrCount, mine.ErrMemory or the cause of ctx.
func (s *Store) Mine(ctx context.Context, options MineOptions) (MineReport, error) {
	return s.mine(ctx, nil, options)
}

// mine is Mine in a snapshot of the caller's; nil: in what is committed now.
func (s *Store) mine(ctx context.Context, snapshot *live.Snapshot, options MineOptions) (MineReport, error) {
	began := time.Now()
	if err := options.Check(); err != nil {
		return MineReport{}, err
	}
	m := &miner{ctx: ctx, snapshot: snapshot, MineOptions: options, report: MineReport{What: options.What}}
	var err error
	if options.What == FrequentPatterns {
		err = m.labelled(s)
	} else {
		err = m.plain(s)
	}
	m.report.Elapsed = time.Since(began)
	return m.report, err
}

// miner is one call of Mine.
type miner struct {
	MineOptions
	ctx      context.Context
	snapshot *live.Snapshot
	graph    *Mining
	report   MineReport
	each     sync.Mutex
}

// settings are the options for package mine.
func (m *miner) settings(o *mine.Options, unit string) {
	o.Memory = m.Memory
	if m.Progress != nil {
		o.Progress = func(begun, all int) { m.Progress(MineProgress{unit, begun, all}) }
	}
}

// plain looks for everything but frequent patterns.
func (m *miner) plain(s *Store) (err error) {
	if m.counts() {
		if done, err := m.counted(s); done || err != nil {
			return err
		}
	}
	if m.graph, err = s.mining(m.ctx, m.snapshot, m.MiningOptions); err != nil {
		return err
	}
	defer m.graph.Close()
	m.settings(&m.graph.Options, "vertices")
	m.report.of(&m.graph.Mined, m.graph.Len(), m.graph.Edges())
	switch m.What {
	case Motifs:
		return m.motifs()
	case Cores:
		return m.cores()
	case Trusses:
		return m.trusses()
	case Components:
		return m.components()
	}
	return m.cliques()
}

func (m *miner) cliques() error {
	switch {
	case m.Maximal:
		return m.maximal()
	case m.Each != nil:
		return mine.EachClique(m.ctx, m.graph.Graph, m.Size, m.graph.Options, m.row)
	}
	n, err := mine.Cliques(m.ctx, m.graph.Graph, m.Size, m.graph.Options)
	m.cliquesFound(n)
	return err
}

func (m *miner) cliquesFound(n uint64) {
	m.report.Count = n
	if m.Size <= mine.MaxPattern {
		m.pattern(mine.Support{Pattern: mine.Clique(m.Size), Count: n})
	}
}

// row hands a set of vertices on, from a worker, which lets others have the processor while somebody else is at it.
func (m *miner) row(vertices []mine.Vertex) error {
	terms := make([]Term, len(vertices))
	for i, v := range vertices {
		terms[i] = m.graph.Term(v)
	}
	workers := m.graph.Options.Workers
	workers.Lock(&m.each)
	defer m.each.Unlock()
	workers.Leave() // who takes the rows may be slow
	defer workers.Enter()
	return m.Each(MinedRow{Vertices: terms})
}

func (m *miner) maximal() error {
	sizes := newDistribution()
	err := mine.EachMaximalClique(m.ctx, m.graph.Graph, m.graph.Options, func(vertices []mine.Vertex) error {
		if m.Each != nil {
			return m.row(vertices)
		}
		sizes.add(uint64(len(vertices)))
		return nil
	})
	m.report.Count, m.report.By = sizes.list()
	return err
}

func (m *miner) motifs() error {
	options := mine.MotifOptions{Induced: m.Induced, Labels: len(m.Classes) > 0}
	supports, err := mine.Motifs(m.ctx, m.graph.Graph, m.Size, options, m.graph.Options)
	m.patterns(supports)
	return err
}

func (m *miner) patterns(supports []mine.Support) {
	for _, s := range supports {
		m.report.Count += s.Count
		m.pattern(s)
	}
}

// pattern reports one that was found.
func (m *miner) pattern(s mine.Support) {
	found := MinedPattern{
		Name: s.Pattern.Name(), Pattern: s.Pattern.String(), Edges: s.Pattern.EdgeCount(), Count: s.Count, Automorphisms: s.Pattern.Automorphisms(),
	}
	found.Classes = classesOf(s.Pattern.Labels[:s.Pattern.Size], m.Classes)
	for i := range s.Pattern.Size {
		for j := range i {
			if s.Pattern.HasEdge(i, j) {
				found.Arcs = append(found.Arcs, MinedArc{From: j, To: i})
			}
		}
	}
	if m.Queries && len(m.report.Predicates) > 0 {
		predicates := m.report.Predicates
		if len(m.MiningOptions.Edges) == 0 {
			predicates = nil // all, without a list of them
		}
		found.SPARQL = s.Pattern.Query(predicates, m.Classes, m.Induced)
	}
	m.report.Patterns = append(m.report.Patterns, found)
}

// classesOf names labels, "" for none; nil where there are no classes.
func classesOf(labels []mine.Label, classes []string) (names []string) {
	if len(classes) == 0 {
		return nil
	}
	for _, label := range labels {
		name := ""
		if label != mine.NoLabel && int(label) <= len(classes) {
			name = classes[label-1]
		}
		names = append(names, name)
	}
	return names
}

// valuesOf are the conditions of vertices that stand for values, "" for resources; nil where there are no values.
func valuesOf(labels []mine.Label, names mine.Names) (values []string) {
	if len(names.Values) == 0 {
		return nil
	}
	for i, label := range labels {
		value := ""
		if at := int(label) - len(names.Classes) - 1; at >= 0 {
			value = names.Values[at](fmt.Sprintf("?%c", 'a'+i))
		}
		values = append(values, value)
	}
	return values
}

func (m *miner) cores() error {
	cores, err := mine.Cores(m.ctx, m.graph.Graph)
	return m.numbers(err, len(cores), func(v int) MinedRow {
		return MinedRow{[]Term{m.graph.Term(mine.Vertex(v))}, cores[v]}
	}, func(v int) uint32 { return cores[v] })
}

func (m *miner) trusses() error {
	edges, err := mine.Trusses(m.ctx, m.graph.Graph)
	return m.numbers(err, len(edges), func(i int) MinedRow {
		return MinedRow{[]Term{m.graph.Term(edges[i].From), m.graph.Term(edges[i].To)}, edges[i].Truss}
	}, func(i int) uint32 { return edges[i].Truss })
}

// numbers lists things with their numbers, or counts them by number.
func (m *miner) numbers(err error, things int, row func(int) MinedRow, number func(int) uint32) error {
	by := newDistribution()
	for i := 0; i < things && err == nil; i++ {
		if by.add(uint64(number(i))); m.Each != nil {
			err = m.Each(row(i))
		}
	}
	m.report.Count, m.report.By = by.list()
	return err
}

// components counts by size.
func (m *miner) components() error {
	components, err := mine.Components(m.ctx, m.graph.Graph)
	sizes := make([]uint64, len(components))
	for v, component := range components {
		if sizes[component]++; m.Each != nil && err == nil {
			err = m.Each(MinedRow{Vertices: []Term{m.graph.Term(mine.Vertex(v)), m.graph.Term(component)}})
		}
	}
	by := newDistribution()
	for _, size := range sizes {
		if size > 0 {
			by.add(size)
		}
	}
	m.report.Count, m.report.By = by.list()
	return err
}

// labelled looks for frequent patterns.
func (m *miner) labelled(s *Store) error {
	graph, err := s.miningLabelled(m.ctx, m.snapshot, m.MiningOptions)
	if err != nil {
		return err
	}
	defer graph.Close()
	m.settings(&graph.Options, "patterns of one size")
	m.report.of(&graph.Mined, graph.Len(), graph.Labelled.Edges())
	m.report.Classes = graph.Classes
	frequent := m.Frequent
	frequent.Edges = m.Size
	m.report.Measure = string(cmp.Or(frequent.Measure, mine.MinimumImages))
	found, err := mine.Frequent(m.ctx, graph.Labelled, frequent, graph.Options)
	asked, short := graph.Names()
	full := mine.Names{Predicates: inBrackets(asked.Predicates), Classes: inBrackets(asked.Classes), Values: asked.Values}
	for _, f := range found {
		p := MinedPattern{
			Pattern: f.Pattern.Triples(full, graph.Directed()), Brief: f.Pattern.Triples(short, graph.Directed()), Edges: len(f.Pattern.Arcs),
			Support: f.Support, Error: f.Error, Automorphisms: f.Automorphisms, Classes: classesOf(f.Pattern.Labels, graph.Classes),
			Values: valuesOf(f.Pattern.Labels, asked),
		}
		for _, a := range f.Pattern.Arcs {
			p.Arcs = append(p.Arcs, MinedArc{a.From, a.To, graph.Predicates[a.Predicate]})
		}
		if len(graph.Classes) > 0 {
			p.Classless = classless(f.Pattern)
		}
		if m.Queries {
			p.SPARQL = f.Pattern.Query(asked, graph.Directed())
		}
		m.report.Patterns = append(m.report.Patterns, p)
	}
	m.report.Count = uint64(len(found))
	return err
}

// classless lists the vertices of a pattern that have no label.
func classless(p mine.LabelledPattern) (variables []string) {
	for i, label := range p.Labels {
		if label == mine.NoLabel {
			variables = append(variables, fmt.Sprintf("?%c", 'a'+i))
		}
	}
	return variables
}

// distribution counts how often each number occurs. It is safe for concurrent use.
type distribution struct {
	mu     sync.Mutex
	counts map[uint64]uint64
}

func newDistribution() *distribution { return &distribution{counts: map[uint64]uint64{}} }

func (d *distribution) add(value uint64) {
	d.mu.Lock()
	d.counts[value]++
	d.mu.Unlock()
}

// list is the sum of the counts, and these by ascending number.
func (d *distribution) list() (sum uint64, by []MinedNumber) {
	for _, value := range slices.Sorted(maps.Keys(d.counts)) {
		by = append(by, MinedNumber{value, d.counts[value]})
		sum += d.counts[value]
	}
	return sum, by
}
