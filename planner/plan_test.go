package planner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// chain is a graph of n vertices with edges p and q from each to the next; it is the only one.
type chain struct {
	semantics bgp.Semantics
	graph     *pcsr.Graph
	lasting   bool
}

func (c chain) Default() *pcsr.Graph                    { return c.graph }
func (c chain) Named(dictionary.ID) (*pcsr.Graph, bool) { return nil, false }
func (c chain) NamedGraphs() []dictionary.ID            { return nil }
func (c chain) lookup(t rdf.Term) (id dictionary.ID, ok bool) {
	_, err := fmt.Sscanf(t.Value, "http://e/%d", &id)
	switch t.Value {
	case "http://e/p":
		return 0, true
	case "http://e/q":
		return 1, true
	}
	return id, err == nil
}

func newChain(t testing.TB, n int) chain {
	var edges []pcsr.Edge
	for i := range n - 1 {
		for label := range dictionary.ID(2) {
			edges = append(edges, pcsr.Edge{From: dictionary.ID(i), Label: label, To: dictionary.ID(i + 1)})
		}
	}
	g, err := pcsr.Build(n, 2, edges)
	if err != nil {
		t.Fatal(err)
	}
	return chain{graph: g}
}

func (c chain) plan(ctx context.Context, text string) (*planner.Plan, error) {
	q, err := parser.Parse("PREFIX : <http://e/> "+text, parser.Options{})
	if err != nil {
		return nil, err
	}
	return planner.Make(ctx, q, c, planner.Options{Semantics: c.semantics, Lookup: c.lookup, Lasting: c.lasting, Tuning: planner.Tuning{ProductCost: 1e-9}})
}

// outline writes what is asked of the nodes of a plan.
func outline(n planner.Node) string {
	name, _ := n.Text()
	p := n.Props()
	if p.Limit > 0 {
		name += fmt.Sprintf(" limit=%d", p.Limit)
	}
	if p.Weighted {
		name += " weighted"
	}
	if len(p.Seeds) > 0 {
		name += " seeds=" + strings.Join(p.Seeds, ",")
	}
	var inputs []string
	for _, in := range n.Inputs() {
		inputs = append(inputs, outline(in))
	}
	if len(inputs) == 0 {
		return name
	}
	return name + "(" + strings.Join(inputs, ", ") + ")"
}

// TestWhoReadsRowsTellsTheNodesBelow how many, and whether equal ones may come as one.
func TestWhoReadsRowsTellsTheNodesBelow(t *testing.T) {
	c := newChain(t, 100)
	for text, want := range map[string]string{
		"SELECT * { ?x :p ?y } LIMIT 5":                                                   "slice(match limit=5)",
		"SELECT * { ?x :p ?y } OFFSET 2 LIMIT 5":                                          "slice(match limit=7)",
		"SELECT * { ?x :p ?y BIND(?y AS ?z) } LIMIT 5":                                    "slice(bind(match limit=5))",
		"SELECT * { ?x :p ?y FILTER(?x != ?y) } LIMIT 5":                                  "slice(match limit=5)",
		"SELECT * { ?x :p ?y FILTER(?x < ?y) } LIMIT 5":                                   "slice(filter(match))",
		"SELECT ?x { ?x :p ?y } ORDER BY ?x LIMIT 5":                                      "slice(sort limit=5(match))",
		"ASK { ?x :p ?y }":                                                                "match limit=1",
		"SELECT * { ?x :p ?y . ?a :p ?b }":                                                "product(match, match)",
		"SELECT * { ?x :p ?y . ?a :p ?b } LIMIT 5":                                        "slice(match limit=5)",
		"ASK { ?x :p ?y . ?a :p ?b }":                                                     "match limit=1",
		"SELECT (COUNT(*) AS ?n) { ?x :p ?y }":                                            "bind(count(match))",
		"SELECT (COUNT(?y) AS ?n) { ?x :p ?y }":                                           "bind(count(match))",
		"SELECT ?x (COUNT(?y) AS ?n) { ?x :p ?y . ?y :q ?z } GROUP BY ?x":                 "bind(group weighted(match weighted))",
		"SELECT ?x (COUNT(?y) AS ?n) (SUM(?x) AS ?s) { ?x :p ?y . ?y :q ?z } GROUP BY ?x": "bind(bind(group weighted(match weighted)))",
		"SELECT ?x (GROUP_CONCAT(?y) AS ?s) { ?x :p ?y . ?y :q ?z } GROUP BY ?x":          "bind(group(match))",
		"SELECT * { ?x :p ?y OPTIONAL { ?y :q ?z } }":                                     "left join(match, match seeds=y)",
		"SELECT * { ?x :p ?y FILTER EXISTS { ?y :q ?z } }":                                "match",
		"SELECT * { ?x :p ?y FILTER EXISTS { ?y :q ?z MINUS { ?z :q ?x } } }":             "filter(match, exists(for each binding seeds=x,y(minus(given(match seeds=_:given y), given seeds=z(match seeds=_:given x,z)))))",
	} {
		p, err := c.plan(t.Context(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := outline(p.Root); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestPlanningEndsWithItsContext, and where the query asks for what is not done.
func TestPlanningEndsWithItsContext(t *testing.T) {
	c := newChain(t, 10)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the client has gone")
	cancel(cause)
	if _, err := c.plan(ctx, "SELECT * { ?x :p ?y OPTIONAL { ?y :q ?z } }"); !errors.Is(err, cause) {
		t.Errorf("planning ended with %v", err)
	}
	if _, err := c.plan(t.Context(), "SELECT * { SERVICE :s { ?x :p ?y } }"); !errors.Is(err, planner.ErrUnsupported) {
		t.Errorf("SERVICE where none is allowed gives %v", err)
	}
	c.semantics = bgp.Induced
	if _, err := c.plan(t.Context(), "SELECT * { ?x :p ?y FILTER NOT EXISTS { ?y ?q ?z } }"); !errors.Is(err, planner.ErrUnsupported) || !errors.Is(err, bgp.ErrNotInduced) {
		t.Errorf("a variable predicate under induced gives %v", err)
	}
}

// TestAChainIsPlannedInProportion: four times the OPTIONALs take four times as long, as far as a test can tell.
func TestAChainIsPlannedInProportion(t *testing.T) {
	c := newChain(t, 100)
	took := func(n int) time.Duration {
		var sb strings.Builder
		for i := range n {
			fmt.Fprintf(&sb, "OPTIONAL { ?x :p ?y%d } ", i)
		}
		q, err := parser.Parse("PREFIX : <http://e/> SELECT * { ?x :q 1 "+sb.String()+"}", parser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := planner.Make(t.Context(), q, c, planner.Options{Lookup: c.lookup}); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	few, many := took(300), took(1200)
	t.Logf("300: %v, 1200: %v", few, many)
	if many > 60*few+time.Second {
		t.Errorf("300 OPTIONALs are planned in %v, 1200 in %v", few, many)
	}
}
