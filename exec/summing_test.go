package exec_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestQueriesThatAddUpRunOnTheDevice: those of testdata/summing, over a small graph like theirs, are carried out on the device as their names say, with the processor's
// answers.
func TestQueriesThatAddUpRunOnTheDevice(t *testing.T) {
	var quads []quad
	r := rand.New(rand.NewPCG(1, 2))
	const vertices, ns = 150, "http://example.org/graph/"
	iri := func(name string, n int) rdf.Term { return rdf.NewIRI(fmt.Sprint(ns, name, n)) }
	add := func(subject rdf.Term, predicate string, object rdf.Term) {
		quads = append(quads, quad{subject: subject, predicate: rdf.NewIRI(predicate), object: object})
	}
	for v := range vertices {
		add(iri("v", v), rdf.RDFType, iri("c", v%4))
		add(iri("v", v), ns+"worth", integer(r.IntN(200_003)-1000))
		add(iri("v", v), ns+"share", rdf.NewTyped(fmt.Sprintf("%d.%02d", r.IntN(1000), 10+r.IntN(90)), rdf.XSDDecimal))
		for range 1 + r.IntN(16) {
			add(iri("v", v), ns+"p0", iri("v", r.IntN(1+r.IntN(vertices))))
		}
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../testdata/summing/*.rq")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d queries (error %v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := emulate()
		if err != nil {
			t.Fatal(err)
		}
		answersAs(t, m, string(text), d)
		name := filepath.Base(file)
		sifted, looked, weighed := d.sifted.Load() > 0, d.lookedUp.Load() > 0, d.branches.Load() > 0
		weighs := name[:2] == "j2" || name[:2] == "j5"
		if name[0] == 'u' && name[1] != '1' && !sifted || name[0] == 'j' && !weighs && !looked || weighs && !weighed {
			t.Errorf("%s: the device tested rows: %v, looked some up: %v, weighed them: %v", name, sifted, looked, weighed)
		}
		folds, selects := name[:2] == "k7" || name[:2] == "k9", name[0] == 't' && name[1] > '2'
		if folds && d.folded.Load() == 0 || selects && (d.combined.Load() == 0 || d.rows.Load() > 500) {
			t.Errorf("%s: the device folded %d batches; %d rows came", name, d.folded.Load(), d.rows.Load())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
