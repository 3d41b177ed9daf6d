package planner

import (
	"math"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// kind is a sort of terms that lie together, in a few ranges of each segment of a dictionary.
type kind struct {
	// ranges are those of the ordered IDs, at least of those in within, ascending, that do not touch; as far as they are told with so many searches for texts.
	ranges func(d *dictionary.Dictionary, within dictionary.Range, searches int) (ranges []dictionary.Range, told telling)
	// perhaps are ranges of other ordered IDs, of which some may be of the kind; nil: none are.
	perhaps func(d *dictionary.Dictionary) []dictionary.Range
	// has reports whether a term is one.
	has func(d *dictionary.Dictionary, id dictionary.ID) bool
}

// telling is what ranges tell of a kind.
type telling uint8

const (
	nothing telling = iota
	among           // all of the kind are in them
	exactly         // and nothing else is
)

// sections is a kind that is whole sections, or is among their terms.
func sections(first, last dictionary.Section, told telling, has func(d *dictionary.Dictionary, id dictionary.ID) bool) kind {
	return kind{ranges: func(d *dictionary.Dictionary, _ dictionary.Range, _ int) ([]dictionary.Range, telling) {
		return d.Sections(first, last), told
	}, has: has}
}

// ofKinds is has of terms that are of one of some kinds.
func ofKinds(kinds ...rdf.Kind) func(d *dictionary.Dictionary, id dictionary.ID) bool {
	return func(d *dictionary.Dictionary, id dictionary.ID) bool { return slices.Contains(kinds, d.Kind(id)) }
}

// resources are the IDs of IRIs and blank nodes that are no predicates.
func resources(d *dictionary.Dictionary) []dictionary.Range {
	return d.Sections(dictionary.Resources, dictionary.Resources)
}

// tests are the kinds that functions of one argument ask for, and their negations.
var tests = func() map[string]kind {
	kinds := map[string]kind{
		"ISNUMERIC":  sections(dictionary.Numbers, dictionary.Numbers, exactly, func(d *dictionary.Dictionary, id dictionary.ID) bool { return d.Value(id).IsNumeric() }),
		"ISLITERAL":  sections(dictionary.Numbers, dictionary.Others, exactly, ofKinds(rdf.Literal)),
		"!ISLITERAL": sections(dictionary.Predicates, dictionary.Resources, exactly, ofKinds(rdf.IRI, rdf.BlankNode)),
	}
	iri, blank := sections(dictionary.Predicates, dictionary.Resources, among, ofKinds(rdf.IRI)), sections(dictionary.Resources, dictionary.Resources, among, ofKinds(rdf.BlankNode))
	other := sections(dictionary.Numbers, dictionary.Others, exactly, ofKinds(rdf.BlankNode, rdf.Literal))
	other.perhaps = resources
	kinds["ISIRI"], kinds["ISBLANK"], kinds["!ISIRI"] = iri, blank, other
	return kinds
}()

// tagged are the literals with a language tag that matches.
func tagged(matches func(tag string) bool) kind {
	return kind{
		ranges: func(d *dictionary.Dictionary, _ dictionary.Range, _ int) ([]dictionary.Range, telling) {
			return d.Languages(matches), exactly
		},
		has: func(d *dictionary.Dictionary, id dictionary.ID) bool {
			tag := d.Language(id)
			return tag != "" && matches(tag)
		},
	}
}

// oneOf are some texts with language tags, which are equal to the same texts with tags in other cases.
func oneOf(terms []rdf.Term) kind {
	return kind{
		ranges: func(d *dictionary.Dictionary, _ dictionary.Range, _ int) ([]dictionary.Range, telling) {
			var ids []dictionary.ID
			for _, t := range terms {
				ids = append(ids, d.Tagged(t.Value, t.Language)...)
			}
			return ranged(ids), exactly
		},
		has: func(d *dictionary.Dictionary, id dictionary.ID) bool {
			u := d.Term(id)
			return slices.ContainsFunc(terms, func(t rdf.Term) bool { return t.Value == u.Value && strings.EqualFold(t.Language, u.Language) })
		},
	}
}

// beginning are the strings that begin with a prefix, which is not empty, or with ofAny all IRIs and literals whose text does.
func beginning(prefix string, ofAny bool) kind {
	k := kind{
		ranges: func(d *dictionary.Dictionary, within dictionary.Range, searches int) ([]dictionary.Range, telling) {
			if ranges, ok := d.Beginning(prefix, ofAny, within, searches); ok {
				return ranges, exactly
			}
			return nil, nothing
		},
		has: func(d *dictionary.Dictionary, id dictionary.ID) bool {
			t := d.Term(id)
			isString := t.Kind == rdf.Literal && (t.Language != "" || t.DatatypeIRI() == rdf.XSDString)
			return (isString || ofAny && t.Kind != rdf.BlankNode) && strings.HasPrefix(t.Value, prefix)
		},
	}
	if ofAny {
		k.perhaps = func(d *dictionary.Dictionary) []dictionary.Range {
			if mayBeValue(prefix) {
				return d.Sections(dictionary.Predicates, dictionary.Booleans)
			}
			return d.Sections(dictionary.Predicates, dictionary.Resources)
		}
	}
	return k
}

// spelled are the IRIs and literals with one of some texts.
func spelled(texts []rdf.Term) kind {
	k := kind{
		ranges: func(d *dictionary.Dictionary, within dictionary.Range, searches int) ([]dictionary.Range, telling) {
			var ids []dictionary.ID
			for _, t := range texts {
				same, ok := d.Spelled(t.Value, within, searches/len(texts))
				if !ok {
					return nil, nothing
				}
				ids = append(ids, same...)
			}
			return ranged(ids), exactly
		},
		has: func(d *dictionary.Dictionary, id dictionary.ID) bool {
			u := d.Term(id)
			return u.Kind != rdf.BlankNode && slices.ContainsFunc(texts, func(t rdf.Term) bool { return t.Value == u.Value })
		},
	}
	if slices.ContainsFunc(texts, func(t rdf.Term) bool { return mayBeValue(t.Value) }) {
		k.perhaps = func(d *dictionary.Dictionary) []dictionary.Range {
			return d.Sections(dictionary.Numbers, dictionary.Booleans)
		}
	}
	return k
}

// ofYears are the dates and times of some years.
func ofYears(low, high int64) kind {
	return kind{
		ranges: func(d *dictionary.Dictionary, _ dictionary.Range, _ int) ([]dictionary.Range, telling) {
			ranges, exact := d.YearRange(low, high)
			if !exact {
				return ranges, among
			}
			return ranges, exactly
		},
		has: func(d *dictionary.Dictionary, id dictionary.ID) bool { return d.Value(id).IsInYears(low, high) },
	}
}

// ranged are the ranges of some IDs.
func ranged(ids []dictionary.ID) []dictionary.Range {
	slices.Sort(ids)
	return withIDs(nil, slices.Compact(ids))
}

// mayBeValue reports whether a number, a date, a time or a boolean, as data may write it, may begin with a text.
func mayBeValue(text string) bool {
	return text != "" && strings.IndexByte("0123456789+-.INtf \t\r\n", text[0]) >= 0
}

// kindOf recognises a condition that is true exactly where a variable has a term of some kind, and what ranges say of it:
//
//	isLiteral(?v)   !isLiteral(?v)   isNumeric(?v)   isIRI(?v)   !isIRI(?v)   isBlank(?v)
//	?v = "text"@en   ?v IN ("text"@en, "Text"@de)   ?v = "text"@en || ?v = "Text"@de
//	LANG(?v) = "en"   LANG(?v) IN ("en", "de")   LANG(?v) = "en" || LANG(?v) = "de"   langMatches(LANG(?v), "en")
//	STR(?v) = "text"   STR(?v) IN ("text", "more")   STRSTARTS(?v, "text")   STRSTARTS(STR(?v), "text")   REGEX(?v, "^text")   REGEX(STR(?v), "^text")   YEAR(?v) = 2000   YEAR(?v) < 2000
func kindOf(e parser.Expr) (v string, k kind, ok bool) {
	if v, tags, ok := constants(e, languageOf, byValue(isTag)); ok {
		return v, tagged(func(tag string) bool {
			return slices.ContainsFunc(tags, func(t rdf.Term) bool { return t.Value == tag })
		}), true
	}
	if v, terms, ok := constants(e, variableOf, byValue(isTagged)); ok {
		return v, oneOf(terms), true
	}
	if v, texts, ok := constants(e, textOf, byValue(isPlainText)); ok {
		return v, spelled(texts), true
	}
	if v, low, high, ok := years(e); ok {
		return v, ofYears(low, high), true
	}
	call, isCall := e.(*parser.Call)
	if !isCall || len(call.Args) == 0 {
		return "", k, false
	}
	not := ""
	if inner, isCall := call.Args[0].(*parser.Call); isCall && call.Function == "!" {
		not, call = "!", inner
	}
	if k, ok = tests[not+call.Function]; ok {
		v, ok = variableOf(call.Args[0])
		return v, k, ok
	}
	if not != "" {
		return "", k, false
	}
	switch call.Function {
	case "LANGMATCHES":
		v, ofLanguage := languageOf(call.Args[0])
		span, isText := plainText(call.Args[1])
		return v, tagged(func(tag string) bool { return rdf.LanguageMatches(tag, span) }), ofLanguage && isText && span != "" // which what has no tag matches
	case "STRSTARTS", "REGEX":
		prefix, isText := plainText(call.Args[1])
		if call.Function == "REGEX" {
			found := false
			prefix, found = strings.CutPrefix(prefix, "^")
			isText = isText && found && len(call.Args) == 2 && !strings.ContainsAny(prefix, `\.^$*+?()[]{}|`)
		}
		if !isText || prefix == "" {
			return "", k, false
		}
		if v, ok = textOf(call.Args[0]); ok {
			return v, beginning(prefix, true), true
		}
		v, ok = variableOf(call.Args[0])
		return v, beginning(prefix, false), ok
	}
	return "", k, false
}

// constants recognises a condition that is true exactly where what subject recognises is equal to one of some constants, or is identical to it, each of which is usable so.
func constants(e parser.Expr, subject func(parser.Expr) (v string, ok bool), usable func(t rdf.Term, identical bool) bool) (v string, list []rdf.Term, ok bool) {
	call, isCall := e.(*parser.Call)
	if !isCall || len(call.Args) < 2 {
		return "", nil, false
	}
	args := call.Args
	switch call.Function {
	case "||":
		if v, list, ok = constants(args[0], subject, usable); !ok {
			return "", nil, false
		}
		other, more, both := constants(args[1], subject, usable)
		return v, append(list, more...), both && v == other
	case "=", "SAMETERM":
		if _, isConst := args[0].(*parser.Const); isConst {
			args = []parser.Expr{args[1], args[0]}
		}
	case "IN":
	default:
		return "", nil, false
	}
	if v, ok = subject(args[0]); !ok {
		return "", nil, false
	}
	for _, a := range args[1:] {
		k, isConst := a.(*parser.Const)
		if !isConst || !usable(k.Term, call.Function == "SAMETERM") {
			return "", nil, false
		}
		list = append(list, k.Term)
	}
	return v, list, true
}

// byValue are constants that are usable where something is equal to them.
func byValue(usable func(rdf.Term) bool) func(t rdf.Term, identical bool) bool {
	return func(t rdf.Term, identical bool) bool { return !identical && usable(t) }
}

func isTagged(t rdf.Term) bool { return t.Language != "" }

// isTag reports whether a constant may be a language tag, which LANG is only of literals that have it.
func isTag(t rdf.Term) bool { return isPlainText(t) && t.Value != "" }

func isPlainText(t rdf.Term) bool { return dictionary.ParseValue(t).Kind == dictionary.String }

// variableOf is the variable that an expression is.
func variableOf(e parser.Expr) (v string, ok bool) {
	of, isVar := e.(*parser.Var)
	if !isVar {
		return "", false
	}
	return of.Name, true
}

// years recognises a comparison of the year of a variable with a constant, and says from which to which year it is true.
func years(e parser.Expr) (v string, low, high int64, ok bool) {
	call, isCall := e.(*parser.Call)
	if !isCall || len(call.Args) != 2 {
		return "", 0, 0, false
	}
	ops, known := comparisons[call.Function]
	op, constant := ops.as, call.Args[1]
	if v, ok = yearOf(call.Args[0]); !ok {
		op, constant = ops.mirrored, call.Args[0]
		v, ok = yearOf(call.Args[1])
	}
	k, isConst := constant.(*parser.Const)
	if !known || !ok || !isConst {
		return "", 0, 0, false
	}
	year := dictionary.ParseValue(k.Term)
	if year.Kind != dictionary.Integer || year.Big != nil {
		return "", 0, 0, false
	}
	low, high = math.MinInt64, math.MaxInt64
	if op == dictionary.IsEqual || op == dictionary.IsGreaterOrEqual || op == dictionary.IsGreater {
		low = year.Int
	}
	if op == dictionary.IsEqual || op == dictionary.IsLessOrEqual || op == dictionary.IsLess {
		high = year.Int
	}
	if op == dictionary.IsGreater && low < math.MaxInt64 {
		low++
	}
	if op == dictionary.IsLess && high > math.MinInt64 {
		high--
	}
	return v, low, high, true
}

// argumentOf recognises a function of a variable.
func argumentOf(function string) func(e parser.Expr) (v string, ok bool) {
	return func(e parser.Expr) (v string, ok bool) {
		call, isCall := e.(*parser.Call)
		if !isCall || call.Function != function || len(call.Args) != 1 {
			return "", false
		}
		return variableOf(call.Args[0])
	}
}

var (
	languageOf = argumentOf("LANG")
	textOf     = argumentOf("STR")
	yearOf     = argumentOf("YEAR")
)

// isSearched reports whether a condition's IDs have to be searched for among texts.
func isSearched(e parser.Expr) bool {
	call, isCall := e.(*parser.Call)
	if !isCall {
		return false
	}
	ofText := func(e parser.Expr) bool { _, is := textOf(e); return is }
	return call.Function == "STRSTARTS" || call.Function == "REGEX" || slices.ContainsFunc(call.Args, ofText)
}

// pushSearched hands conditions to a match, of so many that it does not apply, whose IDs are searched for in less time than the match and the test of its rows are expected to take, and returns
// the others.
func (p *planner) pushSearched(pushed *pushedFilters, n *parser.BGP, conditions []parser.Expr, r request, m *Match) (rest []parser.Expr) {
	pushed.searches = int(min((m.Cost+m.Rows*testPrice)/searchPrice, mostSearches))
	vars := p.free(n, r)
	for _, e := range conditions {
		if isSearched(e) && p.pushRange(pushed, n, vars, e, conditions) {
			pushed.notes = append(pushed.notes, p.exprText(e))
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}

// plainText is the text of a constant that is a plain string.
func plainText(e parser.Expr) (text string, ok bool) {
	k, isConst := e.(*parser.Const)
	if !isConst || !isPlainText(k.Term) {
		return "", false
	}
	return k.Term.Value, true
}

// ofKind are the IDs of a kind's terms, at least of those in within, that a variable of a pattern may have, and what is told by them. Where more terms have arrived than are looked at one by
// one, all of them are there. Nothing is told where other values of the variable may be of the kind.
func (p *planner) ofKind(k kind, n *parser.BGP, v string, within dictionary.Range, searches int) (ranges []dictionary.Range, told telling) {
	d := p.options.Dictionary
	ranges, told = k.ranges(d, within, searches)
	values := p.possibleValues(n, v)
	isSpanned := values != nil && values.Rows() > 0
	if told == nothing || k.perhaps != nil && !isSpanned {
		return nil, nothing
	}
	if isSpanned {
		first, last := values.Ends()
		span := []dictionary.Range{{From: first, To: last + 1}}
		if k.perhaps != nil && len(dictionary.Intersect(k.perhaps(d), span)) > 0 {
			return nil, nothing
		}
		if len(ranges) > 1 {
			ranges = dictionary.Intersect(ranges, span)
		}
	}
	from, to := d.Ordered(), dictionary.ID(d.Len())
	if int(to-from) > p.options.Tuning.MaxListed {
		return append(ranges, dictionary.Range{From: from, To: to}), among
	}
	var arrived []dictionary.ID
	for id := from; id < to; id++ {
		if k.has(d, id) {
			arrived = append(arrived, id)
		}
	}
	return withIDs(ranges, arrived), told
}
