package watch

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/matchtest"
)

// unlabelled are the queries without labels that are measured: the others have 10 times as many solutions or more.
var unlabelled = []string{"tri", "k4", "k5", "uq5", "uq6", "uq7"}

// TestReportAutomorphisms measures counts of patterns without labels while a tenth of the edges come: with one of the matches that automorphisms make
// of each other looked for, and with all. RDFGPU_SM and RDFGPU_SETS are as for TestReportSeeds.
func TestReportAutomorphisms(t *testing.T) {
	folder, names := labelledGraphs(t)
	r, by := matchtest.NewReport(t, "automorphisms.md"), ways(t)[1:]
	for _, name := range names {
		s := newStream(t, folder, name, "u", func(query string) bool { return slices.Contains(unlabelled, query) })
		s.limit = 20 * time.Second
		r.Head(name+", without labels, a tenth of the edges inserted", "query", "came", "matched by", "one match for each class ms", "all matches ms", "factor")
		for _, w := range by {
			all := w
			all.tuning.leastCoalesced = math.MaxInt
			s.again(w, s.queries[:1], s.rest, s.held, nil)
			for i, q := range s.queries {
				one := s.again(w, []*standing{q}, s.rest, s.held, nil)
				each := s.again(all, []*standing{q}, s.rest, s.held, nil)
				r.Row(s.names[i], one.net, w.name, stoppedOr(one, one.matched), stoppedOr(each, each.matched), stoppedOr(each, each.matched/one.matched))
				for _, took := range []run{one, each} {
					if !took.stopped {
						s.check("inserted", i, took)
					}
				}
			}
		}
	}
}

// stoppedOr is a number, or that it took too long.
func stoppedOr(r run, number float64) any {
	if r.stopped {
		return "stopped"
	}
	return number
}
