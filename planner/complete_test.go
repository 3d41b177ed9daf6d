package planner_test

import (
	"runtime"
	"testing"

	"github.com/rdfgpu/rdfgpu/planner"
)

// TestWhichPlansAreComplete: those of which nothing is planned or tested while they run.
func TestWhichPlansAreComplete(t *testing.T) {
	c := newChain(t, 100)
	c.lasting = true
	for text, complete := range map[string]bool{
		"SELECT * { ?a :p ?b . ?b :q ?c }":                                      true,
		"SELECT * { :3 :p ?b . ?x :q ?y }":                                      true,
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b OPTIONAL { ?b :q ?c . ?c :p ?d } }": true,
		"SELECT * { ?a :p ?b OPTIONAL { ?b :q ?c } }":                           true,
		"SELECT * { ?a :p ?b OPTIONAL { ?b :q ?c OPTIONAL { ?c :q ?d } } }":     true,
		"SELECT * { ?a :p ?b FILTER NOT EXISTS { ?b :q ?c } }":                  true,
		"SELECT ?a { { ?a :p ?b } UNION { ?a :q ?b } }":                         true,
		"SELECT * { ?a :p ?b OPTIONAL { ?b :q ?c } OPTIONAL { ?c :q ?d } }":     false, // ?c may be unbound
		"SELECT * { ?a :p+ ?b }":                                                true,
		"SELECT * { GRAPH ?g { ?a :p ?b } }":                                    true, // there is none
		"ASK { ?a :p ?b }":                                                      true,
		"CONSTRUCT { ?b :r ?a } { ?a :p ?b }":                                   true,
		"SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b FILTER(?a != ?b) } GROUP BY ?a":  true,
		"SELECT * { ?a :p ?b } ORDER BY ?b LIMIT 3":                             true,
		"SELECT * { VALUES ?a { :1 :2 } ?a :p ?b BIND(STR(?b) AS ?t) }":         true,
	} {
		plan, err := c.plan(t.Context(), text)
		if err != nil {
			t.Fatal(err, text)
		}
		if plan.Complete != complete {
			t.Errorf("complete %v, want %v: %s\n%s", plan.Complete, complete, text, outline(plan.Root))
		}
	}
}

// TestBytesAreAboutWhatAPlanTakes weighs many plans of a query.
func TestBytesAreAboutWhatAPlanTakes(t *testing.T) {
	c := newChain(t, 100)
	for _, text := range []string{
		"SELECT * { ?a :p ?b }",
		"SELECT * { ?a :p ?b . ?b :q ?c . ?c :p ?d . ?d :q ?e . ?a :q ?b . ?b :p ?c . ?c :q ?d . ?d :p ?e }",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b OPTIONAL { ?b :q ?c . ?c :p ?d } FILTER NOT EXISTS { ?a :q ?x . ?x :q ?y } }",
		"SELECT ?a ?b ?t { ?a :p ?b BIND(STR(?b) AS ?t) FILTER(STRLEN(?t) > 3) OPTIONAL { ?b :q ?c FILTER(?c != ?a) } } ORDER BY ?t LIMIT 10",
		"SELECT DISTINCT ?a { { ?a :p ?b . ?b :q ?c } UNION { ?a :q ?b . ?b :p ?c } UNION { ?a :q :3 } }",
	} {
		var kept [200]*planner.Plan
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range kept {
			var err error
			if kept[i], err = c.plan(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		taken, told := (int64(after.HeapAlloc)-int64(before.HeapAlloc))/int64(len(kept)), kept[0].Bytes()
		if told < taken/2 || told > taken*4 {
			t.Errorf("%d bytes are taken and %d told: %s", taken, told, text)
		}
	}
}
