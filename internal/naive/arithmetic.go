package naive

import (
	"math/big"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// arithmetic is "+", "-" or "*" of two integers or decimals (SPARQL 1.1 section 17.3); no other numbers are known to it.
func arithmetic(op string, a, b rdf.Term) (rdf.Term, bool) {
	x, y := literalOf(a), literalOf(b)
	if x.kind != numberKind || y.kind != numberKind {
		return rdf.Term{}, false
	}
	if x.precision != exactNumber || y.precision != exactNumber {
		panic("naive: not computed: " + op + " of floats")
	}
	r := new(big.Rat)
	switch op {
	case "+":
		r.Add(x.exact, y.exact)
	case "-":
		r.Sub(x.exact, y.exact)
	default:
		r.Mul(x.exact, y.exact)
	}
	if a.Datatype != rdf.XSDDecimal && b.Datatype != rdf.XSDDecimal {
		return rdf.NewTyped(r.Num().String(), rdf.XSDInteger), true
	}
	return rdf.NewTyped(decimalText(r), rdf.XSDDecimal), true
}

// decimalText is a decimal's canonical form (XML Schema 1.0, section 3.2.3.2), of up to 100 decimals.
func decimalText(r *big.Rat) string {
	text := strings.TrimRight(r.FloatString(100), "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return text
}
