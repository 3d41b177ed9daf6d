package bgp

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// estimates are what vertex orders are compared by. A partial match of a set S of query vertices is
// expected domain(v) times for each v in S, times the selectivity of every edge inside S: the estimate for S does not
// depend on the order in which S was bound.
type estimates struct {
	*bgp
	// domain is how many data vertices pass what the patterns ask of a query vertex alone.
	domain []float64
	// source is the length of the shortest list that holds the domain.
	source []float64
	// lists are the sorted lists known before the match that a query vertex must lie in.
	lists [][][]pcsr.Vertex
	// interval bounds the data vertices of a query vertex: interval[v].Low ≤ id < interval[v].High.
	interval []Range
	// candidates are the sets that the caller pushed down; nil where there is none.
	candidates [][]dictionary.ID
	// byVertex lists the patterns that mention a vertex, without those that only narrow its domain.
	byVertex [][]int
	edges    []edgeEstimate
	// scratch holds the sides of the vertex that is sampled.
	scratch []side
	// apart keeps what was found of pairs of query vertices: 1 that they are disjoint, -1 that they may not be.
	apart []int8
}

// edgeEstimate holds what is estimated for one pattern.
type edgeEstimate struct {
	// selectivity is the share of pairs (from, to) of the two domains that the pattern links; with a predicate
	// variable, the share of triples (from, label, to).
	selectivity float64
	// fromLabel and toLabel are the shares of (from, label) and (to, label) that some triple links.
	fromLabel, toLabel float64
	// length is the mean length of the list N(from, label, Out), and of N(to, label, In).
	length [2]float64
}

// samples is how many members of a domain are looked at in a first estimate; a second one, for queries that are expensive
// enough, tries one for each samplePrice candidates, up to deepSamples.
const (
	samples     = 24
	deepSamples = 400
)

func (b *bgp) estimate(inputs []int, sampleSize int) *estimates {
	n := len(b.query.Vertices)
	e := &estimates{
		bgp: b, domain: make([]float64, n), source: make([]float64, n), lists: make([][][]pcsr.Vertex, n),
		interval: make([]Range, n), candidates: make([][]dictionary.ID, n), byVertex: make([][]int, n),
		edges: make([]edgeEstimate, len(b.patterns)),
	}
	few := make([]int, n*fewPatterns)
	for v := range e.byVertex {
		e.byVertex[v] = few[v*fewPatterns : v*fewPatterns : (v+1)*fewPatterns]
	}
	for i := range b.patterns {
		e.file(i)
	}
	for v := range b.query.Vertices {
		if b.query.Vertices[v].Variable == "" {
			continue
		}
		if !slices.Contains(inputs, v) {
			e.pushDown(v)
		}
	}
	for v := range b.query.Vertices {
		if b.query.Vertices[v].Variable != "" {
			sides := e.sides(v)
			if e.narrow(v, sides); b.reason != "" || b.over() {
				return e
			}
			e.sampleDomain(v, sides, sampleSize)
		}
	}
	for i := range b.patterns {
		if b.over() {
			break
		}
		e.estimateEdge(i)
	}
	return e
}

// fewPatterns is how many patterns most vertices stand in.
const fewPatterns = 4

// file notes the pattern with the vertices that it mentions.
func (e *estimates) file(i int) {
	p := &e.patterns[i]
	if list, ok := e.constantList(p); ok {
		v := max(p.from.vertex, p.to.vertex)
		e.lists[v] = append(e.lists[v], list)
		return
	}
	for k, r := range [3]ref{p.from, p.label, p.to} {
		known := !r.isConstant() && !slices.Contains([]ref{p.from, p.label, p.to}[:k], r)
		if known {
			e.byVertex[r.vertex] = append(e.byVertex[r.vertex], i)
		}
	}
}

// pushDown files the filters that the caller pushed down to a variable.
func (e *estimates) pushDown(v int) {
	name := e.query.Vertices[v].Variable
	e.interval[v] = e.options.Ranges[name]
	if c, ok := e.options.Candidates[name]; ok {
		if c == nil {
			c = []dictionary.ID{}
		}
		e.candidates[v] = c
		e.lists[v] = append(e.lists[v], c)
	}
}

// side is one end of an edge with a constant label, seen from its variable.
type side struct {
	pattern   int
	dir       pcsr.Direction
	partition pcsr.Outline
	degree    int // of the member looked at
	degrees   int // of the members that pass
}

// sides lists the partitions in whose rows the vertex must lie, until it is called again.
func (e *estimates) sides(v int) []side {
	out := e.scratch[:0]
	for _, i := range e.byVertex[v] {
		p := &e.patterns[i]
		if !p.label.isConstant() {
			continue
		}
		if p.from.vertex == v {
			out = append(out, side{pattern: i, dir: pcsr.Out, partition: e.graph.Outline(p.label.id, pcsr.Out)})
		}
		if p.to.vertex == v {
			out = append(out, side{pattern: i, dir: pcsr.In, partition: e.graph.Outline(p.label.id, pcsr.In)})
		}
	}
	e.scratch = out
	return out
}

// narrow cuts the interval of v to where all its lists and the rows of all its sides lie, unless these may change.
func (e *estimates) narrow(v int, sides []side) {
	if e.options.Lasting {
		return
	}
	r := &e.interval[v]
	cut := func(first, last pcsr.Vertex) {
		r.Low = max(r.Low, first)
		if r.High == 0 || r.High > last {
			r.High = last + 1
		}
	}
	for _, list := range e.lists[v] {
		if len(list) > 0 {
			cut(list[0], list[len(list)-1])
		}
	}
	for _, s := range sides {
		if first, last, ok := s.partition.Span(); ok {
			cut(first, last)
		}
	}
	if r.High != 0 && r.Low >= r.High {
		e.nobody(v)
	}
}

// cuts reports whether an interval cuts a list that step s reads, where all its lists are known before the match: there a
// range costs nothing.
func (e *estimates) cuts(r Range, s *Step, v int) bool {
	if r.High == 0 {
		return false
	}
	cut := false
	for i := range s.Links {
		l := &s.Links[i]
		switch {
		case l.Kind == Neighbours && l.From.IsConstant() && l.Label.IsConstant():
		case l.Kind == Rows && l.Label.IsConstant():
			first, last, ok := e.graph.Outline(l.Label.Constant, l.Dir).Span()
			cut = cut || ok && (first < r.Low || last >= r.High)
		default:
			return false
		}
	}
	for _, list := range e.lists[v] {
		cut = cut || len(list) > 0 && (list[0] < r.Low || list[len(list)-1] >= r.High)
	}
	return cut
}

// nobody notes that no vertex of the data can match v.
func (e *estimates) nobody(v int) {
	if e.options.Lasting {
		return
	}
	e.reason = "no vertex of the data passes all that is asked of ?" + e.query.Vertices[v].Variable
}

// sampleDomain tries some members of the vertex's shortest list, evenly spread, and tests the other conditions. Where
// few pass, it tries more; where none does, it tries to find out whether any does.
func (e *estimates) sampleDomain(v int, sides []side, sampleSize int) {
	s := e.shortest(v, sides)
	e.source[v] = float64(s.length)
	total := min(s.length, sampleSize)
	kept := e.lookAt(v, &s, total, sides)
	exact := s.length == total
	if total > 0 && kept == 0 && !exact {
		if first, ok := e.leap(v, sides, max(fewLeaps, min(manyLeaps, s.length/lookShare))); ok {
			s = listSource(first)
			total, exact = len(first), true
			kept = e.lookAt(v, &s, total, sides)
		}
	}
	if kept < fewKept && !exact {
		if more := min(sampleSize*closerLook, s.length/lookShare); more > total {
			total = more
			kept = e.lookAt(v, &s, total, sides)
		}
	}
	if kept == 0 && exact && len(e.byVertex[v])+len(e.lists[v]) > 0 {
		e.nobody(v)
	}
	e.domain[v] = float64(s.length)
	if total > 0 {
		e.domain[v] *= max(float64(kept), leastKept) / float64(total)
	}
	if share, ok := e.options.Shares[e.query.Vertices[v].Variable]; ok {
		e.domain[v] *= share
	}
	for i := range sides {
		e.fanOut(v, &sides[i], kept, exact)
	}
}

const (
	// A sample of a domain of which fewer than fewKept pass is made up to closerLook times as large.
	fewKept, closerLook = 4, 4
	// From fewLeaps to manyLeaps searches may be made to find the members that all lists of a vertex share.
	fewLeaps, manyLeaps = 12, 96
	// lookShare is how many members a list has for each that a closer look takes.
	lookShare = 64
)

// lookAt tests so many members of a list against the other conditions and adds up the degrees of those that pass.
func (e *estimates) lookAt(v int, s *domainSource, total int, sides []side) (kept int) {
	for i := range sides {
		sides[i].degrees = 0
	}
	for k := range total {
		x := s.sample(k, total)
		ok := e.inLists(v, s, x)
		for i := range sides {
			if !ok {
				break
			}
			sides[i].degree = sides[i].partition.Degree(x)
			ok = sides[i].degree > 0
		}
		if !ok {
			continue
		}
		kept++
		for i := range sides {
			sides[i].degrees += sides[i].degree
		}
	}
	return kept
}

// leap finds the vertices that are in all lists of v and rows of all its sides, by searching each for the next vertex
// that the others have; false where that takes too many searches. Vertices of one class lie together, so that lists that
// have nothing in common are often told apart by a few.
func (e *estimates) leap(v int, sides []side, most int) (found []pcsr.Vertex, ok bool) {
	at, end := e.interval[v].Low, pcsr.Vertex(e.graph.Vertices())
	if e.interval[v].High != 0 {
		end = min(end, e.interval[v].High)
	}
	sources := len(e.lists[v]) + len(sides)
	next := func(i int) pcsr.Vertex {
		if i < len(e.lists[v]) {
			list := e.lists[v][i]
			if k, _ := slices.BinarySearch(list, at); k < len(list) {
				return list[k]
			}
			return end
		}
		p := sides[i-len(e.lists[v])].partition
		return p.Next(at, end)
	}
	agreed := 0
	for i, n := 0, 0; at < end; i, n = (i+1)%sources, n+1 {
		if n == most {
			return nil, false
		}
		x := next(i)
		if x != at {
			at, agreed = x, 0
		}
		if agreed++; agreed == sources {
			found = append(found, at)
			at++
			agreed = 0
		}
	}
	return found, true
}

// fanOut estimates the mean length of a side's lists over the domain: by the sample where it speaks for the domain.
func (e *estimates) fanOut(v int, s *side, kept int, exact bool) {
	rows := float64(s.partition.Rows())
	mean := 0.0
	if rows > 0 {
		mean = float64(s.partition.Edges()) / rows
	}
	if kept > 0 && (exact || e.domain[v] < rows/2) {
		mean = float64(s.degrees) / float64(kept)
	}
	e.edges[s.pattern].length[s.dir] = mean
}

// inLists reports whether x, a member of the source, is in every list and in the interval of v.
func (e *estimates) inLists(v int, source *domainSource, x pcsr.Vertex) bool {
	r := e.interval[v]
	if x < r.Low || r.High != 0 && x >= r.High {
		return false
	}
	for i, list := range e.lists[v] {
		if i != source.lists-1 && !pcsr.Contains(list, x) {
			return false
		}
	}
	return true
}

// domainSource is a list that can be read at any place: a list, or else the rows of a partition.
type domainSource struct {
	length int
	list   []pcsr.Vertex
	rows   pcsr.Outline
	// lists is 1 + the number of the list among those of the vertex, 0 where it is none of them.
	lists int
}

// sample is member k of so many that are spread evenly, or one near it; all of them are each member once.
func (s *domainSource) sample(k, total int) pcsr.Vertex {
	i := s.length * k / total
	switch {
	case s.list != nil:
		return s.list[i]
	case total == s.length:
		return s.rows.Vertex(i)
	}
	return s.rows.Near(i)
}

// shorten replaces the list by another that is shorter; length -1 means that there is none yet.
func (s *domainSource) shorten(other domainSource) {
	if s.length < 0 || other.length < s.length {
		*s = other
	}
}

func listSource(list []pcsr.Vertex) domainSource { return domainSource{length: len(list), list: list} }

// shortest chooses the shortest list that holds the domain of v.
func (e *estimates) shortest(v int, sides []side) domainSource {
	best := domainSource{length: -1}
	for i := range e.lists[v] {
		best.shorten(e.listSource(v, i))
	}
	for i := range sides {
		best.shorten(e.rowSource(v, &sides[i].partition))
	}
	if e.query.Vertices[v].EdgeLabel {
		best.shorten(listSource(e.graph.UsedLabels()))
	}
	for _, i := range e.byVertex[v] {
		if p := &e.patterns[i]; !p.label.isConstant() && p.label.vertex != v {
			d := pcsr.Out
			if p.from.vertex != v {
				d = pcsr.In
			}
			rows := e.graph.IncidentOutline(d)
			best.shorten(e.rowSource(v, &rows))
		}
	}
	if best.length < 0 { // a seeded variable that no pattern mentions
		best.length = 0
	}
	return best
}

// estimateEdge estimates the selectivity of pattern i once the domains of its variables are known.
func (e *estimates) estimateEdge(i int) {
	p, estimate := &e.patterns[i], &e.edges[i]
	if !p.label.isConstant() {
		e.estimateVariableEdge(p, estimate)
		return
	}
	if p.from.isConstant() || p.to.isConstant() || p.from.vertex == p.to.vertex {
		return
	}
	rows := [2]float64{float64(e.graph.Outline(p.label.id, pcsr.Out).Rows()), float64(e.graph.Outline(p.label.id, pcsr.In).Rows())}
	if rows[0] == 0 || rows[1] == 0 {
		return
	}
	if e.domain[p.from.vertex]/rows[0] <= e.domain[p.to.vertex]/rows[1] {
		estimate.selectivity = estimate.length[pcsr.Out] / rows[1]
	} else {
		estimate.selectivity = estimate.length[pcsr.In] / rows[0]
	}
	estimate.selectivity = min(1, estimate.selectivity)
	if e.isBack(i) {
		estimate.selectivity = e.leadsBack(p.label.id)
	}
}

// isBack reports whether a pattern is an earlier one in the other direction.
func (e *estimates) isBack(i int) bool {
	p := &e.patterns[i]
	return slices.ContainsFunc(e.patterns[:i], func(q pattern) bool { return q.label == p.label && q.from == p.to && q.to == p.from })
}

// leadsBack is the share of a label's edges of which another leads back, as a sample tells.
func (e *estimates) leadsBack(l pcsr.Label) float64 {
	rows := e.graph.Outline(l, pcsr.Out)
	source := domainSource{length: rows.Rows(), rows: rows}
	total, found := min(source.length, samples), 0
	for k := range total {
		v := source.sample(k, total)
		list := e.graph.Neighbours(v, l, pcsr.Out)
		if len(list) > 0 && e.graph.HasEdge(list[7919*k%len(list)], l, v) {
			found++
		}
	}
	return max(float64(found), leastKept) / float64(max(total, 1))
}

// leastKept is how many of a sample are taken to pass where none does.
const leastKept = 0.3

// estimateVariableEdge estimates for a pattern with a predicate variable, from means over the whole graph.
func (e *estimates) estimateVariableEdge(p *pattern, estimate *edgeEstimate) {
	labels := max(1, float64(len(e.graph.UsedLabels())))
	out, in := max(1, float64(e.graph.IncidentRows(pcsr.Out))), max(1, float64(e.graph.IncidentRows(pcsr.In)))
	edges := float64(e.graph.Edges())
	rows := [2]float64{e.averageRows(pcsr.Out) * labels, e.averageRows(pcsr.In) * labels}
	estimate.length = [2]float64{edges / max(1, rows[0]), edges / max(1, rows[1])}
	estimate.fromLabel, estimate.toLabel = rows[0]/out/labels, rows[1]/in/labels
	estimate.selectivity = edges / out / in / labels
	if p.from.isConstant() {
		estimate.fromLabel, estimate.selectivity = e.constantEnd(p.from.id, pcsr.Out, labels, in)
	}
	if p.to.isConstant() {
		estimate.toLabel, estimate.selectivity = e.constantEnd(p.to.id, pcsr.In, labels, out)
	}
}

// constantEnd returns the share of labels that the constant has, and of (label, other end) that it is linked with.
func (e *estimates) constantEnd(c dictionary.ID, d pcsr.Direction, labels, others float64) (label, pair float64) {
	edges := 0
	own := e.graph.EdgeLabels(c, d)
	for _, l := range own {
		edges += e.graph.Outline(l, d).Degree(c)
	}
	return float64(len(own)) / labels, float64(edges) / labels / others
}

// averageRows is the mean number of rows of a partition.
func (e *estimates) averageRows(d pcsr.Direction) float64 {
	labels := e.graph.UsedLabels()
	if len(labels) == 0 {
		return 0
	}
	rows := 0
	for _, l := range labels {
		rows += e.graph.Outline(l, d).Rows()
	}
	return float64(rows) / float64(len(labels))
}

// read returns the shortest list that a step for v reads so far, and its length. The list stands for those that are not
// known before the match by the rows that they consist of; it is empty where even these are not known.
func (e *estimates) read(s *Step, v int) (source domainSource, length float64) {
	length = math.Inf(1)
	for i := range e.lists[v] {
		if own := e.listSource(v, i); float64(own.length) < length {
			source, length = own, float64(own.length)
		}
	}
	for i := range s.Links {
		l := &s.Links[i]
		if l.From.IsConstant() && l.Kind == Neighbours {
			continue
		}
		if n := e.length(*l); n < length {
			source, length = domainSource{}, n
			if l.Kind == Neighbours && l.Label.IsConstant() {
				rows := e.graph.Outline(l.Label.Constant, l.Dir.Reverse())
				source = e.rowSource(v, &rows)
			}
		}
	}
	return source, length
}

// optionalSource is the list of an optional link; empty where it is not known before the match.
func (e *estimates) optionalSource(v int, o *optionalLink) domainSource {
	if o.link.Kind == AllEdgeLabels {
		return listSource(e.graph.UsedLabels())
	}
	return e.rowSource(v, &o.rows)
}

// listSource is list i of v in the interval of v.
func (e *estimates) listSource(v, i int) domainSource {
	source := listSource(pcsr.Between(e.lists[v][i], e.interval[v].Low, e.interval[v].High))
	source.lists = i + 1
	return source
}

// rowSource lists the rows of a partition in the interval of v.
func (e *estimates) rowSource(v int, p *pcsr.Outline) domainSource {
	rows := p.Between(e.interval[v].Low, e.interval[v].High)
	return domainSource{length: rows.Rows(), rows: rows}
}

// keepsSample is how many members of a list are looked at to find which share a semi-join keeps.
const keepsSample = 12

// keeps estimates the share of a list's members, among those that pass the lists of v, that are rows of a partition.
func (e *estimates) keeps(v int, source *domainSource, p *pcsr.Outline) float64 {
	tried := min(source.length, keepsSample)
	own, kept := 0, 0
	for k := range tried {
		x := source.sample(k, tried)
		if !e.inLists(v, source, x) {
			continue
		}
		own++
		if p.Degree(x) > 0 {
			kept++
		}
	}
	if own == 0 {
		return 1
	}
	return float64(kept) / float64(own)
}
