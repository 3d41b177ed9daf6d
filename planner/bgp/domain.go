package bgp

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

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
