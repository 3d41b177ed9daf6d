package naive

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// arithmetic is "+", "-", "*" or "/" of two numbers, promoted to their common type (section 17.3); not ok where one is no number, and for a
// division of exact ones by zero. A quotient of exact numbers has 18 decimals, or as many digits where it is smaller than 0.1.
func arithmetic(op string, s, t rdf.Term) (rdf.Term, bool) {
	a, b := literalOf(s), literalOf(t)
	if a.kind != numberKind || b.kind != numberKind {
		return rdf.Term{}, false
	}
	p := max(a.precision, b.precision)
	if p != exactNumber {
		f := floatArithmetic(op, a.as(p), b.as(p))
		if p == singleNumber {
			f = float64(float32(f))
		}
		return floatTerm(f, p), true
	}
	r := new(big.Rat)
	switch op {
	case "+":
		r.Add(a.exact, b.exact)
	case "-":
		r.Sub(a.exact, b.exact)
	case "*":
		r.Mul(a.exact, b.exact)
	default:
		if b.exact.Sign() == 0 {
			return rdf.Term{}, false
		}
		return exactTerm(quotient(a.exact, b.exact), false), true
	}
	return exactTerm(r, isInteger(s) && isInteger(t)), true
}

func isInteger(t rdf.Term) bool {
	return strings.HasSuffix(t.Datatype, "#integer") || strings.HasSuffix(t.Datatype, "#byte")
}

func floatArithmetic(op string, a, b float64) float64 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	}
	return a / b
}

// quotient is a / b, rounded once, halves away from zero.
func quotient(a, b *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(a, b)
	digits, least := 18, new(big.Rat).Abs(q)
	tenth := big.NewRat(1, 10)
	for least.Sign() > 0 && least.Cmp(tenth) < 0 {
		least.Quo(least, tenth)
		digits++
	}
	r, _ := new(big.Rat).SetString(q.FloatString(digits))
	return r
}

// exactTerm is an xsd:integer or xsd:decimal in canonical form.
func exactTerm(r *big.Rat, integral bool) rdf.Term {
	if integral {
		return rdf.NewTyped(r.FloatString(0), rdf.XSDInteger)
	}
	text := r.FloatString(200)
	text = strings.TrimRight(text, "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return rdf.NewTyped(text, rdf.XSDDecimal)
}

// floatTerm is an xsd:float or xsd:double in canonical form.
func floatTerm(f float64, p precision) rdf.Term {
	datatype, size := rdf.XSDDouble, 64
	if p == singleNumber {
		datatype, size = rdf.XSDFloat, 32
	}
	switch {
	case math.IsNaN(f):
		return rdf.NewTyped("NaN", datatype)
	case math.IsInf(f, 1):
		return rdf.NewTyped("INF", datatype)
	case math.IsInf(f, -1):
		return rdf.NewTyped("-INF", datatype)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, size), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return rdf.NewTyped(mantissa+"E"+strconv.Itoa(n), datatype)
}

// one is a function of one number that gives one of the same type.
func one(function string, t rdf.Term) (rdf.Term, bool) {
	a := literalOf(t)
	if a.kind != numberKind {
		return rdf.Term{}, false
	}
	if a.precision != exactNumber {
		return floatTerm(oneFloat(function, a.float), a.precision), true
	}
	r := new(big.Rat).Set(a.exact)
	switch function {
	case "unary-":
		r.Neg(r)
	case "ABS":
		r.Abs(r)
	case "CEIL":
		r.Neg(floor(r.Neg(r)))
	case "ROUND":
		r = floor(r.Add(r, big.NewRat(1, 2)))
	case "FLOOR":
		r = floor(r)
	}
	return exactTerm(r, isInteger(t)), true
}

func oneFloat(function string, f float64) float64 {
	switch function {
	case "unary-":
		return -f
	case "ABS":
		return math.Abs(f)
	case "CEIL":
		return math.Ceil(f)
	case "ROUND":
		if f == 0 || math.IsInf(f, 0) {
			return f
		}
		return math.Copysign(math.Floor(f+0.5), f)
	}
	return math.Floor(f)
}

func floor(r *big.Rat) *big.Rat {
	n := new(big.Int)
	n.Div(r.Num(), r.Denom()) // Euclid's, which is the floor for a positive divisor
	return new(big.Rat).SetInt(n)
}

// part is YEAR, MONTH or DAY of a date, as it is written.
func part(function string, t rdf.Term) (rdf.Term, bool) {
	l := literalOf(t)
	if l.kind != dateKind && l.kind != dateTimeKind {
		return rdf.Term{}, false
	}
	switch function {
	case "YEAR":
		return integer(l.moment.Year()), true
	case "MONTH":
		return integer(int(l.moment.Month())), true
	case "HOURS":
		return integer(l.moment.Hour()), l.kind == dateTimeKind
	}
	return integer(l.moment.Day()), true
}
