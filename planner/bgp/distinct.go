package bgp

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// distinct adds what isomorphism and inequalities ask of the vertex that was bound last.
func (a *assembly) distinct(s *Step, vertex int) {
	slot := len(a.plan.Slots) - 1
	s.Distinct = a.different(vertex, slot)
	for _, o := range a.unequal(slot) {
		if !slices.Contains(s.Distinct, o) {
			s.Distinct = append(s.Distinct, o)
			s.Overlaps = len(s.Distinct) > 1
		}
	}
}

// unequal lists the constants and the slots below slot that inequalities want different from it, without those that
// cannot be equal to it.
func (a *assembly) unequal(slot int) (out []Operand) {
	for _, d := range a.options.Unequal {
		other := d.B
		if name := a.plan.Slots[slot].Variable; name == d.B {
			other = d.A
		} else if name != d.A {
			continue
		}
		o := Const(d.Constant)
		if d.B != "" {
			o = Bound(slices.IndexFunc(a.plan.Slots[:slot], func(s Slot) bool { return s.Variable == other }))
		} else if v := a.plan.Slots[slot].Vertex; v >= 0 && a.isNode[v] && !a.query.Vertices[v].EdgeLabel && !a.mayBe(v, d.Constant) {
			continue
		}
		if d.B != "" && (o.Slot < 0 || a.apart(slot, o.Slot)) {
			continue
		}
		a.plan.Unequal = true
		out = append(out, o)
	}
	return out
}

// apart reports whether what two slots bind is always different.
func (a *assembly) apart(slot, other int) bool {
	v, w := a.plan.Slots[slot].Vertex, a.plan.Slots[other].Vertex
	return v >= 0 && w >= 0 && (a.estimates.disjoint(v, w) || a.joined(v, w))
}

// different lists the constants and the slots below slot that isomorphism (induced or not) wants different from vertex, without those
// that cannot be equal to it.
func (a *assembly) different(vertex, slot int) []Operand {
	if !a.query.Semantics.Injective() || !a.isNode[vertex] {
		return nil
	}
	var out []Operand
	for _, c := range a.nodes {
		if a.mayBe(vertex, c) {
			out = append(out, Const(c))
		}
	}
	for other, s := range a.plan.Slots[:slot] {
		if a.over() {
			break
		}
		if s.Vertex >= 0 && a.slotOf[s.Vertex] == other && a.isNode[s.Vertex] &&
			!a.estimates.disjoint(vertex, s.Vertex) && !a.joined(vertex, s.Vertex) {
			out = append(out, Bound(other))
		}
	}
	return out
}

// joined reports whether an edge joins two query vertices whose label no vertex has to itself in the data.
func (a *assembly) joined(v, w int) bool {
	for i := range a.patterns {
		p := &a.patterns[i]
		ends := p.from.vertex == v && p.to.vertex == w || p.from.vertex == w && p.to.vertex == v
		if ends && p.label.isConstant() && !a.hasLoop(p.label.id) {
			return true
		}
	}
	return false
}

// hasLoop reports whether a vertex may have an edge of the label to itself; true where finding out costs too much.
func (b *bgp) hasLoop(l pcsr.Label) bool {
	if b.options.Lasting {
		return true
	}
	if found, ok := b.loops[l]; ok {
		return found
	}
	out := b.graph.Outline(l, pcsr.Out)
	first, last, ok := out.Span()
	low, high, _ := b.graph.Outline(l, pcsr.In).Span()
	if !ok || first > high || low > last {
		return false
	}
	if float64(out.Rows())*SearchPrice > b.affordable {
		return true
	}
	found := false
	for v, list := range b.graph.Partition(l, pcsr.Out).Lists() {
		if found = pcsr.Contains(list, v); found || b.over() {
			break
		}
	}
	if b.loops == nil {
		b.loops = make(map[pcsr.Label]bool)
	}
	b.loops[l] = found
	return found
}

// mayBe reports whether the constant passes what the patterns ask of the variable alone.
func (a *assembly) mayBe(vertex int, c dictionary.ID) bool {
	if a.options.Lasting {
		return true
	}
	for i := range a.patterns {
		p := &a.patterns[i]
		if !p.label.isConstant() {
			continue
		}
		if p.from.vertex == vertex {
			if p.to.isConstant() && !a.graph.HasEdge(c, p.label.id, p.to.id) {
				return false
			}
			if a.graph.Outline(p.label.id, pcsr.Out).Degree(c) == 0 {
				return false
			}
		}
		if p.to.vertex == vertex {
			if p.from.isConstant() && !a.graph.HasEdge(p.from.id, p.label.id, c) {
				return false
			}
			if a.graph.Outline(p.label.id, pcsr.In).Degree(c) == 0 {
				return false
			}
		}
	}
	return true
}

// edgeDistinct adds the pairs of patterns that edge-isomorphism wants to be different triples and whose variables
// are all bound once the given slot is.
func (a *assembly) edgeDistinct(pairs *[][2]EdgeCheck, slot int) {
	if a.query.Semantics != EdgeIsomorphism {
		return
	}
	for i := range a.patterns {
		if a.over() {
			return
		}
		first, ok := a.boundBy(&a.patterns[i], slot)
		if !ok {
			continue
		}
		for j := range a.patterns[:i] {
			second, ok := a.boundBy(&a.patterns[j], slot)
			if ok && (reads(first, slot) || reads(second, slot)) && a.mayCoincide(&a.patterns[i], &a.patterns[j]) {
				*pairs = append(*pairs, [2]EdgeCheck{first, second})
			}
		}
	}
}

// boundBy is bound, for the slots up to and including one.
func (a *assembly) boundBy(p *pattern, slot int) (EdgeCheck, bool) {
	c, ok := a.bound(p)
	return c, ok && c.From.Slot <= slot && c.Label.Slot <= slot && c.To.Slot <= slot
}

func reads(c EdgeCheck, slot int) bool {
	return c.From.Slot == slot || c.Label.Slot == slot || c.To.Slot == slot
}

// mayCoincide reports whether two patterns can match one triple.
func (a *assembly) mayCoincide(x, y *pattern) bool {
	return a.mayEqual(x.from, y.from) && a.mayEqual(x.label, y.label) && a.mayEqual(x.to, y.to)
}

func (a *assembly) mayEqual(x, y ref) bool {
	switch {
	case x.isConstant() && y.isConstant():
		return x.id == y.id
	case x.isConstant():
		return a.mayBe(y.vertex, x.id)
	case y.isConstant():
		return a.mayBe(x.vertex, y.id)
	}
	return x.vertex == y.vertex || !a.estimates.disjoint(x.vertex, y.vertex)
}
