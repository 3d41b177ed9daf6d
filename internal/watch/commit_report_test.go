package watch

import (
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/matchtest"
)

// TestReportCommit measures one commit again and again, the held-out edges inserted while one query stands (RDFGPU_QUERY, t4 where it is not set), RDFGPU_REPEAT
// times (100), by all threads and by the device, to which the graph is brought beforehand or when it is read: quartiles, a profile of the processor (commit-N.pprof) and a trace of the last five (commit-N.trace), in the folder OUT.
// RDFGPU_SM and RDFGPU_SETS are as for TestReportSeeds.
func TestReportCommit(t *testing.T) {
	folder, names := labelledGraphs(t)
	query, repeat := os.Getenv("RDFGPU_QUERY"), 100
	if query == "" {
		query = "t4"
	}
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_REPEAT")); err == nil {
		repeat = n
	}
	r, by := matchtest.NewReport(t, "commit.md"), ways(t)[1:]
	for _, w := range by[1:] {
		w.name, w.unforeseen = w.name+", the graph brought when it is read", true
		by = append(by, w)
	}
	for _, name := range names {
		s := newStream(t, folder, name, "vl", func(q string) bool { return q == query })
		r.Head(name+" "+query+", inserted, "+strconv.Itoa(repeat)+" times", "matched by", "changing ms: lower quartile", "median", "upper", "matching ms: lower quartile", "median", "upper")
		for n, w := range by {
			s.again(w, s.queries, s.rest, s.held, nil)
			end := s.record("commit-"+name+"-"+strconv.Itoa(n)+".pprof", pprof.StartCPUProfile, pprof.StopCPUProfile)
			var changes, matches []float64
			for range repeat {
				after, took := s.apply(w, s.queries, s.rest, s.held, nil)
				changes, matches = append(changes, took.change), append(matches, took.matched)
				w.forget(t, after)
			}
			end()
			r.Row(append([]any{w.name}, append(quartiles(changes), quartiles(matches)...)...)...)
			end = s.record("commit-"+name+"-"+strconv.Itoa(n)+".trace", trace.Start, trace.Stop)
			for range 5 {
				after, _ := s.apply(w, s.queries, s.rest, s.held, nil)
				w.forget(t, after)
			}
			end()
		}
	}
}

// record begins to write something into a file of the folder OUT, where there is one, and returns what ends that.
func (s *stream) record(file string, start func(io.Writer) error, stop func()) (end func()) {
	folder := os.Getenv("OUT")
	if folder == "" {
		return func() {}
	}
	f, err := os.Create(filepath.Join(folder, file))
	if err == nil {
		err = start(f)
	}
	if err != nil {
		s.Fatal(err)
	}
	return func() {
		stop()
		if err := f.Close(); err != nil {
			s.Error(err)
		}
	}
}

// quartiles are the lower quartile, the median and the upper quartile.
func quartiles(list []float64) []any {
	sorted := slices.Sorted(slices.Values(list))
	return []any{sorted[len(sorted)/4], sorted[len(sorted)/2], sorted[len(sorted)*3/4]}
}
