package rdfgpu

import (
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Unknown is a predicate of a query's patterns that the data do not have: misspelt, it may be.
type Unknown struct {
	Predicate string
	// Near is the predicate of the data that is spelt most like it; "" where none is.
	Near string
}

// String says it in a sentence.
func (u Unknown) String() string {
	text := "no triple has the predicate <" + u.Predicate + ">"
	if u.Near != "" {
		text += ": did you mean <" + u.Near + ">?"
	}
	return text
}

// Unknown lists the predicates that the triple patterns of the query name and the data do not have, in the query's order; those of a
// SERVICE are not asked for here, nor those of paths. Where there are named graphs, a predicate counts as there when its term is.
func (r *Result) Unknown() (list []Unknown) {
	seen := map[string]bool{}
	eachPattern(r.query.Where, func(p parser.TriplePattern) {
		name := p.Predicate.Term
		if p.Predicate.IsVariable() || seen[name.Value] {
			return
		}
		seen[name.Value] = true
		_ = section.Guard(func() error { // what is damaged is told by the query itself
			if !r.hasPredicate(name) {
				list = append(list, Unknown{Predicate: name.Value, Near: r.near(name.Value)})
			}
			return nil
		})
	})
	return list
}

func (r *Result) hasPredicate(name rdf.Term) bool {
	id, ok := r.data.Dictionary().Lookup(name)
	return ok && (len(r.data.NamedGraphs()) > 0 || r.data.Default().HasLabel(pcsr.Label(id)))
}

// maxNear bounds the predicates that a name is compared with.
const maxNear = 10_000

// near is the predicate of the default graph spelt most like name: two letters apart, or a quarter of its last part.
func (r *Result) near(name string) (best string) {
	local := name[strings.LastIndexAny(name, "/#:")+1:]
	least := max(2, len(local)/4) + 1
	for _, label := range atMost(r.data.Default().UsedLabels(), maxNear) {
		candidate := r.data.Dictionary().Term(label).Value
		if d := len(candidate) - len(name); d >= least || -d >= least {
			continue
		}
		if d := parser.EditDistance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// eachPattern visits the triple patterns of a node that are matched here, those of EXISTS included.
func eachPattern(n parser.Node, visit func(parser.TriplePattern)) {
	parser.Walk(n, func(n parser.Node) bool {
		if bgp, ok := n.(*parser.BGP); ok {
			for _, p := range bgp.Patterns {
				visit(p)
			}
		}
		_, elsewhere := n.(*parser.Service)
		return !elsewhere
	})
}
