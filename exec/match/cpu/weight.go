package cpu

import (
	"math/bits"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// weights are the numbers of a group by the vertex of the slot that it hangs on, made once for all partial matches. They are one of
//
//   - table: written down for each vertex from first on, 0 for all others;
//   - lists: times the length of the vertex's list;
//   - a branch: what it makes of the product of others;
//   - times alone, for any vertex.
//
// Numbers of more than 64 bits stay tooMany until something multiplies them by nothing.
type weights struct {
	first  pcsr.Vertex
	table  *numberTable
	within *pcsr.Partition // of a table: where it is not nil, only its rows have numbers
	lists  *pcsr.Partition
	times  uint64
	branch *match.Group
	of     []*weights
	graph  *pcsr.Graph
}

// searched is from how many vertices on those that a table has are searched for among them.
const searched = 32

// weighBlock is how many vertices are weighed together.
const weighBlock = 512

// at is the number of one vertex.
func (t *weights) at(v pcsr.Vertex) uint64 {
	switch {
	case t.table != nil:
		if i := v - t.first; uint64(i) < uint64(t.table.n) {
			return t.table.at(int(i))
		}
		return 0
	case t.lists != nil:
		return multiply(t.times, uint64(len(t.lists.Neighbours(v))))
	case t.branch != nil:
		return t.weighed(v, t.product(v))
	}
	return t.times
}

// rows are those of the vertices that have a number; nil where others may have one.
func (t *weights) rows() *pcsr.Partition {
	if t.lists != nil {
		return t.lists
	}
	return t.within
}

// mean is about what the numbers of vertices that have one are in the mean, as far as it can be told without reading them.
func (t *weights) mean() float64 {
	switch {
	case t.table != nil:
		return t.table.mean
	case t.lists != nil:
		return float64(t.times) * meanDegree(t.lists)
	case t.branch == nil:
		return float64(t.times)
	case t.branch.Branch.Weight != bgp.AtLeastOne:
		return 1
	}
	return max(1, meanOf(t.of))
}

// meanDegree is how long the lists of a partition are in the mean.
func meanDegree(p *pcsr.Partition) float64 { return float64(p.Edges()) / float64(max(p.Rows(), 1)) }

// product is that of the parts of a branch.
func (t *weights) product(v pcsr.Vertex) uint64 {
	product := uint64(1)
	for _, part := range t.of {
		if product = multiply(product, part.at(v)); product == 0 {
			break
		}
	}
	return product
}

// weighed is what a branch makes of the number of its solutions for a vertex, given the product of its parts.
func (t *weights) weighed(v pcsr.Vertex, n uint64) uint64 {
	if t.branch.Never || n > 0 && !holds(t.graph, t.branch.Test, v) {
		n = 0
	}
	switch t.branch.Branch.Weight {
	case bgp.Some:
		return min(n, 1)
	case bgp.None:
		return 1 - min(n, 1)
	}
	return max(n, 1)
}

// isOptional reports whether a branch makes the greater of a product and 1 of it, for all vertices, as weighed has it.
func (t *weights) isOptional() bool {
	return t.branch.Branch.Weight == bgp.AtLeastOne && t.branch.Test == nil && !t.branch.Never
}

// isOptionalList reports whether that product is how long one list is.
func (t *weights) isOptionalList() bool {
	return t.isOptional() && len(t.of) == 1 && t.of[0].lists != nil && t.of[0].times == 1
}

// multiplyInto multiplies the numbers of at most weighBlock vertices into a product for each.
func (t *weights) multiplyInto(products []uint64, vertices []pcsr.Vertex) {
	switch {
	case t.table != nil:
		t.multiplyTable(products, vertices)
	case t.lists != nil:
		var block [weighBlock]uint32
		degrees := block[:len(vertices)]
		t.lists.DegreesOf(degrees, vertices)
		t.multiplyDegrees(products, degrees)
	case t.branch != nil && t.isOptionalList():
		var block [weighBlock]uint32
		degrees := block[:len(vertices)]
		t.of[0].lists.DegreesOf(degrees, vertices)
		for i, n := range degrees {
			degrees[i] = max(n, 1)
		}
		multiplyAll(products, degrees)
	case t.branch != nil:
		var block [weighBlock]uint64
		parts := block[:len(vertices)]
		for i := range parts {
			parts[i] = 1
		}
		for _, part := range t.of {
			part.multiplyInto(parts, vertices)
		}
		if t.isOptional() {
			for i, n := range parts {
				products[i] = multiply(products[i], max(n, 1))
			}
			return
		}
		for i, v := range vertices {
			products[i] = multiply(products[i], t.weighed(v, parts[i]))
		}
	default:
		for i := range products {
			products[i] = multiply(products[i], t.times)
		}
	}
}

// multiplyTable is multiplyInto by the table.
func (t *weights) multiplyTable(products []uint64, vertices []pcsr.Vertex) {
	bytes, lower, upper := t.table.parts()
	if bytes != nil {
		for i, v := range vertices {
			n := uint64(0)
			if at := v - t.first; uint64(at) < uint64(len(bytes)) {
				if n = uint64(bytes[at]); n == large {
					n = t.table.at(int(at))
				}
			}
			products[i] = multiply(products[i], n)
		}
		return
	}
	for i, v := range vertices {
		n := uint64(0)
		if at := v - t.first; uint64(at) < uint64(len(lower)) {
			if n = uint64(lower[at]); upper != nil {
				n |= uint64(upper[at]) << 32
			}
		}
		products[i] = multiply(products[i], n)
	}
}

// multiplyRows is multiplyInto for the vertices of rows of the lists, one row after the other from the given one on.
func (t *weights) multiplyRows(products []uint64, row int) {
	var block [weighBlock]uint32
	degrees := block[:len(products)]
	t.lists.DegreesFrom(degrees, row)
	t.multiplyDegrees(products, degrees)
}

func (t *weights) multiplyDegrees(products []uint64, degrees []uint32) {
	if t.times == 1 {
		multiplyAll(products, degrees)
		return
	}
	for i, n := range degrees {
		products[i] = multiply(products[i], multiply(t.times, uint64(n)))
	}
}

// multiplyAll multiplies a number into each product.
func multiplyAll(products []uint64, numbers []uint32) {
	numbers = numbers[:len(products)]
	if areSmall(products) {
		for i, n := range numbers {
			products[i] *= uint64(n)
		}
		return
	}
	for i, n := range numbers {
		products[i] = multiply(products[i], uint64(n))
	}
}

// addAll is the sum of at most weighBlock products.
func addAll(products []uint64) (sum uint64) {
	if areSmall(products) {
		for _, n := range products {
			sum += n
		}
		return sum
	}
	for _, n := range products {
		sum = add(sum, n)
	}
	return sum
}

// areSmall reports whether all numbers have 32 bits at most: a product with such a number, and a sum of a block of them, needs no look at its carry, which costs as much as itself.
func areSmall(numbers []uint64) bool {
	all := uint64(0)
	for _, n := range numbers {
		all |= n
	}
	return all>>32 == 0
}

// sum adds up the numbers of some vertices, in ascending order.
func (t *weights) sum(vertices []pcsr.Vertex) (sum uint64) {
	if t.table == nil {
		for _, v := range vertices {
			sum = add(sum, t.at(v))
		}
		return sum
	}
	if len(vertices) > searched {
		vertices = pcsr.Between(vertices, t.first, after(t.first+pcsr.Vertex(t.table.n)-1))
	}
	bytes, lower, upper := t.table.parts()
	switch {
	case upper != nil:
		return t.sumLarge(vertices)
	case bytes != nil: // less than 2^32 numbers of less than 2^32
		for _, v := range vertices {
			if i := v - t.first; uint64(i) < uint64(len(bytes)) {
				n := uint64(bytes[i])
				if n == large {
					n = uint64(lower[i])
				}
				sum += n
			}
		}
		return sum
	}
	for _, v := range vertices {
		if i := v - t.first; uint64(i) < uint64(len(lower)) {
			sum += uint64(lower[i])
		}
	}
	return sum
}

// sumLarge is sum of a table with numbers of more than 32 bits.
func (t *weights) sumLarge(vertices []pcsr.Vertex) (sum uint64) {
	var over uint64
	for _, v := range vertices {
		if i := v - t.first; uint64(i) < uint64(t.table.n) {
			var carry uint64
			sum, carry = bits.Add64(sum, t.table.at(int(i)), 0)
			over |= carry
		}
	}
	if over != 0 {
		return tooMany
	}
	return sum
}

// holds tests conditions that read one slot, bound to a vertex; nil has none.
func holds(g *pcsr.Graph, s *match.Step, v pcsr.Vertex) bool {
	if s == nil {
		return true
	}
	for i := range s.Plan.Checks {
		c := &s.Plan.Checks[i]
		if g.HasEdge(valueAt(c.From, v), valueAt(c.Label, v), valueAt(c.To, v)) == c.Absent {
			return false
		}
	}
	for i := range s.Plan.EdgeDistinct {
		a, b := &s.Plan.EdgeDistinct[i][0], &s.Plan.EdgeDistinct[i][1]
		if valueAt(a.From, v) == valueAt(b.From, v) && valueAt(a.Label, v) == valueAt(b.Label, v) && valueAt(a.To, v) == valueAt(b.To, v) {
			return false
		}
	}
	return true
}

// valueAt is what an operand stands for where the one slot that is read is bound to v.
func valueAt(o bgp.Operand, v pcsr.Vertex) dictionary.ID {
	if o.IsConstant() {
		return o.Constant
	}
	return v
}
