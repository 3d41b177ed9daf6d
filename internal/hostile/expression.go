package hostile

// condition draws an expression that is meant for a filter.
func (g *Generator) condition(depth int) *Node {
	if depth == 0 {
		return &Node{Kind: Expression, Open: g.Fill(g.oneOf("(?a != ?b)", "(?a = ?b)", "BOUND(?c)", "(STR(?a) < STR(?b))", "(?b IN (%t, %l, ?a))", "sameTerm(?a, ?d)",
			"REGEX(STR(?b), \"(a+)+$\")", "REGEX(STR(?b), STR(?a), \"i\")", "CONTAINS(STR(?a), STR(?b))", "LANGMATCHES(LANG(?b), \"*\")", "(RAND() < 0.5)",
			"(STRLEN(SHA512(STR(?a))) > 2)", "(?b NOT IN (?a, ?c, ?d, ?e))", "(1/0)"))}
	}
	switch g.pick(5) {
	case 0:
		return &Node{Kind: Expression, Open: "(", Parts: []*Node{g.condition(depth - 1), g.condition(depth - 1)}, Separator: g.oneOf(" && ", " || ", " = "), Close: ")"}
	case 1:
		return &Node{Kind: Expression, Open: "(!(", Parts: []*Node{g.condition(depth - 1)}, Close: "))"}
	case 2:
		return &Node{Kind: Expression, Open: g.oneOf("EXISTS ", "NOT EXISTS "), Parts: []*Node{g.group(depth - 1)}}
	case 3:
		return &Node{Kind: Expression, Open: g.oneOf("STRLEN(", "COALESCE(BOUND(?a), ", "COALESCE("), Parts: []*Node{g.expression(depth)}, Close: ")"}
	}
	return g.condition(depth - 1)
}

// functions are calls around one or more expressions.
var functions = []string{
	"STR(#)", "STRLEN(#)", "UCASE(#)", "LCASE(STR(#))", "CONCAT(STR(#), STR(#))", "CONCAT(STR(#), \"x\")", "REPLACE(STR(#), \"a\", \"aaaaaaaaaaaaaaaaaaaa\")",
	"REPLACE(STR(#), \"(.)\", \"$1$1$1$1\")", "REPLACE(STR(#), \"\", \"zz\")", "ENCODE_FOR_URI(STR(#))", "MD5(STR(#))", "SHA1(STR(#))", "SHA256(STR(#))", "SHA512(STR(#))",
	"SUBSTR(STR(#), 2, 1000000)", "STRAFTER(STR(#), STR(#))", "STRBEFORE(STR(#), \"/\")", "STRDT(STR(#), xsd:integer)", "STRDT(STR(#), IRI(STR(#)))",
	"STRLANG(STR(#), \"en\")", "IRI(STR(#))", "xsd:integer(#)", "xsd:decimal(STR(#))", "xsd:double(#)", "xsd:string(#)", "xsd:dateTime(STR(#))", "xsd:boolean(#)",
	"ABS(#)", "ROUND(#)", "(# + #)", "(# * #)", "(# / #)", "(- #)", "(# < #)", "(# = #)", "(# && #)", "(# || #)", "IF(#, #, #)", "COALESCE(#, #, #)",
	"(# IN (#, #))", "REGEX(STR(#), STR(#))", "REGEX(STR(#), \"(x+x+)+y\")", "REGEX(STR(#), \"(a|aa|aaa)*b\", \"is\")", "CONTAINS(STR(#), STR(#))", "DATATYPE(#)", "LANG(#)",
	"BNODE(STR(#))", "isNUMERIC(#)", "YEAR(#)", "<http://e/unknown>(#)",
}

// expression draws an expression of all functions.
func (g *Generator) expression(depth int) *Node {
	if depth == 0 || g.left <= 0 {
		return g.operand()
	}
	g.left--
	return g.call(functions[g.pick(len(functions))], func() *Node { return g.expression(depth - 1) })
}

func (g *Generator) operand() *Node {
	return &Node{Kind: Expression, Open: g.oneOf("?a", "?b", "?c", g.resource(), g.literal(), "1", "2.5", "1e9", "\"a\"", "RAND()", "UUID()", "STRUUID()", "NOW()", "99999999999999999999")}
}

// call puts arguments in place of the # of a template.
func (g *Generator) call(template string, argument func() *Node) *Node {
	n := &Node{Kind: Expression}
	before := ""
	for _, c := range template {
		if c != '#' {
			before += string(c)
			continue
		}
		n.Parts = append(n.Parts, &Node{Open: before, Parts: []*Node{argument()}})
		before = ""
	}
	n.Close = before
	return n
}

// growths are expressions nested in themselves, most of them growing with every level.
var growths = []struct{ name, open, close string }{
	{"REPLACE", "REPLACE(", ", \"a\", \"aaaaaaaaaaaaaaaaaaaa\")"},
	{"REPLACE of each", "REPLACE(", ", \"(.)\", \"$1$1$1\")"},
	{"REPLACE of nothing", "REPLACE(", ", \"q*\", \"ab\")"},
	{"CONCAT", "CONCAT(\"abc\", ", ", STR(?b))"},
	{"CONCAT of a long text", "CONCAT(", ", \"" + longText + "\")"},
	{"ENCODE_FOR_URI", "ENCODE_FOR_URI(CONCAT(\"é \", ", "))"},
	{"SHA512", "SHA512(", ")"},
	{"MD5", "MD5(CONCAT(STR(?a), ", "))"},
	{"UCASE", "UCASE(LCASE(", "))"},
	{"REGEX", "STR(REGEX(", ", \"((a{1,9}){1,9}){1,9}\"))"},
	{"REGEX of data", "STR(REGEX(STR(?a), ", "))"},
	{"STRDT", "STR(STRDT(", ", xsd:string))"},
	{"SUBSTR", "SUBSTR(", ", 1, 1000000)"},
	{"STRLEN", "STR(STRLEN(", "))"},
	{"IF", "IF(?a = ?b, \"a\", ", ")"},
	{"COALESCE", "COALESCE(1/0, ", ")"},
	{"sum", "STR(1 + STRLEN(", "))"},
	{"product", "(1234567890123456789.123456789 * ", ")"},
	{"power", "(99999999999999999999 * 99999999999999999999 * ", ")"},
	{"brackets", "(", ")"},
	{"not", "(!", ")"},
	{"minus", "(- ", ")"},
	{"IN", "STR(\"a\" IN (\"b\", ", "))"},
	{"EXISTS", "STR(EXISTS { ?a ?p ?b FILTER (", " != \"x\") })"},
	{"cast", "xsd:string(xsd:decimal(", "))"},
}

const longText = "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiiijjjjjjjjjj"

// patterns are regular expressions that some engines hang on.
var patterns = []string{
	"(a+)+$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*=.*", "(x+x+)+y", "((a{1,100}){1,100})", "(((a{1,30}){1,30}){1,1})", "[a-z]{1,1000}$",
	"(?:.?){500}x", "(((((((((a*)*)*)*)*)*)*)*)*)*b", "(a?){900}a{900}", "\\\\p{L}+\\\\p{N}*", "^(a|b|c|d|e|f)*(a|b|c)(d|e|f){20}$", ".*.*.*.*.*.*.*.*x", "(",
}

// expressions draws a query whose work is expressions.
func (g *Generator) expressions() (name string, tree *Node) {
	pattern := g.Fill(g.oneOf("?a %p ?b ", "?a ?p ?b ", "?a %p ?b . ?b ?q ?c ", "?a ?p ?b . ?c ?q ?d ", "VALUES (?a ?b) { (\"aaa\" \"b\") } "))
	var value *Node
	switch g.pick(5) {
	case 0:
		return g.chain(pattern)
	case 1:
		g.left = 10 * nodes
		name, value = "mixed", g.expression(2+g.pick(8))
	case 2:
		name = "pattern"
		value = &Node{Kind: Expression, Open: "REGEX(" + g.oneOf("STR(?b)", "CONCAT(STR(?a), STR(?b), STR(?b))", "\""+longText+longText+"\"") +
			", \"" + g.oneOf(patterns...) + "\", \"" + g.oneOf("", "i", "s", "x", "isx") + "\")"}
	default:
		growth := growths[g.pick(len(growths))]
		name = growth.name
		value = &Node{Kind: Expression, Open: growth.open, Close: growth.close, Parts: []*Node{{Kind: Expression, Open: g.oneOf("STR(?b)", "STR(?a)", "\"aaaaaaaa\"", "?b")}}, Wraps: g.depth(growth.open)}
	}
	place := [][2]string{
		{"SELECT * { " + pattern + "BIND (", " AS ?v) }"},
		{"SELECT (COUNT(*) AS ?n) { " + pattern + "FILTER (STRLEN(STR(", ")) > 3) }"},
		{"SELECT ?a (", " AS ?v) { " + pattern + "}"},
		{"SELECT ?v (COUNT(*) AS ?n) { " + pattern + "BIND (", " AS ?v) } GROUP BY ?v"},
		{"SELECT * { " + pattern + "} ORDER BY (", ")"},
		{"SELECT (MAX(", ") AS ?m) { " + pattern + "}"},
		{"SELECT (GROUP_CONCAT(", ") AS ?m) { " + pattern + "}"},
		{"SELECT DISTINCT (", " AS ?v) { " + pattern + "} LIMIT 5"},
	}[g.pick(8)]
	return name, &Node{Open: place[0], Parts: []*Node{value}, Close: place[1]}
}

// chain draws BINDs that each double what the one before gave.
func (g *Generator) chain(pattern string) (string, *Node) {
	step := g.oneOf("CONCAT(STR(?v§), STR(?v§))", "CONCAT(STR(?v§), STR(?b), STR(?v§))", "?v§ * ?v§", "?v§ + ?v§", "REPLACE(STR(?v§), \".\", \"$0$0\")",
		"CONCAT(SHA512(STR(?v§)), STR(?v§))", "ENCODE_FOR_URI(CONCAT(STR(?v§), \"% \", STR(?v§)))", "STRDT(CONCAT(STR(?v§), STR(?v§)), xsd:integer)")
	start := g.oneOf("?b", "\"ab\"", "123456789", "1234567.89", "STR(?a)")
	binds := &Node{List: true, Parts: []*Node{text("BIND (" + step + " AS ?v¶) ")}, Copies: 2 + g.pick(60)}
	return "BIND chain", &Node{Open: g.oneOf("SELECT * ", "SELECT (COUNT(*) AS ?n) ", "SELECT (MAX(STRLEN(STR(?v2))) AS ?n) ") + "{ " + pattern + "BIND (" + start + " AS ?v0) ", Parts: []*Node{binds}, Close: "}"}
}
