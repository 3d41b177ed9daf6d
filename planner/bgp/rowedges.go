package bgp

// edgesInto is the plan that counts edges of any label into a range of vertices, or from one, label by label: how many edges the rows between two vertices have is
// known to a partition. nil where something else is asked.
//
//	SELECT (COUNT(*) AS ?n) { ?x ?p ?y FILTER isLiteral(?y) }
func (b *bgp) edgesInto(e *estimates, inputs []int) *MatchPlan {
	o := b.options
	if !o.CountOnly || o.Lasting || len(inputs) > 0 || len(b.patterns) != 1 || o.Semantics != Homomorphism || len(o.Unequal)+len(o.Candidates)+len(o.Shares) > 0 {
		return nil
	}
	p := &b.patterns[0]
	if p.from.isConstant() || p.label.isConstant() || p.to.isConstant() || p.from == p.to || p.from == p.label || p.to == p.label {
		return nil
	}
	near, far := p.to.vertex, p.from.vertex
	if !b.ranged(near) {
		near, far = far, near
	}
	if !b.ranged(near) || b.ranged(far) {
		return nil
	}
	plan := b.complete(e, nil, []int{p.label.vertex, near, far})
	if b.over() {
		return plan
	}
	labels := float64(len(b.graph.UsedLabels()))
	plan.Cost = labels
	for i := range plan.Steps {
		plan.Steps[i].EstimatedCandidates = labels
		plan.Cost += labels * rowPrice
	}
	return plan
}

// ranged reports whether a filter keeps a vertex to a range.
func (b *bgp) ranged(v int) bool {
	_, ok := b.options.Ranges[b.query.Vertices[v].Variable]
	return ok
}
