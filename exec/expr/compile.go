package expr

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// ErrFunction says that an expression calls a builtin or aggregate that does not exist, which no parsed query does.
var ErrFunction = errors.New("no such function")

// ErrPattern says that the pattern of a REGEX, a constant, is no regular expression.
var ErrPattern = errors.New("wrong pattern")

// functions are the builtins whose results are terms and whose arguments must not be errors.
var functions = map[string]function{
	"STR": str, "LANG": lang, "DATATYPE": datatype, "IRI": iri, "BNODE": bnode, "STRDT": strdt, "STRLANG": strlang,
	"UUID": uuid, "STRUUID": struuid, "RAND": random, "NOW": now,
	"STRLEN": strlen, "SUBSTR": substr, "UCASE": mapped(strings.ToUpper), "LCASE": mapped(strings.ToLower),
	"STRBEFORE": strbefore, "STRAFTER": strafter, "CONCAT": concat, "ENCODE_FOR_URI": encodeForURI, "REPLACE": replace,
	"SECONDS": secondsOf, "TIMEZONE": timezone, "TZ": tz,
	"MD5": digests["MD5"], "SHA1": digests["SHA1"], "SHA256": digests["SHA256"], "SHA384": digests["SHA384"],
	"SHA512": digests["SHA512"],
}

// predicates are the builtins whose results are truth values and whose arguments must not be errors.
var predicates = map[string]predicate{
	"ISIRI": isKind(rdf.IRI), "ISBLANK": isKind(rdf.BlankNode), "ISLITERAL": isKind(rdf.Literal), "ISNUMERIC": isNumeric,
	"CONTAINS": contains, "STRSTARTS": matches(strings.HasPrefix), "STRENDS": matches(strings.HasSuffix),
	"LANGMATCHES": langMatches, "REGEX": regex,
}

// costly are the builtins whose results are worth remembering by ID.
var costly = map[string]bool{
	"STRLEN": true, "SUBSTR": true, "UCASE": true, "LCASE": true, "STRBEFORE": true, "STRAFTER": true, "CONCAT": true,
	"ENCODE_FOR_URI": true, "REPLACE": true, "CONTAINS": true, "STRSTARTS": true, "STRENDS": true, "REGEX": true,
	"MD5": true, "SHA1": true, "SHA256": true, "SHA384": true, "SHA512": true, "STR": true, "IRI": true, "STRDT": true,
	"STRLANG": true,
}

// volatile are the builtins that may give another result each time.
var volatile = map[string]bool{"RAND": true, "UUID": true, "STRUUID": true, "BNODE": true}

type compiler struct {
	env     *Env
	columns map[string]int
	memos   int
	nodes   int
	inMemo  bool
	traits  map[parser.Expr]traits
}

// traits is what is known of an expression and all inside it.
type traits struct {
	// index is the column that it reads, -1 for none.
	index int
	// stable: it reads one column at most, and gives the same result each time. worth: a part of it is costly.
	stable, worth bool
}

// compileStep is how many nodes are compiled between two looks at whether the query has ended.
const compileStep = 256

// compile compiles e, remembering its results by ID when that pays.
func (c *compiler) compile(e parser.Expr) (node, error) {
	if c.nodes++; c.nodes%compileStep == 0 && !c.env.goesOn() {
		return nil, c.env.Err()
	}
	if c.inMemo {
		return c.plain(e)
	}
	t := c.traitsOf(e)
	if !t.stable || !t.worth || t.index < 0 {
		return c.plain(e)
	}
	index := t.index
	c.inMemo = true
	n, err := c.plain(e)
	c.inMemo = false
	if err != nil {
		return nil, err
	}
	if _, folded := n.(*constant); folded {
		return n, nil
	}
	c.memos++
	if t, ok := n.(condition); ok {
		return &memoTest{of: t, index: index, slot: c.memos - 1}, nil
	}
	return &memoValue{of: n, index: index, slot: c.memos - 1}, nil
}

// ranged replaces a condition of a filter by ranges of IDs where these are few.
func (c *compiler) ranged(e parser.Expr, n node) node {
	if c.env.Dictionary == nil {
		return n
	}
	variable, ranges, ok := IDRanges(e, c.env.Dictionary)
	index, bound := c.columns[variable]
	if !ok || !bound || len(ranges) > maxRanges {
		return n
	}
	return &ranged{index: index, ranges: ranges, end: c.env.Dictionary.Ordered(), of: n}
}

// traitsOf looks at e once, however often it is asked.
func (c *compiler) traitsOf(e parser.Expr) traits {
	if t, known := c.traits[e]; known {
		return t
	}
	t := traits{index: -1, stable: true}
	var args []parser.Expr
	switch e := e.(type) {
	case *parser.Var:
		i, ok := c.columns[e.Name]
		if ok {
			t.index = i
		}
		return t
	case *parser.Exists:
		t.stable = false
	case *parser.FunctionCall:
		args = e.Args
	case *parser.Call:
		args = e.Args
		t.worth, t.stable = costly[e.Function], !volatile[e.Function]
	}
	for _, arg := range args {
		of := c.traitsOf(arg)
		t.worth, t.stable = t.worth || of.worth, t.stable && of.stable
		switch {
		case of.index < 0:
		case t.index < 0:
			t.index = of.index
		case t.index != of.index:
			t.stable = false
		}
	}
	if c.traits == nil {
		c.traits = map[parser.Expr]traits{}
	}
	c.traits[e] = t
	return t
}

func (c *compiler) plain(e parser.Expr) (node, error) {
	switch e := e.(type) {
	case *parser.Var:
		if i, ok := c.columns[e.Name]; ok {
			return &column{i}, nil
		}
		return &constant{}, nil
	case *parser.Const:
		n := &constant{}
		n.datum.setTerm(e.Term)
		n.datum.id = c.env.Terms.ID(e.Term)
		n.datum.value = c.env.Terms.Value(n.datum.id)
		n.datum.known |= hasID | hasValue
		return n, nil
	case *parser.Exists:
		return nil, errors.New("expr: EXISTS cannot stand here")
	case *parser.FunctionCall:
		if !Known(e) {
			return &constant{}, nil
		}
		fn := cast(e.IRI)
		args, err := c.args(e.Args)
		if err != nil {
			return nil, err
		}
		return c.fold(&call{fn: fn, args: args, repeats: true}, args), nil
	case *parser.Call:
		return c.call(e)
	}
	return nil, fmt.Errorf("expr: unknown expression %T", e)
}

// Known reports whether there is a function of that name for so many arguments. A call of another one is an error in every
// solution (section 17.2), which the expression around it may survive.
func Known(e *parser.FunctionCall) bool {
	return len(e.Args) == 1 && !e.Distinct && cast(e.IRI) != nil
}

func (c *compiler) args(list []parser.Expr) ([]node, error) {
	nodes := make([]node, len(list))
	for i, e := range list {
		n, err := c.compile(e)
		if err != nil {
			return nil, err
		}
		nodes[i] = n
	}
	return nodes, nil
}

// call compiles an operator or builtin.
func (c *compiler) call(e *parser.Call) (node, error) {
	if e.Function == "BOUND" {
		if v, ok := e.Args[0].(*parser.Var); ok {
			if i, ok := c.columns[v.Name]; ok {
				return &bound{i}, nil
			}
		}
		return &bound{-1}, nil
	}
	args, err := c.args(e.Args)
	if err != nil {
		return nil, err
	}
	n, err := c.apply(e.Function, args)
	if err != nil || volatile[e.Function] {
		return n, err
	}
	return c.fold(n, args), nil
}

func (c *compiler) apply(name string, args []node) (node, error) {
	switch name {
	case "||":
		return &or{args[0], args[1]}, nil
	case "&&":
		return &and{args[0], args[1]}, nil
	case "!":
		return &not{args[0]}, nil
	case "IF":
		return &choose{args[0], args[1], args[2]}, nil
	case "COALESCE":
		return &coalesce{args}, nil
	case "IN", "NOT IN":
		return &in{value: args[0], items: args[1:], negate: name == "NOT IN", ids: c.iris(args[1:])}, nil
	case "REGEX":
		return c.regex(args)
	}
	if n := computedNumber(name, args); n != nil {
		return n, nil
	}
	if op, ok := operators[name]; ok {
		return c.comparison(op, args[0], args[1]), nil
	}
	if fn, ok := predicates[name]; ok {
		return &ask{fn: fn, args: args}, nil
	}
	if fn, ok := functions[name]; ok {
		return &call{fn: fn, args: args, repeats: len(args) == 1 && !volatile[name]}, nil
	}
	return nil, fmt.Errorf("expr: %w: %s", ErrFunction, name)
}

// computedNumber is a function whose results are numbers; nil for the others.
func computedNumber(name string, args []node) node {
	switch name {
	case "+", "-", "*", "/":
		return &calculation{op: name[0], left: args[0], right: args[1]}
	case "unary-":
		return &negative{args[0]}
	case "unary+":
		return &positive{args[0]}
	case "ABS", "CEIL", "FLOOR", "ROUND":
		return &rounding{op: name, of: args[0]}
	}
	if of := dictionary.PartOf(name); of != 0 {
		return &part{of: args[0], part: of}
	}
	return nil
}

// iris returns the IDs of nodes that are all constant IRIs, nil when some are not.
func (c *compiler) iris(nodes []node) map[dictionary.ID]bool {
	r := newRun(c.env)
	ids := make(map[dictionary.ID]bool, len(nodes))
	for _, n := range nodes {
		k, ok := n.(*constant)
		if !ok || !k.datum.ok() || r.valueOf(&k.datum).Kind != dictionary.NoValue {
			return nil
		}
		ids[r.idOf(&k.datum)] = true
	}
	return ids
}

// comparison picks the way to compare: a variable with a constant needs no strings.
func (c *compiler) comparison(op operator, left, right node) node {
	if _, ok := left.(*constant); ok {
		left, right, op = right, left, mirrored[op]
	}
	variable, isColumn := left.(*column)
	k, isConstant := right.(*constant)
	if isColumn && isConstant && k.datum.ok() {
		r := newRun(c.env)
		v := r.valueOf(&k.datum)
		switch {
		case op == opSame, op <= opNotEqual && v.Kind == dictionary.NoValue:
			return &columnTerm{index: variable.index, id: r.idOf(&k.datum), negate: op == opNotEqual}
		case v.Kind >= dictionary.Integer && v.Kind <= dictionary.Boolean:
			return &columnValue{index: variable.index, op: op, datum: k.datum}
		}
	}
	return &comparison{op: op, left: left, right: right}
}

// regex compiles REGEX; a constant pattern is compiled once and must be right.
func (c *compiler) regex(args []node) (node, error) {
	var texts [2]string
	for i, arg := range args[1:] {
		k, ok := arg.(*constant)
		if !ok || !k.datum.ok() {
			return &ask{fn: regex, args: args}, nil
		}
		r := newRun(c.env)
		if texts[i], ok = r.plainText(&k.datum); !ok {
			return &constant{}, nil
		}
	}
	key := patternKey{texts[0], texts[1]}
	if !c.env.goesOn() {
		return nil, c.env.Err()
	}
	p := compilePattern(key)
	if p.err != nil {
		return nil, fmt.Errorf("expr: %w of REGEX: %w", ErrPattern, p.err)
	}
	return &constantRegex{text: args[0], pattern: p, plain: plainSearch(key)}, nil
}

// fold evaluates a node whose arguments are all constant.
func (c *compiler) fold(n node, args []node) node {
	for _, arg := range args {
		if _, ok := arg.(*constant); !ok {
			return n
		}
	}
	r := newRun(c.env)
	r.columns, r.size = c.columns, 1
	var out [1]datum
	n.eval(r, []uint32{0}, out[:])
	r.discharge()
	return &constant{datum: out[0]}
}
