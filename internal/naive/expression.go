package naive

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

func integer(n int) rdf.Term { return rdf.NewTyped(strconv.Itoa(n), rdf.XSDInteger) }

func boolean(b bool) rdf.Term { return rdf.NewTyped(strconv.FormatBool(b), rdf.XSDBoolean) }

// isTrue is the effective boolean value; an error is not true.
func (e *Evaluator) isTrue(x parser.Expr, m Solution) bool {
	b, ok := e.truth(x, m)
	return ok && b
}

func (e *Evaluator) truth(x parser.Expr, m Solution) (value, ok bool) {
	t, ok := e.value(x, m)
	if !ok {
		return false, false
	}
	return effective(t)
}

func (e *Evaluator) value(x parser.Expr, m Solution) (rdf.Term, bool) {
	switch x := x.(type) {
	case *parser.Var:
		t, ok := m[x.Name]
		return t, ok
	case *parser.Const:
		return x.Term, true
	case *parser.Exists:
		return boolean((len(e.eval(x.Pattern, m)) > 0) != x.Not), true
	case *parser.Call:
		return e.call(x, m)
	}
	panic("unknown expression")
}

func (e *Evaluator) call(x *parser.Call, m Solution) (rdf.Term, bool) {
	switch x.Function {
	case "BOUND":
		_, ok := m[x.Args[0].(*parser.Var).Name]
		return boolean(ok), true
	case "&&", "||":
		return e.logic(x, m)
	case "!":
		b, ok := e.truth(x.Args[0], m)
		return boolean(!b), ok
	case "IN", "NOT IN":
		return e.among(x, m)
	case "COALESCE":
		for _, a := range x.Args {
			if t, ok := e.value(a, m); ok {
				return t, true
			}
		}
		return rdf.Term{}, false
	case "IF":
		b, ok := e.truth(x.Args[0], m)
		if !ok {
			return rdf.Term{}, false
		}
		if b {
			return e.value(x.Args[1], m)
		}
		return e.value(x.Args[2], m)
	}
	var args []rdf.Term
	for _, a := range x.Args {
		t, ok := e.value(a, m)
		if !ok {
			return rdf.Term{}, false
		}
		args = append(args, t)
	}
	switch x.Function {
	case "SAMETERM":
		return boolean(args[0] == args[1]), true
	case "ISIRI":
		return boolean(args[0].Kind == rdf.IRI), true
	case "ISBLANK":
		return boolean(args[0].Kind == rdf.BlankNode), true
	case "ISLITERAL":
		return boolean(args[0].Kind == rdf.Literal), true
	case "ISNUMERIC":
		return boolean(literalOf(args[0]).kind == numberKind), true
	case "STR":
		return rdf.NewString(args[0].Value), args[0].Kind != rdf.BlankNode
	case "LANG":
		return rdf.NewString(args[0].Language), args[0].Kind == rdf.Literal
	case "DATATYPE":
		return rdf.NewIRI(args[0].DatatypeIRI()), args[0].Kind == rdf.Literal
	case "=", "!=":
		equal, ok := equalTerms(args[0], args[1])
		return boolean(equal == (x.Function == "=")), ok
	case "<", ">", "<=", ">=":
		order, unordered, ok := compareLiterals(args[0], args[1])
		holds := map[string]bool{"<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}[x.Function]
		return boolean(holds && !unordered), ok
	case "+", "-", "*", "/":
		return arithmetic(x.Function, args[0], args[1])
	case "unary+":
		return args[0], literalOf(args[0]).kind == numberKind
	case "unary-", "ABS", "CEIL", "FLOOR", "ROUND":
		return one(x.Function, args[0])
	case "YEAR", "MONTH", "DAY", "HOURS":
		return part(x.Function, args[0])
	case "LANGMATCHES":
		tag, span := strings.ToLower(args[0].Value), strings.ToLower(args[1].Value)
		return boolean(tag == span || strings.HasPrefix(tag, span+"-") || span == "*" && tag != ""), isPlain(args[0]) && isPlain(args[1])
	case "STRSTARTS":
		return boolean(strings.HasPrefix(args[0].Value, args[1].Value)), isString(args[0]) && isPlain(args[1])
	case "REGEX": // of a text behind ^
		text, begins := strings.CutPrefix(args[1].Value, "^")
		return boolean(strings.HasPrefix(args[0].Value, text)), isString(args[0]) && begins
	case "STRLEN", "UCASE", "LCASE", "CONCAT", "SUBSTR", "REPLACE", "STRBEFORE", "STRAFTER":
		return onStrings(x.Function, args)
	case "UUID", "STRUUID", "RAND", "BNODE":
		return unlike(x.Function), true
	}
	panic("naive: not computed: " + x.Function)
}

var unlikes atomic.Int64

// unlike returns a term that no call returned before: what RAND and the like are, as far as can be compared.
func unlike(function string) rdf.Term {
	n := strconv.FormatInt(unlikes.Add(1), 10)
	switch function {
	case "UUID":
		return rdf.NewIRI("urn:uuid:" + n)
	case "STRUUID":
		return rdf.NewString("uuid " + n)
	case "BNODE":
		return rdf.NewBlank("unlike " + n)
	}
	return rdf.NewTyped("0.5"+n+"1", rdf.XSD+"double")
}

// among is IN and NOT IN (section 17.4.1.9): "=" with each item, connected by ||.
func (e *Evaluator) among(x *parser.Call, m Solution) (rdf.Term, bool) {
	value, ok := e.value(x.Args[0], m)
	if !ok {
		return rdf.Term{}, false
	}
	found, failed := false, false
	for _, item := range x.Args[1:] {
		t, known := e.value(item, m)
		equal := false
		if known {
			equal, known = equalTerms(value, t)
		}
		found, failed = found || known && equal, failed || !known
	}
	return boolean(found == (x.Function == "IN")), found || !failed
}

// logic is the three-valued && and || (section 17.2).
func (e *Evaluator) logic(x *parser.Call, m Solution) (rdf.Term, bool) {
	a, ok := e.truth(x.Args[0], m)
	b, ok2 := e.truth(x.Args[1], m)
	decisive := x.Function == "||"
	if ok && a == decisive || ok2 && b == decisive {
		return boolean(decisive), true
	}
	return boolean(!decisive), ok && ok2
}
