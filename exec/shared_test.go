package exec_test

import (
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
)

// TestOneQueryIsRunByManyAtOnce: the algebra, the graphs and the matcher are shared, plans are not.
func TestOneQueryIsRunByManyAtOnce(t *testing.T) {
	m := many(t, 500)
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT ?g (COUNT(*) AS ?n) (MAX(?k) AS ?m) { { GRAPH ?any {} } UNION { ?x :group ?g . ?x :link+ ?y "+
		"OPTIONAL { ?y :number ?k FILTER(?k > 10 && ?g != :g1) } FILTER NOT EXISTS { ?y :number 3 } } } GROUP BY ?g ORDER BY ?n LIMIT 20")
	var group sync.WaitGroup
	counts := make([]uint64, 4)
	for i := range counts {
		group.Go(func() {
			p, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
			if err == nil {
				counts[i], err = p.Count(t.Context())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, n := range counts {
		if n != counts[0] || n == 0 {
			t.Errorf("counts %v differ", counts)
		}
	}
}
