package naive

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// What the reference evaluator knows of literals: the operator mapping (SPARQL 1.1 section 17.3), with exact numbers and
// the standard library's dates. It shares no code with the engine.

// literalKind is in the order of ORDER BY.
type literalKind int

const (
	noLiteral literalKind = iota
	numberKind
	dateTimeKind
	dateKind
	booleanKind
	textKind
	languageKind
	otherKind
)

// precision is the order of type promotion.
type precision int

const (
	exactNumber precision = iota
	singleNumber
	doubleNumber
)

// literal is what a term stands for.
type literal struct {
	kind      literalKind
	precision precision
	exact     *big.Rat // of a number that is finite
	float     float64  // of one that is not exact
	moment    time.Time
	zoned     bool
	truth     bool
}

var (
	integerForm = regexp.MustCompile(`^[+-]?[0-9]+$`)
	decimalForm = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)
	floatForm   = regexp.MustCompile(`^([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN)$`)
)

// OneSort reports whether two terms are literals of one sort: numbers, dates and so on.
func OneSort(s, t rdf.Term) bool { return literalOf(s).kind == literalOf(t).kind }

func literalOf(t rdf.Term) literal {
	switch {
	case t.Kind != rdf.Literal:
		return literal{kind: noLiteral}
	case t.Language != "":
		return literal{kind: languageKind}
	case t.Datatype == "":
		return literal{kind: textKind}
	}
	l, ok := literal{}, false
	switch strings.TrimPrefix(t.Datatype, rdf.XSD) {
	case "integer":
		l, ok = exactLiteral(t.Value, integerForm)
	case "byte":
		l, ok = exactLiteral(t.Value, integerForm)
		ok = ok && l.exact.Cmp(big.NewRat(-128, 1)) >= 0 && l.exact.Cmp(big.NewRat(127, 1)) <= 0
	case "decimal":
		l, ok = exactLiteral(t.Value, decimalForm)
	case "float":
		l, ok = floatLiteral(t.Value, singleNumber, 32)
	case "double":
		l, ok = floatLiteral(t.Value, doubleNumber, 64)
	case "boolean":
		l, ok = literal{kind: booleanKind, truth: t.Value == "true" || t.Value == "1"}, t.Value == "true" || t.Value == "false" || t.Value == "1" || t.Value == "0"
	case "date":
		l, ok = timeLiteral(t.Value, dateKind, "2006-01-02")
	case "dateTime":
		l, ok = timeLiteral(t.Value, dateTimeKind, "2006-01-02T15:04:05")
	}
	if !ok {
		return literal{kind: otherKind}
	}
	return l
}

func exactLiteral(s string, form *regexp.Regexp) (literal, bool) {
	if !form.MatchString(s) {
		return literal{}, false
	}
	r, ok := new(big.Rat).SetString(strings.TrimPrefix(s, "+"))
	return literal{kind: numberKind, exact: r}, ok
}

func floatLiteral(s string, p precision, bits int) (literal, bool) {
	if !floatForm.MatchString(s) {
		return literal{}, false
	}
	f, err := strconv.ParseFloat(s, bits)
	l := literal{kind: numberKind, precision: p, float: f}
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		l.exact = new(big.Rat).SetFloat64(f)
	}
	return l, err == nil
}

func timeLiteral(s string, kind literalKind, layout string) (literal, bool) {
	if m, err := time.Parse(layout, s); err == nil {
		return literal{kind: kind, moment: m}, true
	}
	m, err := time.Parse(layout+"Z07:00", s)
	return literal{kind: kind, moment: m, zoned: true}, err == nil
}

// as is a number in another precision.
func (l literal) as(p precision) float64 {
	switch {
	case l.precision != exactNumber:
		return l.float
	case p == singleNumber:
		f, _ := l.exact.Float32()
		return float64(f)
	}
	f, _ := l.exact.Float64()
	return f
}

// compareLiterals is the order of two terms by "<" and its like; an error where they cannot be compared. unordered: a
// number is none.
func compareLiterals(s, t rdf.Term) (order int, unordered, ok bool) {
	a, b := literalOf(s), literalOf(t)
	if a.kind != b.kind {
		return 0, false, false
	}
	switch a.kind {
	case numberKind:
		p := max(a.precision, b.precision)
		if p == exactNumber {
			return a.exact.Cmp(b.exact), false, true
		}
		x, y := a.as(p), b.as(p)
		if p == singleNumber {
			x, y = float64(float32(x)), float64(float32(y))
		}
		return cmp.Compare(x, y), math.IsNaN(x) || math.IsNaN(y), true
	case textKind:
		return strings.Compare(s.Value, t.Value), false, true
	case booleanKind:
		return cmp.Compare(count1(a.truth), count1(b.truth)), false, true
	case dateKind, dateTimeKind:
		order, ok = compareMoments(a, b)
		return order, false, ok
	}
	return 0, false, false
}

func count1(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareMoments compares dates; of two of which one has no zone the order is known only where it is the same in all zones
// from −14:00 to +14:00.
func compareMoments(a, b literal) (order int, ok bool) {
	if a.zoned == b.zoned {
		return a.moment.Compare(b.moment), true
	}
	first := a.moment.Add(-14 * time.Hour).Compare(b.moment)
	last := a.moment.Add(14 * time.Hour).Compare(b.moment)
	return first, first == last && first != 0
}

// equalTerms is "=".
func equalTerms(s, t rdf.Term) (equal, ok bool) {
	a, b := literalOf(s), literalOf(t)
	order, unordered, comparable := compareLiterals(s, t)
	switch {
	case comparable:
		return order == 0 && !unordered, true
	case a.kind == b.kind && (a.kind == dateKind || a.kind == dateTimeKind):
		return false, false
	case s == t:
		return true, true
	case a.kind == noLiteral || b.kind == noLiteral:
		return false, true
	case a.kind == languageKind && b.kind == languageKind:
		return s.Value == t.Value && strings.EqualFold(s.Language, t.Language), true
	case a.kind == languageKind || b.kind == languageKind:
		return false, true
	}
	return false, a.kind != otherKind && b.kind != otherKind
}

// compareTerms is the order of ORDER BY.
func compareTerms(s, t rdf.Term) int {
	rank := func(t rdf.Term) int {
		if t.IsZero() {
			return -1
		}
		return int(literalOf(t).kind)
	}
	if c := cmp.Compare(rank(s), rank(t)); c != 0 {
		return c
	}
	a, b := literalOf(s), literalOf(t)
	switch a.kind {
	case noLiteral: // blank nodes come before IRIs
		return cmp.Or(cmp.Compare(count1(s.Kind == rdf.IRI), count1(t.Kind == rdf.IRI)), compareTexts(s, t))
	case numberKind:
		if a.exact != nil && b.exact != nil {
			return a.exact.Cmp(b.exact)
		}
		x, y := a.as(doubleNumber), b.as(doubleNumber)
		if math.IsNaN(x) || math.IsNaN(y) {
			return cmp.Compare(count1(math.IsNaN(x)), count1(math.IsNaN(y)))
		}
		return cmp.Compare(x, y)
	case dateKind, dateTimeKind:
		return a.moment.Compare(b.moment)
	case booleanKind:
		return cmp.Compare(count1(a.truth), count1(b.truth))
	}
	return compareTexts(s, t)
}

func compareTexts(s, t rdf.Term) int {
	return cmp.Or(cmp.Compare(s.Language, t.Language), cmp.Compare(s.Datatype, t.Datatype), cmp.Compare(s.Value, t.Value))
}

// effective is the effective boolean value of a term.
func effective(t rdf.Term) (value, ok bool) {
	switch l := literalOf(t); l.kind {
	case numberKind:
		return l.exact != nil && l.exact.Sign() != 0 || l.exact == nil && !math.IsNaN(l.float), true
	case booleanKind:
		return l.truth, true
	case textKind, languageKind:
		return t.Value != "", true
	case otherKind: // ill-formed numbers and booleans are false
		switch strings.TrimPrefix(t.Datatype, rdf.XSD) {
		case "integer", "byte", "decimal", "float", "double", "boolean":
			return false, true
		}
	}
	return false, false
}
