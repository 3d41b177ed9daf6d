package rdfgpu_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

const minePrefix = "PREFIX r: <urn:rdfgpu:> PREFIX : <http://e/> "

// rowsOf are the solutions of a query as texts, sorted.
func rowsOf(t *testing.T, store *rdfgpu.Store, text string) (rows []string) {
	t.Helper()
	result, err := store.Query(context.Background(), minePrefix+text, rdfgpu.QueryOptions{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	defer result.Close()
	for row, err := range result.Rows() {
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		cells := make([]string, len(row))
		for i, term := range row {
			if cells[i] = "UNDEF"; !term.IsZero() {
				cells[i] = term.String()
			}
		}
		rows = append(rows, "("+strings.Join(cells, " ")+")")
	}
	slices.Sort(rows)
	return rows
}

func TestMinedThingsAreSolutionsOfAService(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewSource(3))
	services := []struct{ variables, pattern string }{
		{"?a ?b ?c", "[] r:triangle (?a ?b ?c)"},
		{"?a ?b", "[] r:clique (?a ?b) ; r:edges :p1"},
		{"?a ?b ?c ?d", "[] r:clique (?a ?b ?c ?d)"},
		{"?a ?b ?c", "_:x r:clique (?a ?b ?c) . _:x r:edges \":p0\" , :p1"},
		{"?a ?n", "[] r:core (?a ?n) ; r:edges :p0"},
		{"?a ?b ?n", "[] r:truss (?a ?b ?n)"},
		{"?a ?b", "?m r:component (?a ?b) ; r:edges :p1 ; r:graph :g"},
		{"?name ?n", "[] r:motif (?name ?n) ; r:size 4 ; r:induced true"},
		{"?p ?n", "[] r:frequent (?p ?n) ; r:support 3 ; r:size 2"},
		{"?p ?n", "[] r:frequent (?p ?n) ; r:support 2 ; r:size 1 ; r:bins 3 ; r:bounds \":p1=7\""},
		{"?p ?n", "[] r:frequent (?p ?n) ; r:support 5 ; r:measure \"instances\" ; r:undirected true ; r:noClasses true ; r:size 1"},
	}
	shapes := []string{ // %s is a service, or its solutions as a table
		"SELECT * { %s }",
		"SELECT * { ?a :p0 ?x . %s }",
		"SELECT * { %s ?a a ?class FILTER (?class != :C0) }",
		"SELECT * { ?a ?y ?x OPTIONAL { %s } }",
		"SELECT * { ?a a ?x FILTER EXISTS { %s } }",
		"SELECT * { ?a a ?x FILTER NOT EXISTS { %s FILTER (?a != ?b) } }",
		"SELECT * { ?a a ?x MINUS { %s } }",
		"SELECT * { { %s } UNION { ?a :p2 ?b } }",
		"SELECT * { { SELECT ?a (COUNT(*) AS ?k) { %s } GROUP BY ?a } ?a :p1 ?x }",
		"SELECT ?a { VALUES ?a { :v1 :v2 :v3 :v4 } %s }",
		"SELECT DISTINCT ?a { %s ?a :p0/:p1 ?z }",
		"SELECT * { BIND(:v1 AS ?a) %s }",
	}
	for seed := range int64(4) {
		store := minedStore(t, seed)
		for _, s := range services {
			service := "SERVICE r:mine { " + s.pattern + " }"
			rows := rowsOf(t, store, "SELECT "+s.variables+" { "+service+" }")
			table := "VALUES (" + s.variables + ") { " + strings.Join(rows, " ") + " }"
			for _, shape := range shapes {
				if random.Intn(3) == 0 {
					continue
				}
				got, want := rowsOf(t, store, fmt.Sprintf(shape, service)), rowsOf(t, store, fmt.Sprintf(shape, table))
				if !strings.HasPrefix(shape, "SELECT *") && !slices.Equal(got, want) || len(got) != len(want) {
					t.Errorf("seed %d: %s\n%d rows, want %d: %.300s", seed, fmt.Sprintf(shape, service), len(got), len(want), fmt.Sprint(got))
				}
			}
		}
		cliques := rowsOf(t, store, "SELECT ?a ?b ?c { SERVICE r:mine { [] r:clique (?a ?b ?c) ; r:edges :p1 } }")
		m, err := store.Mining(context.Background(), rdfgpu.MiningOptions{Edges: []string{":p1"}})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := mine.Triangles(context.Background(), m.Graph, m.Options); err != nil || n != uint64(len(cliques)) {
			t.Errorf("seed %d: %d cliques, want %d: %v", seed, len(cliques), n, err)
		}
		m.Close()
	}
}

func TestPatternsThatAreNotMinedSoAreRefused(t *testing.T) {
	t.Parallel()
	store := minedStore(t, 1)
	for _, pattern := range []string{
		"", "[] r:squares (?a ?b)", "[] r:triangle (?a ?b)", "[] r:triangle (?a ?b ?a)", "[] r:triangle (?a ?b :v1)", "[] r:clique (?a)", "[] r:clique ?a",
		"[] r:clique (?a ?b) ; r:core (?a ?n)", "[] r:clique (?a ?b) . [] r:edges :p1", "[] ?p (?a ?b)", "[] :p (?a ?b)", "[] r:edges :p1",
		"[] r:clique (?a ?b) ; r:edges ?p", "[] r:clique (?a ?b) ; r:size 3.5", "[] r:clique (?a ?b) FILTER (?a != ?b)", "[] r:frequent (?p ?n)",
		"[] r:clique (?a ?b) ; r:edges :none",
		"[] r:frequent (?p ?n) ; r:support 1 ; r:bins 99", "[] r:frequent (?p ?n) ; r:support 1 ; r:bounds 7", "[] r:clique (?a ?b) ; r:bins 2",
		"[] r:motif (?name ?n) ; r:size 0", "[] r:frequent (?p ?n) ; r:support 1 ; r:classes :none", ":s r:clique (?a ?b)",
	} {
		text := minePrefix + "SELECT * { SERVICE r:mine { " + pattern + " } }"
		result, err := store.Query(context.Background(), text, rdfgpu.QueryOptions{})
		if err == nil {
			_, err = result.Count()
			result.Close()
		}
		if !errors.Is(err, rdfgpu.ErrMineTable) && !errors.Is(err, rdfgpu.ErrMineOptions) && !errors.Is(err, rdfgpu.ErrNoPredicate) && !errors.Is(err, rdfgpu.ErrNoClass) {
			t.Errorf("%s: %v", pattern, err)
		}
		if rows := rowsOf(t, store, "SELECT * { SERVICE SILENT r:mine { "+pattern+" } }"); len(rows) != 1 {
			t.Errorf("%s, silent: %v", pattern, rows)
		}
	}
	if _, err := store.Update(context.Background(), minePrefix+"INSERT { ?a :q ?b } WHERE { SERVICE r:mine { [] r:clique (?a ?b) } }", rdfgpu.UpdateOptions{}); !errors.Is(err, rdfgpu.ErrUnsupported) {
		t.Errorf("an update: %v", err)
	}
}
