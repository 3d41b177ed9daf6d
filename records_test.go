package rdfgpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/rdfgpu/rdfgpu"
)

// TestRecordsAreTheRowsOfTheAnswer, however many, and give their memory back, read to the end or not.
func TestRecordsAreTheRowsOfTheAnswer(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	store := load(t, "ntriples", complete(400))
	query := "PREFIX e: <http://example.org/> SELECT ?a ?b { ?a e:p ?b } ORDER BY ?a ?b"
	ask := func(text string) *rdfgpu.Result {
		r, err := store.Query(t.Context(), text, rdfgpu.QueryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	var want, got []string
	for row, err := range ask(query).Rows() {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(row[0].Value, " ", row[1].Value))
	}
	batches := 0
	for batch, err := range ask(query).Records(mem) {
		if err != nil {
			t.Fatal(err)
		}
		batches++
		a, b := batch.Column(0).(*array.Dictionary), batch.Column(2).(*array.Dictionary)
		for i := range int(batch.NumRows()) {
			got = append(got, a.ValueStr(i)+" "+b.ValueStr(i))
		}
	}
	if batches < 2 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%d batches of %d rows, expected several of %d, the same", batches, len(got), len(want))
	}
	for range ask(query).Records(mem) {
		break
	}
	for batch, err := range ask("SELECT ?a { ?a <http://example.org/none> ?b }").Records(mem) {
		if err != nil || batch.NumRows() != 0 || batch.NumCols() != 2 {
			t.Error(batch, err)
		}
	}
	for batch, err := range ask("ASK {}").Records(mem) {
		if err != nil || !batch.Column(0).(*array.Boolean).Value(0) {
			t.Error(batch, err)
		}
	}
	r := ask("SELECT * { VALUES ?x { 1 2 } }")
	r.Close()
	for _, err := range r.Records(mem) {
		if err == nil {
			t.Error("a closed result has records")
		}
	}
}

// TestABlankNodeIsFoundByItsLabel: <_:label> in a query is the node that the store calls so.
func TestABlankNodeIsFoundByItsLabel(t *testing.T) {
	store := load(t, "turtle", "@prefix e: <http://example.org/> . e:a e:p [ e:n 1 ], [ e:n 2 ] .")
	answer := func(text string) (values []string) {
		r, err := store.Query(t.Context(), text, rdfgpu.QueryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for row, err := range r.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, row[0].Value)
		}
		return values
	}
	labels := answer("SELECT ?b { ?a <http://example.org/p> ?b . ?b <http://example.org/n> ?n } ORDER BY ?n")
	for i, label := range labels {
		for _, text := range []string{
			"SELECT ?n { <_:%s> <http://example.org/n> ?n }",
			"SELECT ?n { ?b <http://example.org/n> ?n VALUES ?b { <_:%s> <_:nobody> } }",
			"SELECT ?n { ?b <http://example.org/n> ?n FILTER(?b = <_:%s>) }",
			"SELECT ?n { BIND(<_:%s> AS ?b) ?b <http://example.org/n> ?n }",
		} {
			if got := answer(fmt.Sprintf(text, label)); len(got) != 1 || got[0] != fmt.Sprint(i+1) {
				t.Errorf("%s: %v", fmt.Sprintf(text, label), got)
			}
		}
	}
	if got := answer("SELECT ?n { <_:nobody> ?p ?n }"); len(labels) != 2 || len(got) != 0 {
		t.Error(labels, got)
	}
}
