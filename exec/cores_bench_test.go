package exec_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// coresRows is how many items the data of BenchmarkCores have: two million, or what RDFGPU_CORES_ROWS says, a multiple of ten.
var coresRows = sync.OnceValue(func() int {
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_CORES_ROWS")); err == nil && n > 0 {
		return n - n%10
	}
	return 2_000_000
})

// coresData is a dataset of items with a number, a group of ten, a link and one of five kinds each. Terms have IDs in the order of
// their names, so that edges are made without looking for them.
var coresData = sync.OnceValue(func() *memory {
	n, kinds := coresRows(), 5
	groups := n / 10
	item := func(i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("%si%08d", exampleNS, i)) }
	group := func(i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("%sg%08d", exampleNS, i)) }
	kind := func(i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("%sk%d", exampleNS, i)) }
	var list, predicates []rdf.Term
	for i := range n {
		list = append(list, item(i), integer(i))
	}
	for i := range groups {
		list = append(list, group(i))
	}
	for i := range kinds {
		list = append(list, kind(i))
	}
	for _, p := range []string{"number", "group", "link", "kind"} {
		predicates = append(predicates, rdf.NewIRI(exampleNS+p))
	}
	dict, err := dictionary.FromTerms(list, predicates...)
	if err != nil {
		panic(err)
	}
	first := func(t rdf.Term) dictionary.ID {
		id, ok := dict.Lookup(t)
		if !ok {
			panic("the dictionary has lost " + t.String())
		}
		return id
	}
	items, numbers, ofGroups, ofKinds := first(item(0)), first(integer(0)), first(group(0)), first(kind(0))
	number, inGroup, link, isKind := first(predicates[0]), first(predicates[1]), first(predicates[2]), first(predicates[3])
	var edges []pcsr.Edge
	for i := range n {
		from := items + dictionary.ID(i)
		edges = append(edges,
			pcsr.Edge{From: from, Label: number, To: numbers + dictionary.ID(i*7919%n)},
			pcsr.Edge{From: from, Label: inGroup, To: ofGroups + dictionary.ID(i*31%groups)},
			pcsr.Edge{From: from, Label: link, To: items + dictionary.ID(i*1_000_003%n)},
			pcsr.Edge{From: from, Label: isKind, To: ofKinds + dictionary.ID(i%kinds)})
	}
	g, err := pcsr.Build(dict.Len(), dict.Section(0, dictionary.Predicates).Len(), edges)
	if err != nil {
		panic(err)
	}
	return &memory{dict: dict, graph: g}
})

// coresCases are queries of one operator each.
var coresCases = []struct{ name, text string }{
	{"join", "SELECT ?x ?n { { SELECT ?x ?y { ?x :link ?y } OFFSET 1 } { SELECT ?y ?n { ?y :number ?n } OFFSET 1 } }"},
	{"join-several", "SELECT ?x ?z { { SELECT ?x ?g { ?x :group ?g } OFFSET 1 } { SELECT ?z ?g { ?z :group ?g } OFFSET 1 } }"},
	{"left-join-condition", "SELECT ?x ?n { { SELECT ?x ?y { ?x :link ?y } OFFSET 1 } OPTIONAL { { SELECT ?y ?n { ?y :number ?n } OFFSET 1 } FILTER(?n * 2 < 1500000) } }"},
	{"minus", "SELECT ?x { { SELECT ?x ?y { ?x :link ?y } OFFSET 1 } MINUS { SELECT ?y { ?y :kind :k1 } OFFSET 1 } }"},
	{"exists-condition", "SELECT ?x { ?x :number ?n FILTER EXISTS { ?x :link ?y . ?y :number ?m FILTER(?m > ?n) } }"},
	{"exists-or", "SELECT ?x { ?x :number ?n FILTER(?n < 10 || EXISTS { ?x :link ?y . ?y :kind :k1 }) }"},
	{"exists-union", "SELECT ?x { ?x :group ?g FILTER EXISTS { { ?x :kind :k1 } UNION { ?x :link ?y . ?y :group ?g } } }"},
	{"distinct-many", "SELECT DISTINCT ?y ?g { ?x :link ?y ; :group ?g }"},
	{"distinct-some", "SELECT DISTINCT ?g ?k { ?x :group ?g ; :kind ?k }"},
	{"distinct-few", "SELECT DISTINCT ?k { ?x :kind ?k ; :group ?g }"},
	{"group-many-count", "SELECT ?y (COUNT(*) AS ?c) { ?x :link ?y ; :group ?g } GROUP BY ?y"},
	{"group-many-sum", "SELECT ?g (SUM(?n) AS ?s) { ?x :group ?g ; :number ?n } GROUP BY ?g"},
	{"group-concat", "SELECT ?g (GROUP_CONCAT(?n) AS ?s) { ?x :group ?g ; :number ?n } GROUP BY ?g"},
	{"group-few", "SELECT ?k (SUM(?n) AS ?s) { ?x :kind ?k ; :number ?n } GROUP BY ?k"},
	{"sort-numbers", "SELECT ?x ?n { ?x :number ?n } ORDER BY DESC(?n)"},
	{"sort-iris", "SELECT ?x ?y { ?x :link ?y } ORDER BY DESC(?y)"},
	{"sort-two-keys", "SELECT ?x ?n { ?x :kind ?k ; :number ?n } ORDER BY ?k DESC(?n)"},
	{"sort-computed", "SELECT ?x ?n { ?x :number ?n } ORDER BY (?n * 3)"},
	{"sort-quotient", "SELECT ?x ?n { ?x :number ?n } ORDER BY (?n / 7)"},
	{"sort-bound", "SELECT ?x { ?x :number ?n BIND(?n * 3 AS ?m) } ORDER BY DESC(?m)"},
	{"sort-computed-ties", "SELECT ?x ?n { ?x :number ?n } ORDER BY FLOOR(?n / 10) DESC(?n * 3)"},
	{"top-computed", "SELECT ?x (?n * 3 AS ?m) { ?x :number ?n } ORDER BY DESC(?m) LIMIT 1000"},
	{"group-computed", "SELECT ?k (COUNT(*) AS ?c) { ?x :number ?n } GROUP BY (FLOOR(?n / 100) AS ?k)"},
	{"group-computed-many", "SELECT ?k (COUNT(*) AS ?c) { ?x :number ?n } GROUP BY (?n / 10 AS ?k)"},
	{"distinct-computed", "SELECT DISTINCT (FLOOR(?n / 100) AS ?k) { ?x :number ?n }"},
	{"distinct-computed-many", "SELECT DISTINCT (?n + 1 AS ?k) { ?x :number ?n }"},
	{"count-computed", "SELECT (COUNT(DISTINCT FLOOR(?n / 10)) AS ?c) { ?x :number ?n }"},
	{"count-computed-many", "SELECT (COUNT(DISTINCT ?n + 1) AS ?c) { ?x :number ?n }"},
	{"top-1000", "SELECT ?x ?n { ?x :number ?n } ORDER BY DESC(?n) LIMIT 1000"},
}

// BenchmarkCores runs operators over two million rows (coresRows) with 1, 2, 4, 8 and 16 threads, with their plans kept, as a store keeps them. Subqueries with OFFSET keep
// joins from being matched in one go.
func BenchmarkCores(b *testing.B) {
	for _, c := range coresCases {
		for _, threads := range []int{1, 2, 4, 8, 16} {
			b.Run(fmt.Sprintf("%s/threads=%d", c.name, threads), func(b *testing.B) { runOnCores(b, c.text, threads) })
		}
	}
}

func runOnCores(b *testing.B, text string, threads int) {
	m, matcher := coresData(), cpu.New()
	q := parse(b, "PREFIX : <"+exampleNS+">\n"+text)
	o := exec.Options{
		Matcher: func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return matcher },
		Workers: schedule.New(threads).Open(context.Background(), 0),
		Memory:  4 << 30, TempDir: b.TempDir(), Shown: true,
	}
	o.Lasting = true
	for b.Loop() {
		p, err := exec.Prepare(b.Context(), q, m, m.dict, o)
		if err != nil {
			b.Fatal(err)
		}
		o.Planned = p.Physical()
		rows := 0
		if err := p.Run(b.Context(), func(batch *vector.Batch) error { rows += batch.N; return nil }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(rows), "rows")
	}
}
