package bgp

import "github.com/rdfgpu/rdfgpu/pcsr"

// SignatureUse says which steps of a plan test their candidates against signatures.
type SignatureUse uint8

const (
	// AutoSignatures tests where it seems to pay: see the package's Why.
	AutoSignatures SignatureUse = iota
	// AlwaysSignatures tests wherever a signature asks more than the step itself.
	AlwaysSignatures
	// NeverSignatures tests nowhere.
	NeverSignatures
)

// signatureSample is how many candidates are tested to find the share of those that pass a signature.
const signatureSample = 32

// signSteps gives signatures to the steps of a plan.
func (e *estimates) signSteps(p *MatchPlan) {
	if e.options.Signatures == NeverSignatures || e.options.Lasting {
		return
	}
	for k := range p.Steps {
		if e.over() {
			return
		}
		e.sign(&p.Steps[k], p.Slots[p.Inputs+k].Vertex)
	}
}

// sign gives the step that binds v a signature: what the edges of v that the step does not join, and the classes of
// their other ends, ask of v. Bits that the step's own links and classes imply are left out. By itself it is tested
// where the step has many candidates, no constant's list among its lists, and few enough of a sample pass.
func (e *estimates) sign(s *Step, v int) {
	auto := e.options.Signatures == AutoSignatures
	if auto && (s.EstimatedCandidates < signedCandidates || e.byConstant(s)) {
		return
	}
	if e.graph.Signatures().Rows() == 0 {
		return
	}
	signature := e.signature(s, v)
	if signature.IsZero() || auto && e.signedShare(s, v, signature) > signedShare {
		return
	}
	s.Signature = signature
}

// byConstant reports whether a constant's list narrows the candidates.
func (e *estimates) byConstant(s *Step) bool {
	for i := range s.Links {
		if l := &s.Links[i]; l.Kind == Neighbours && l.From.IsConstant() {
			return true
		}
	}
	return s.Candidates != nil
}

// signature encodes what v's edges ask beyond the step.
func (e *estimates) signature(s *Step, v int) pcsr.Signature {
	var all, implied []pcsr.KnownEdge
	for i := range e.patterns {
		p := &e.patterns[i]
		if p.class || !p.label.isConstant() {
			continue
		}
		if p.from.vertex == v {
			all, implied = e.known(s, p, pcsr.Out, p.to, all, implied)
		}
		if p.to.vertex == v {
			all, implied = e.known(s, p, pcsr.In, p.from, all, implied)
		}
	}
	table := e.graph.Signatures()
	out, own := table.Encode(all, nil), table.Encode(implied, s.Classes)
	for i := range out.Words {
		out.Words[i] &^= own.Words[i]
	}
	out.Subject = out.Subject && !own.Subject
	return out
}

// known files the edge of pattern p at a vertex that step s binds, and what of it the step's links imply.
func (e *estimates) known(s *Step, p *pattern, d pcsr.Direction, end ref, all, implied []pcsr.KnownEdge) (_, _ []pcsr.KnownEdge) {
	edge := pcsr.KnownEdge{Side: pcsr.Side{Label: p.label.id, Dir: d}}
	if !end.isConstant() {
		edge.Classes = e.query.Vertices[end.vertex].Classes
	}
	all = append(all, edge)
	for i := range s.Links {
		switch l := &s.Links[i]; {
		case !l.Label.IsConstant() || l.Label.Constant != p.label.id:
		case l.Kind == Neighbours && l.Edge == p.edge:
			return all, append(implied, edge)
		case l.Kind == Rows && l.Dir == d:
			return all, append(implied, pcsr.KnownEdge{Side: edge.Side})
		}
	}
	return all, implied
}

// signedShare tries some members of the domain of v and returns, of those that pass the lists and rows of step s
// that read no slot, the share that passes the signature.
func (e *estimates) signedShare(s *Step, v int, signature pcsr.Signature) float64 {
	table := e.graph.Signatures()
	source := e.shortest(v, nil)
	if rows := e.ownRows(s); source.length == 0 || rows != nil && rows.Rows() < source.length {
		if rows == nil {
			return 1
		}
		source = e.rowSource(v, rows)
	}
	tried := min(source.length, signatureSample)
	own, passed := 0, 0
	for k := range tried {
		x := source.sample(k, tried)
		if !e.inLists(v, &source, x) || !e.inRows(s, x) {
			continue
		}
		own++
		if table.Match(x, signature) {
			passed++
		}
	}
	if own == 0 {
		return 1
	}
	return float64(passed) / float64(own)
}

// ownRows returns the smallest partition in whose rows the step's candidates lie, by its links.
func (e *estimates) ownRows(s *Step) *pcsr.Outline {
	var best *pcsr.Outline
	e.eachRows(s, func(p *pcsr.Outline) bool {
		if best == nil || p.Rows() < best.Rows() {
			best = p
		}
		return true
	})
	return best
}

// inRows reports whether x is a row wherever the step's links want it to be.
func (e *estimates) inRows(s *Step, x pcsr.Vertex) bool {
	return e.eachRows(s, func(p *pcsr.Outline) bool { return p.Degree(x) > 0 })
}

// eachRows visits the partitions of which every candidate of the step is a row, until a visit returns false.
func (e *estimates) eachRows(s *Step, visit func(*pcsr.Outline) bool) bool {
	for i := range s.Links {
		l := &s.Links[i]
		if !l.Label.IsConstant() {
			continue
		}
		d := l.Dir
		if l.Kind == Neighbours {
			d = d.Reverse()
		} else if l.Kind != Rows {
			continue
		}
		if rows := e.graph.Outline(l.Label.Constant, d); !visit(&rows) {
			return false
		}
	}
	return true
}
