package pcsr

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// counter makes the Statistics of a graph whose partitions and label sets are made.
type counter struct {
	g       *Graph
	classOf []uint32   // vertex → number of its class set; 0 for none; nil without classes
	typed   *Partition // where few vertices have a class: classOf is by the rows of this one
	sets    [][]uint32 // class set → rows of its classes in the partition of rdf:type, In

	// profiles counts the vertices by their label sets: (set out + 1)<<32 | set in + 1, where 0 stands for none.
	profiles map[uint64]uint32
}

// makeStatistics counts everything, several sides at a time.
func (g *Graph) makeStatistics() *counter {
	c := &counter{g: g}
	s := &g.stats
	*s = Statistics{g: g}
	c.findClassSets()
	for d := range g.sets {
		if sets := &g.sets[d]; sets.labels.Edges() <= maxSetEntries {
			s.setVertices[d] = make([]uint32, sets.labels.Rows())
			s.setEdges[d] = make([]uint32, sets.labels.Edges())
			for _, set := range sets.of.neighbours {
				s.setVertices[d][set]++
			}
		}
	}
	sides := make([]sideCount, 2*len(g.parts))
	parallel(len(sides), func(k int) { sides[k] = c.countSide(k) })
	s.degreeAt = append(s.degreeAt, 0)
	for _, side := range sides {
		s.degrees = append(s.degrees, side.degrees...)
		s.degreeAt = append(s.degreeAt, uint32(len(s.degrees)))
	}
	s.mergeClasses(sides)
	c.countProfiles()
	s.countPairs(c.profiles)
	return c
}

// findClassSets numbers the sets of classes that vertices have.
func (c *counter) findClassSets() {
	c.sets = [][]uint32{nil}
	if !c.g.hasType || c.g.Partition(c.g.typeLabel, In).Rows() == 0 {
		return
	}
	typed, classes := c.g.Partition(c.g.typeLabel, Out), c.g.Partition(c.g.typeLabel, In)
	if isSparse(typed.Rows(), c.g.vertices) {
		c.typed, c.classOf = typed, make([]uint32, typed.Rows())
	} else {
		c.classOf = make([]uint32, c.g.vertices)
	}
	number := map[string]uint32{}
	var key []byte
	var lastClasses []Vertex
	var last uint32
	row := -1
	for v, list := range typed.Lists() {
		row++
		at := int(v)
		if c.typed != nil {
			at = row
		} else if uint64(v) >= uint64(len(c.classOf)) {
			continue
		}
		if last == 0 || !slices.Equal(list, lastClasses) {
			key = key[:0]
			for _, class := range list {
				key = binary.LittleEndian.AppendUint32(key, class)
			}
			if last = number[string(key)]; last == 0 {
				last = uint32(len(c.sets))
				number[string(key)] = last
				c.sets = append(c.sets, rowsOf(classes, list))
			}
			lastClasses = list
		}
		c.classOf[at] = last
	}
}

// classSet is the number of the class set of a vertex; 0 for none.
func (c *counter) classSet(v Vertex) uint32 {
	at := uint64(v)
	if c.typed != nil {
		row, ok := c.typed.Row(v)
		if !ok {
			return 0
		}
		at = uint64(row)
	}
	if at >= uint64(len(c.classOf)) {
		return 0
	}
	return c.classOf[at]
}

func rowsOf(p *Partition, vertices []Vertex) []uint32 {
	rows := make([]uint32, 0, len(vertices))
	for _, v := range vertices {
		if row, ok := p.Row(v); ok {
			rows = append(rows, uint32(row))
		}
	}
	return rows
}

// sideCount is what is counted of one side.
type sideCount struct {
	degrees []uint32
	classes []classCount
}

// classCount counts the members of a class that are rows of a side, and their edges there.
type classCount struct {
	row            uint32 // of the class, in the partition of rdf:type, In
	members, edges uint32
}

func (c *counter) countSide(k int) sideCount {
	p := &c.g.parts[k/2][k%2]
	d := Direction(k % 2)
	c.countSetEdges(p, c.g.used[k/2], d)
	return sideCount{degrees: degreeWords(p), classes: c.countClasses(p)}
}

// countSetEdges adds the degrees of a side to the label sets of its rows. Sides write different entries.
func (c *counter) countSetEdges(p *Partition, l Label, d Direction) {
	sets := &c.g.sets[d]
	edges := c.g.stats.setEdges[d]
	if edges == nil {
		return
	}
	last, entry, row := -1, 0, 0
	for v := range p.RowVertices() {
		if set, ok := c.g.EdgeLabelSet(v, d); ok {
			if set != last {
				last, entry = set, sets.labels.start(set)+searchFrom(sets.labels.List(set), l)
			}
			edges[entry] += uint32(p.Degree(row))
		}
		row++
	}
}

// start is where the list of a row begins among the neighbours.
func (p *Partition) start(row int) int {
	if p.offsets == nil {
		return row
	}
	return int(p.offsets[row])
}

func (c *counter) countClasses(p *Partition) []classCount {
	if c.classOf == nil {
		return nil
	}
	type count struct{ members, edges uint32 }
	bySet := map[uint32]count{}
	var run count
	last, row := uint32(0), 0
	for v := range p.RowVertices() {
		if set := c.classSet(v); set != last {
			n := bySet[last]
			bySet[last] = count{n.members + run.members, n.edges + run.edges}
			last, run = set, count{}
		}
		run.members++
		run.edges += uint32(p.Degree(row))
		row++
	}
	n := bySet[last]
	bySet[last] = count{n.members + run.members, n.edges + run.edges}
	byClass := map[uint32]count{}
	for set, n := range bySet {
		for _, class := range c.sets[set] {
			m := byClass[class]
			byClass[class] = count{m.members + n.members, m.edges + n.edges}
		}
	}
	classes := make([]classCount, 0, len(byClass))
	for row, n := range byClass {
		classes = append(classes, classCount{row, n.members, n.edges})
	}
	slices.SortFunc(classes, func(a, b classCount) int { return cmp.Compare(a.row, b.row) })
	return classes
}

// mergeClasses gathers the counts of all sides by class, the largest classes first as long as there is room.
func (s *Statistics) mergeClasses(sides []sideCount) {
	if !s.g.hasType {
		return
	}
	classes := s.g.Partition(s.g.typeLabel, In)
	perClass := make([]uint32, classes.Rows())
	for _, side := range sides {
		for _, n := range side.classes {
			perClass[n.row]++
		}
	}
	kept := s.keepClasses(classes, perClass)
	s.classAt = make([]uint32, 1, len(perClass)+1)
	for row, n := range perClass {
		if !kept[row] {
			n = 1
		}
		s.classAt = append(s.classAt, s.classAt[row]+n)
	}
	next := slices.Clone(s.classAt)
	s.classSides = make([]uint32, int(s.classAt[len(perClass)])*classWords)
	put := func(row, side, members, edges uint32) {
		copy(s.classSides[next[row]*classWords:], []uint32{side, members, edges, noBit})
		next[row]++
	}
	for k, side := range sides {
		for _, n := range side.classes {
			if kept[n.row] {
				put(n.row, uint32(k), n.members, n.edges)
			}
		}
	}
	for row := range perClass {
		if !kept[row] {
			put(uint32(row), noVertex, 0, 0)
		}
	}
}

// keepClasses says which classes have room; the others are not known.
func (s *Statistics) keepClasses(classes *Partition, perClass []uint32) []bool {
	order := make([]int, len(perClass))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(classes.Degree(b), classes.Degree(a)) })
	kept := make([]bool, len(perClass))
	room := maxClassEntries
	for _, row := range order {
		if room -= int(perClass[row]); room < 0 {
			break
		}
		kept[row] = perClass[row] > 0
	}
	return kept
}

// countPairs counts the vertices that two sides share. Vertices with the same two label sets are counted at once.
func (s *Statistics) countPairs(profiles map[uint64]uint32) {
	s.choosePairSides()
	s.pairs = make([]uint32, triangle(len(s.pairSides), 0))
	place := make([]int32, 2*len(s.g.parts))
	for i := range place {
		place[i] = -1
	}
	for i, k := range s.pairSides {
		place[k] = int32(i)
	}
	var at []int32
	for profile, n := range profiles {
		at = at[:0]
		for d, set := range []uint32{uint32(profile >> 32), uint32(profile)} {
			if set == 0 {
				continue
			}
			for _, l := range s.g.sets[d].labels.List(int(set - 1)) {
				if i := place[2*int(s.g.slot(l))+d]; i >= 0 {
					at = append(at, i)
				}
			}
		}
		for x, i := range at {
			for _, j := range at[:x+1] {
				s.pairs[triangle(int(i), int(j))] += n
			}
		}
	}
}

// choosePairSides picks the sides with the most rows, so many that the table takes a byte an edge or has 32 sides.
func (s *Statistics) choosePairSides() {
	sides := make([]uint32, 2*len(s.g.parts))
	for k := range sides {
		sides[k] = uint32(k)
	}
	rows := func(k uint32) int { return s.g.parts[k/2][k%2].Rows() }
	slices.SortStableFunc(sides, func(a, b uint32) int { return cmp.Compare(rows(b), rows(a)) })
	n := min(len(sides), maxPairSides)
	for n > minPairSides && 4*uint64(triangle(n, 0)) > s.g.edges {
		n--
	}
	s.pairSides = sides[:n]
	slices.Sort(s.pairSides)
}

// countProfiles fills profiles. Neighbouring vertices mostly have the same one.
func (c *counter) countProfiles() {
	c.profiles = map[uint64]uint32{}
	last, run := uint64(0), uint32(0)
	see := func(profile uint64) {
		if profile != last && run > 0 {
			c.profiles[last] += run
			run = 0
		}
		last = profile
		run++
	}
	g, row := c.g, 0
	for v := range g.sets[Out].of.RowVertices() {
		profile := uint64(g.sets[Out].of.neighbours[row]+1) << 32
		if in, ok := g.EdgeLabelSet(v, In); ok {
			profile |= uint64(in + 1)
		}
		see(profile)
		row++
	}
	row = 0
	for v := range g.sets[In].of.RowVertices() {
		if _, ok := g.EdgeLabelSet(v, Out); !ok {
			see(uint64(g.sets[In].of.neighbours[row] + 1))
		}
		row++
	}
	if run > 0 {
		c.profiles[last] += run
	}
}
