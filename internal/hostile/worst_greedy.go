package hostile

// doubledText is an expression of a long text, in 20 CONCATs.
var doubledText = nested(20, "CONCAT(", `"0123456789012345678901234567890123456789"`, ",STR(?s))")

// bigText binds texts to ?v0 … ?v20, each of twice the letters of the one before: the last has ten million.
var bigText = `BIND("0123456789" AS ?v0) ` + doubling(20, "CONCAT(?v§,?v§)")

// greedy are queries that take as much memory as they can get, each in an operator of its own.
var greedy = []Worst{
	{"ORDER BY over a product", "SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?f ?c", KeepsBudget},
	{"distinct of a product", "SELECT DISTINCT ?a ?c ?d ?f { ?a ?b ?c . ?d ?e ?f }", KeepsBudget},
	{"groups of a product", "SELECT ?a ?d (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f } GROUP BY ?a ?d", KeepsBudget},
	{"distinct counts", "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?a),STR(?f)) AS ?x) }", KeepsBudget},
	{"count distinct rows", "SELECT (COUNT(DISTINCT *) AS ?n) { ?a ?b ?c . ?d ?e ?f }", KeepsBudget},
	{"groups of computed keys", "SELECT ?k (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?a),STR(?f)) AS ?k) } GROUP BY ?k", KeepsBudget},
	{"one concatenation", "SELECT (GROUP_CONCAT(?x) AS ?all) { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?a),STR(?f)) AS ?x) }", KeepsBudget},
	{"many concatenations", "SELECT ?a (GROUP_CONCAT(?f) AS ?all) { ?a ?b ?c . ?d ?e ?f } GROUP BY ?a", KeepsBudget},
	{"concatenation of all", "SELECT (GROUP_CONCAT(?o) AS ?all) { ?s ?p ?o }", KeepsBudget},
	{"samples", "SELECT ?a ?d (SAMPLE(?c) AS ?x) (MIN(?f) AS ?y) (SUM(STRLEN(STR(?f))) AS ?z) { ?a ?b ?c . ?d ?e ?f } GROUP BY ?a ?d", KeepsBudget},
	{"wide optionals", "SELECT * { ?s ?p ?o " + repeated(600, "OPTIONAL { ?s name: ?l§ } ") + "}", KeepsBudget},
	{"wide optionals in order", "SELECT * { ?s ?p ?o " + repeated(200, "OPTIONAL { ?s name: ?l§ } ") + "} ORDER BY ?o", KeepsBudget},
	{"nested optionals", "SELECT * { ?s ?p ?o " + repeated(100, "OPTIONAL { ?s name: ?l§ ") + repeated(100, "}") + "}", KeepsBudget},
	{"a thousand optionals", "SELECT * { ?s name: ?o " + repeated(1000, "OPTIONAL { ?s :p§ ?l§ } ") + "}", KeepsBudget},
	{"a thousand unions", "SELECT * { { ?s ?p ?o }" + repeated(1000, " UNION { ?s name: ?l§ }") + "} ORDER BY ?o", KeepsBudget},
	{"wide pattern", "SELECT * { ?s0 ?p ?o . " + repeated(6, "?s0 name: ?l§ . ") + "}", KeepsBudget},
	{"long chain", "SELECT * { ?s0 ?q ?o . " + repeated(12, "?s0 ?p§ ?o§ . ") + "} LIMIT 1000000", KeepsBudget},
	{"50,000 rows of VALUES", "SELECT * { VALUES (?x ?y) { " + repeated(50_000, "('x§' §) ") + "} ?s ?p ?o }", KeepsBudget},
	{"20,000 rows of VALUES in order", "SELECT * { VALUES (?x ?y) { " + repeated(20_000, "('x§' §) ") + "} ?s ?p ?o } ORDER BY ?y ?x ?o", KeepsBudget},
	{"huge strings", "SELECT * { ?s ?p ?o " + bigText + "}", KeepsBudget},
	{"huge different strings", "SELECT (" + doubledText + " AS ?x) { ?s ?p ?o BIND(CONCAT(STR(?s),STR(?o)) AS ?y) " + bigText + "BIND(CONCAT(?v16,STR(?o)) AS ?z) }", KeepsBudget},
	{"huge distinct strings", "SELECT DISTINCT ?z { ?s ?p ?o " + bigText + "BIND(CONCAT(?v12,STR(?o)) AS ?z) }", KeepsBudget},
	{"huge strings in JSON", "SELECT * { " + bigText + "?s ?p ?o }", KeepsBudget},
	{"paths from everywhere", "SELECT * { ?a (!:x)* ?b }", KeepsBudget},
	{"undirected paths", "SELECT * { ?a (next:|^next:|!:x)+ ?b } ORDER BY ?b", KeepsBudget},
	{"nested paths", "SELECT * { ?a ((!:x)*/(!:y)*)* ?b . ?b ((!:x)+)+ ?c }", KeepsBudget},
	{"constructing a product", "CONSTRUCT { ?a ?b ?f . ?d ?e ?c . [] :p ?a } { ?a ?b ?c . ?d ?e ?f }", KeepsBudget},
	{"describing all", "DESCRIBE ?s { ?s ?p ?o }", KeepsBudget},
	{"describing a product", "DESCRIBE * { ?a ?b ?c . ?d ?e ?f }", KeepsBudget},
	{"hash joins", "SELECT * { { SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s } { SELECT ?s (MAX(?o) AS ?m) { ?s ?p ?o } GROUP BY ?s } { SELECT ?o (COUNT(*) AS ?k) { ?t ?p ?o } GROUP BY ?o } }", KeepsBudget},
	{"MINUS in a product", "SELECT * { ?a ?b ?c MINUS { SELECT ?a ?x { ?a ?b ?x . ?x ?p ?y } } ?d ?e ?f } ORDER BY ?f", KeepsBudget},
	{"EXISTS in a product", "SELECT * { ?a ?b ?c . ?d ?e ?f FILTER EXISTS { ?a ?x ?d } }", KeepsBudget},
	{"a bag of binds", "SELECT * { ?s ?p ?o " + repeated(300, "BIND(CONCAT(STR(?o),\"§\") AS ?x§) ") + "}", KeepsBudget},
	{"a thousand aggregates", "SELECT ?s " + repeated(300, "(COUNT(DISTINCT ?o) + § AS ?n§) ") + " { ?s ?p ?o } GROUP BY ?s", KeepsBudget},
	{"a long condition", "SELECT * { ?s ?p ?o FILTER(" + repeated(4000, "?o != \"§\" && ") + "true) } ORDER BY ?o", KeepsBudget},
}
