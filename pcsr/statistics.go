package pcsr

import (
	"math/bits"
	"slices"
)

// Statistics are facts about a graph that were counted when it was made; everything they answer is exact. Counts that
// would have taken too much room are reported as not known.
type Statistics struct {
	g *Graph

	// degreeAt[k] is where side k of the labels in use (2·slot + direction) begins in degrees: the largest degree, the
	// sum of squared degrees (low word, high word), then the histogram.
	degreeAt, degrees []uint32

	// setVertices[s] is how many vertices have label set s; setEdges[i] how many edges these have by entry i of
	// EdgeLabelSets(d). Both are empty where there are more than maxSetEntries entries.
	setVertices, setEdges [2][]uint32

	// pairSides are the sides that Shared knows, ascending; pairs is a lower triangle with the diagonal over them.
	pairSides, pairs []uint32

	// classAt[r] is where row r of the partition of rdf:type in direction In begins in classSides, counted in entries
	// of classWords words: side, members, edges, signature bit. A lone entry with side noVertex: not known.
	classAt, classSides []uint32
}

const (
	maxSetEntries   = 1 << 20
	maxPairSides    = 512
	minPairSides    = 32
	maxClassEntries = 1 << 18
	classWords      = 4
)

// Side is one end of the edges of a label: the vertices with such an edge in direction Dir are its rows.
type Side struct {
	Label Label
	Dir   Direction
}

// Degrees say how long the lists of a side are.
type Degrees struct {
	// Vertices is the number of rows, Edges the sum of their degrees.
	Vertices, Edges int
	// Max is the largest degree.
	Max int
	// Squares is the sum of squared degrees: Squares/Edges is the mean degree of the row that a random edge meets.
	Squares uint64
	// Histogram[i] is the number of rows with 2^i ≤ degree < 2^(i+1).
	Histogram []uint32
}

// Mean is the mean degree; 0 where there is no row.
func (d Degrees) Mean() float64 {
	if d.Vertices == 0 {
		return 0
	}
	return float64(d.Edges) / float64(d.Vertices)
}

// Stats returns the graph's statistics.
func (g *Graph) Stats() *Statistics { return &g.stats }

// Degrees returns the degrees of a side; all zero for a label without edges.
func (s *Statistics) Degrees(side Side) Degrees {
	k, ok := s.g.sideNumber(side)
	if !ok {
		return Degrees{}
	}
	p := s.g.Partition(side.Label, side.Dir)
	w := between(s.degrees, s.degreeAt, k, 1)
	if len(w) < 3 {
		return Degrees{Vertices: p.Rows(), Edges: p.Edges()}
	}
	return Degrees{
		Vertices: p.Rows(), Edges: p.Edges(), Max: int(w[0]), Squares: uint64(w[1]) | uint64(w[2])<<32, Histogram: w[3:],
	}
}

// Shared returns the number of vertices that are rows of both sides. It is known where both sides are among the 512 with
// the most rows (fewer in a small graph: the table has at most a byte an edge, but 32 sides always).
func (s *Statistics) Shared(a, b Side) (vertices int, known bool) {
	i, okA := s.g.sideNumber(a)
	j, okB := s.g.sideNumber(b)
	if !okA || !okB {
		return 0, true
	}
	x, okA := slices.BinarySearch(s.pairSides, uint32(i))
	y, okB := slices.BinarySearch(s.pairSides, uint32(j))
	at := triangle(x, y)
	if !okA || !okB || at >= len(s.pairs) {
		return 0, false
	}
	return int(s.pairs[at]), true
}

// Star returns, for the star pattern whose centre has an edge of every label in direction d, the number of centres and
// an estimate of the number of matches, which is exact where the degrees by different labels are independent among the
// vertices of one label set (characteristic sets). Labels are distinct. It is not known where the sets have more than 2^20
// labels altogether; it takes time in proportion to them.
func (s *Statistics) Star(d Direction, labels []Label) (centres, matches float64, known bool) {
	sets := s.g.EdgeLabelSets(d)
	counts, edges := s.setVertices[d&1], s.setEdges[d&1]
	if len(counts) != sets.Rows() || len(edges) != sets.Edges() {
		return 0, 0, false
	}
	start := 0
	for set, n := range counts {
		list := sets.List(set)
		if start+len(list) > len(edges) {
			break // a damaged file
		}
		if rows, ok := starRows(list, edges[start:], float64(n), labels); ok {
			centres += float64(n)
			matches += rows
		}
		start += len(list)
	}
	return centres, matches, true
}

// starRows is the estimate for the n vertices of one label set, and whether the set has all labels.
func starRows(set []Label, edges []uint32, n float64, labels []Label) (float64, bool) {
	rows := n
	for _, l := range labels {
		i := searchFrom(set, l)
		if i >= len(set) || set[i] != l {
			return 0, false
		}
		rows *= float64(edges[i]) / n
	}
	return rows, true
}

// ClassSize is the number of members of a class.
func (s *Statistics) ClassSize(class Vertex) int { return len(s.g.Members(class)) }

// Class returns how many members of a class are rows of a side, and how many edges these have there. With the side of
// the other direction it tells how many edges of a label lead to the class. It is known for the largest classes, as many
// as have 2^18 pairs of class and side together.
func (s *Statistics) Class(class Vertex, side Side) (members, edges int, known bool) {
	entry, known := s.classEntry(class, side)
	if entry == nil {
		return 0, 0, known
	}
	return int(entry[1]), int(entry[2]), true
}

// classEntry finds the words of a class and a side; nil where no member is a row, or where that is not known.
func (s *Statistics) classEntry(class Vertex, side Side) (entry []uint32, known bool) {
	if !s.g.hasType {
		return nil, true
	}
	row, ok := s.g.Partition(s.g.typeLabel, In).Row(class)
	k, used := s.g.sideNumber(side)
	if !ok || !used {
		return nil, true
	}
	entries := between(s.classSides, s.classAt, row, classWords)
	if len(entries) == 0 || entries[0] == noVertex {
		return nil, false
	}
	low, high := 0, len(entries)/classWords
	for low < high {
		if mid := (low + high) / 2; entries[mid*classWords] < uint32(k) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low*classWords == len(entries) || entries[low*classWords] != uint32(k) {
		return nil, true
	}
	return entries[low*classWords:][:classWords], true
}

// sideNumber is 2·slot + direction, and whether the label has edges.
func (g *Graph) sideNumber(side Side) (int, bool) {
	slot := g.slot(side.Label)
	return int(slot)*2 + int(side.Dir&1), slot != noSlot
}

// between is list k of lists that lie one after the other; at counts in steps of words. It is nil where at is damaged.
func between(words, at []uint32, k, step int) []uint32 {
	if k+1 >= len(at) {
		return nil
	}
	low, high := uint64(at[k])*uint64(step), uint64(at[k+1])*uint64(step)
	if low > high || high > uint64(len(words)) {
		return nil
	}
	return words[low:high:high]
}

// triangle is the place of the pair x, y in a lower triangle with the diagonal.
func triangle(x, y int) int {
	if x < y {
		x, y = y, x
	}
	return x*(x+1)/2 + y
}

// namedArray is one array of words that the file keeps as a section of its own.
type namedArray struct {
	name  string
	words *[]uint32
}

func (s *Statistics) arrays() []namedArray {
	return []namedArray{
		{"degree places", &s.degreeAt}, {"degrees", &s.degrees},
		{"set vertices out", &s.setVertices[Out]}, {"set vertices in", &s.setVertices[In]},
		{"set edges out", &s.setEdges[Out]}, {"set edges in", &s.setEdges[In]},
		{"pair sides", &s.pairSides}, {"pairs", &s.pairs},
		{"class places", &s.classAt}, {"class sides", &s.classSides},
	}
}

// degreeWords are the words that degrees holds for one side.
func degreeWords(p *Partition) []uint32 {
	var histogram [33]uint32
	largest, squares := 0, uint64(0)
	for row := range p.Rows() {
		n := p.Degree(row)
		largest = max(largest, n)
		squares += uint64(n) * uint64(n)
		histogram[bits.Len(uint(n))]++
	}
	words := []uint32{uint32(largest), uint32(squares), uint32(squares >> 32)}
	return append(words, histogram[1:bits.Len(uint(largest))+1]...)
}
