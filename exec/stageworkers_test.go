package exec_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

var staged = []struct{ name, text string }{
	{"bind and filter", "SELECT ?x ?b { ?x :integer ?v BIND(?v * 3 AS ?a) FILTER(?a + 1 > 100) BIND(STR(?a) AS ?b) }"},
	{"errors", "SELECT ?x ?a { ?x :many ?g OPTIONAL { ?x :some ?s } BIND(STRLEN(?s) AS ?a) }"},
	{"a limit", "SELECT ?x ?a { ?x :integer ?v BIND(?v + 5 AS ?a) FILTER(?a > 7) } LIMIT 6000"},
	{"beside an existence", "SELECT ?x ?a { ?x :integer ?v FILTER EXISTS { ?x :some ?s FILTER(?v > 10) } BIND(?v + 5 AS ?a) }"},
	{"inside a join", "SELECT ?x ?a ?s { { ?x :integer ?v BIND(?v + 5 AS ?a) } OPTIONAL { ?x :some ?s FILTER(STRLEN(?s) > 6) } }"},
	{"a label for blank nodes", "SELECT ?x ?v { ?x :integer ?v BIND(BNODE(STR(?v)) AS ?b) FILTER(isBlank(?b) && ?v > 3) }"},
}

// TestWorkersOfStagesEmitWhatOneGoroutineDoes compares rows and their order.
func TestWorkersOfStagesEmitWhatOneGoroutineDoes(t *testing.T) {
	m := mixed(t, 16_000)
	for _, c := range staged {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := parse(t, "PREFIX : <"+exampleNS+">\n"+c.text)
			want, err := m.run(q, unshared())
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.run(q, shared())
			if err != nil {
				t.Fatal(err)
			}
			if err := equalRows(want.rows, got.rows, true); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWorkersEndWithTheirQuery ends queries that workers work for by a fault, by the caller and by the context.
func TestWorkersEndWithTheirQuery(t *testing.T) {
	t.Parallel()
	m := mixed(t, 16_000)
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT ?x ?a { ?x :integer ?v BIND(?v * 3 AS ?a) FILTER(?a + 1 > -10000) }")
	endsByAFault(t, q, m)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancel(context.Background())
	for _, c := range []struct {
		want error
		stop func() error
	}{{enough, func() error { return enough }}, {context.Canceled, func() error { cancel(); return nil }}} {
		p, err := exec.Prepare(t.Context(), q, m, m.dict, shared())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(ctx, func(*vector.Batch) error { return c.stop() }); !errors.Is(err, c.want) {
			t.Errorf("the query ended with %v instead of %v", err, c.want)
		}
	}
}

// crowded is a dictionary that notes how many goroutines ask it at once.
type crowded struct {
	exec.TermSource
	now, most atomic.Int64
}

func (c *crowded) Value(id dictionary.ID) dictionary.Value {
	if n := c.now.Add(1); n > c.most.Load() {
		c.most.Store(n)
	}
	defer c.now.Add(-1)
	runtime.Gosched()
	return c.TermSource.Value(id)
}

func TestAQueryOfOneThreadHasNoWorkers(t *testing.T) {
	t.Parallel()
	m := mixed(t, 16_000)
	for _, text := range []string{staged[0].text, strings.Replace(grouped[1], ":KEY", ":few", 1)} {
		o, dict := shared(), &crowded{TermSource: m.dict}
		o.Workers = schedule.New(4).Open(context.Background(), 1)
		p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> "+text), m, dict, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := collect(p); err != nil || dict.most.Load() != 1 {
			t.Errorf("%d goroutines at once, %v", dict.most.Load(), err)
		}
	}
}
