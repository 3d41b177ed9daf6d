package exec_test

import (
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
)

// products are queries whose patterns fall into parts.
var products = []struct {
	name, text string
	whole      bool // may be matched as a whole
}{
	{"two parts", "SELECT ?x ?n ?y ?m { ?x :number ?n . ?y :link ?z . ?z :number ?m }", false},
	{"three parts", "SELECT ?x ?y ?z { ?x :number 1 . ?x :link ?l . ?y :group :g3 . ?z :link :i5 . ?z :number ?n }", false},
	{"a part that only repeats", "SELECT ?x ?y { ?x :number 1 . ?y :number ?m . ?z :group :g3 }", true},
	{"an empty part", "SELECT ?x ?y { ?x :number ?n . ?y :link ?z . ?z :link ?u . ?u :group ?z }", true},
	{"a part without variables", "SELECT ?x ?y { ?x :number 1 . ?y :number ?m . :i1 :link ?l }", false},
	{"a condition between parts", "SELECT ?x ?y { ?x :number ?n . ?y :group ?g . ?y :number ?m FILTER(?n = ?m + 1) }", false},
	{"conditions inside the parts", "SELECT ?x ?y { ?x :number ?n . ?y :number ?m FILTER(?n < 40 && ?m > 80 && STRLEN(STR(?x)) > 3) }", true},
	{"groups of a product", "SELECT ?n (COUNT(?y) AS ?c) { ?x :number ?n . ?y :link ?z } GROUP BY ?n", true},
	{"groups by both parts", "SELECT ?n ?g (COUNT(*) AS ?c) { ?x :number ?n . ?y :group ?g } GROUP BY ?n ?g", true},
	{"distinct rows of a product", "SELECT DISTINCT ?g ?h { ?x :group ?g . ?y :group ?h . ?y :link ?z }", false},
	{"a product in order", "SELECT ?x ?y { ?x :number ?n . ?y :link ?z } ORDER BY ?x ?y LIMIT 70", false},
}

// always is a cost that every pattern has.
const always = 1e-9

// TestPartsOfAPatternAreCombined compares products with what the plan without optimisations gives.
func TestPartsOfAPatternAreCombined(t *testing.T) {
	m := many(t, 120)
	for _, c := range products {
		t.Run(c.name, func(t *testing.T) {
			q := parse(t, "PREFIX : <"+exampleNS+">\n"+c.text)
			o := onProcessor()
			o.Unoptimised = true
			want, err := m.run(q, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, memory := range []int64{1 << 30, 1000} {
				o := onProcessor()
				o.Tuning.ProductCost = always
				o.Memory, o.TempDir = memory, t.TempDir()
				p, err := exec.Prepare(t.Context(), q, m, m.dict, o)
				if err != nil {
					t.Fatal(err)
				}
				var plan strings.Builder
				if err := p.Explain().WriteText(&plan); err != nil || !strings.Contains(plan.String(), "product") && !c.whole {
					t.Errorf("no product (%v) in\n%s", err, plan.String())
				}
				got, err := collect(p)
				if err != nil {
					t.Fatal(err)
				}
				if err := equalRows(want.rows, got, isOrdered(q.Where)); err != nil {
					t.Errorf("%d bytes: %v", memory, err)
				}
			}
		})
	}
}

// TestALimitedProductIsMatchedAsAWhole counts the rows of a product of which few are wanted.
func TestALimitedProductIsMatchedAsAWhole(t *testing.T) {
	m := many(t, 5000)
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT ?x ?y { ?x :number ?n . ?y :link ?z } LIMIT 7")
	o := onProcessor()
	o.Tuning.ProductCost = always
	a, err := m.run(q, o)
	if err != nil || len(a.rows) != 7 {
		t.Errorf("%d rows, %v", len(a.rows), err)
	}
}
