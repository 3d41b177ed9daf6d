package rdfgpu_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// answerOn is a query's answer on a device, its lines sorted, and how long it took.
func answerOn(t *testing.T, s *rdfgpu.Store, query string, device rdfgpu.Device) (lines []string, took time.Duration) {
	t.Helper()
	begun := time.Now()
	r, err := s.Query(context.Background(), query, rdfgpu.QueryOptions{Device: device})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b strings.Builder
	if _, err := r.Write(&b, rdfgpu.TSV); err != nil {
		t.Fatal(err)
	}
	took = time.Since(begun)
	lines = strings.Split(strings.TrimSpace(b.String()), "\n")
	slices.Sort(lines[1:])
	return lines, took
}

// newStudents is update number n, of 1,000 triples: students like those that the store has from one on.
func newStudents(t *testing.T, s *rdfgpu.Store, n int) string {
	t.Helper()
	select1000 := fmt.Sprintf(`SELECT ?s ?p ?o { { SELECT ?s { ?s a <http://swat.cse.lehigh.edu/onto/univ-bench.owl#GraduateStudent> } OFFSET %d LIMIT 200 }
		?s ?p ?o } LIMIT 1000`, 200*n)
	rows, _ := answerOn(t, s, select1000, rdfgpu.CPU)
	var b strings.Builder
	b.WriteString("INSERT DATA {\n")
	for _, row := range rows[1:] {
		term := strings.Split(row, "\t")
		fmt.Fprintf(&b, "%s-%d> %s %s .\n", strings.TrimSuffix(term[0], ">"), n, term[1], term[2])
	}
	return b.String() + "}"
}

// TestUpdatesOnTheGPU measures how soon an update is seen by queries on the GPU, over the LUBM store that RDFGPU_LIVE names, which it
// changes, and compares the answers with the CPU's; also after a flush, and where the device is chosen by cost.
//
// Serial: it measures latencies on the one device.
func TestUpdatesOnTheGPU(t *testing.T) {
	folder, data := os.Getenv("RDFGPU_LIVE"), os.Getenv("RDFGPU_DATA")
	if folder == "" || data == "" {
		t.Skip("RDFGPU_LIVE or RDFGPU_DATA is not set")
	}
	s, err := rdfgpu.Open(folder, rdfgpu.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if info := s.Device(); !info.Available {
		t.Skip(info)
	}
	for i, name := range []string{"L1", "L2", "L3", "L6", "L7"} {
		text, err := os.ReadFile(filepath.Join(data, "lubm10", "queries", name+".rq"))
		if err != nil {
			t.Fatal(err)
		}
		query := string(text)
		answerOn(t, s, query, rdfgpu.GPU) // uploads
		_, before := answerOn(t, s, query, rdfgpu.GPU)
		for round := range 5 {
			update := newStudents(t, s, 5*i+round)
			was := s.Device().Copied
			begun := time.Now()
			report, err := s.Update(context.Background(), update, rdfgpu.UpdateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			committed := time.Since(begun)
			got, first := answerOn(t, s, query, rdfgpu.GPU)
			copied := s.Device().Copied - was
			_, second := answerOn(t, s, query, rdfgpu.GPU)
			want, onCPU := answerOn(t, s, query, rdfgpu.CPU)
			chosen, auto := answerOn(t, s, query, rdfgpu.Auto)
			if !slices.Equal(got, want) || !slices.Equal(chosen, want) {
				t.Errorf("%s, update %d: %d rows, chosen by cost %d, want %d", name, round, len(got)-1, len(chosen)-1, len(want)-1)
			}
			fmt.Printf("| %s | %d | %d | %v | %v | %v | %v | %v | %v | %d |\n", name, len(got)-1, report.Added, before, committed, first, second, onCPU, auto, copied)
		}
		if err := s.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		was := s.Device().Copied
		got, flushed := answerOn(t, s, query, rdfgpu.GPU)
		if want, _ := answerOn(t, s, query, rdfgpu.CPU); !slices.Equal(got, want) {
			t.Errorf("%s after a flush: %d rows, want %d", name, len(got)-1, len(want)-1)
		}
		fmt.Printf("| %s flushed | %d | | | | %v | | | | %d |\n", name, len(got)-1, flushed, s.Device().Copied-was)
	}
}
