package pcsr

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// counter counts what a graph whose partitions and label sets are made gives signatures of.
type counter struct {
	g       *Graph
	classOf []uint32   // vertex → number of its class set; 0 for none; nil without classes
	typed   *Partition // where few vertices have a class: classOf is by the rows of this one
	sets    [][]uint32 // class set → rows of its classes in the partition of rdf:type, In

	// profiles counts the vertices by their label sets: (set out + 1)<<32 | set in + 1, where 0 stands for none.
	profiles map[uint64]uint32
	// classEdges are the edges of a class by a side, for each entry of the table's classSides.
	classEdges []uint32
}

// count counts everything, several sides at a time.
func (g *Graph) count() *counter {
	c := &counter{g: g}
	c.findClassSets()
	sides := make([][]classCount, 2*len(g.parts))
	machine.Parallel(len(sides), func(k int) { sides[k] = c.countClasses(&g.parts[k/2][k%2]) })
	c.mergeClasses(sides)
	c.countProfiles()
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

// classCount counts the edges that the members of a class have by a side.
type classCount struct {
	row   uint32 // of the class, in the partition of rdf:type, In
	edges uint32
}

func (c *counter) countClasses(p *Partition) []classCount {
	if c.classOf == nil {
		return nil
	}
	bySet := map[uint32]uint32{}
	last, edges, row := uint32(0), uint32(0), 0
	for v := range p.RowVertices() {
		if set := c.classSet(v); set != last {
			bySet[last] += edges
			last, edges = set, 0
		}
		edges += uint32(p.Degree(row))
		row++
	}
	bySet[last] += edges
	byClass := map[uint32]uint32{}
	for set, n := range bySet {
		for _, class := range c.sets[set] {
			byClass[class] += n
		}
	}
	classes := make([]classCount, 0, len(byClass))
	for row, n := range byClass {
		classes = append(classes, classCount{row, n})
	}
	slices.SortFunc(classes, func(a, b classCount) int { return cmp.Compare(a.row, b.row) })
	return classes
}

// mergeClasses gathers the classes and sides that a bit can stand for, by class, the largest classes first as long as
// there is room.
func (c *counter) mergeClasses(sides [][]classCount) {
	if !c.g.hasType {
		return
	}
	t := &c.g.signatures
	classes := c.g.Partition(c.g.typeLabel, In)
	perClass := make([]uint32, classes.Rows())
	for _, side := range sides {
		for _, n := range side {
			perClass[n.row]++
		}
	}
	keepClasses(classes, perClass)
	t.classAt = make([]uint32, 1, len(perClass)+1)
	for row, n := range perClass {
		t.classAt = append(t.classAt, t.classAt[row]+n)
	}
	next := slices.Clone(t.classAt)
	n := int(t.classAt[len(perClass)])
	t.classSides, c.classEdges = make([]uint32, n*classWords), make([]uint32, n)
	for k, side := range sides {
		for _, n := range side {
			if at := next[n.row]; at < t.classAt[n.row+1] {
				copy(t.classSides[at*classWords:], []uint32{uint32(k), noBit})
				c.classEdges[at] = n.edges
				next[n.row]++
			}
		}
	}
}

// keepClasses sets the number of entries of the classes that there is no room for to 0.
func keepClasses(classes *Partition, perClass []uint32) {
	order := make([]int, len(perClass))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(classes.Degree(b), classes.Degree(a)) })
	room := maxClassEntries
	for _, row := range order {
		if room -= int(perClass[row]); room < 0 {
			perClass[row] = 0
		}
	}
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
