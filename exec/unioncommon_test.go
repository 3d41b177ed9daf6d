package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// triangles is a random graph with few triangles, whose nodes have a name and a mail address.
func triangles(t testing.TB, nodes, edges int) *memory {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	at := func(i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("%sv%d", exampleNS, i)) }
	var quads []quad
	for range edges {
		quads = append(quads, quad{subject: at(random.IntN(nodes)), predicate: rdf.NewIRI(exampleNS + "link"), object: at(random.IntN(nodes))})
	}
	for i := range nodes {
		quads = append(quads,
			quad{subject: at(i), predicate: rdf.NewIRI(exampleNS + "name"), object: rdf.NewString(fmt.Sprint("name", i))},
			quad{subject: at(i), predicate: rdf.NewIRI(exampleNS + "mail"), object: rdf.NewString(fmt.Sprint("mail", i))})
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const triangleUnion = "PREFIX : <" + exampleNS + "> SELECT * { { ?x :link ?y . ?y :link ?z . ?z :link ?x . ?x :name ?n } UNION " +
	"{ ?x :link ?y . ?y :link ?z . ?z :link ?x . ?y :mail ?m } UNION { ?x :link ?y . ?y :link ?z . ?z :link ?x . ?z :name ?k } }"

// TestWhatBranchesHaveInCommonIsMatchedOnce where that costs more than carrying its solutions.
func TestWhatBranchesHaveInCommonIsMatchedOnce(t *testing.T) {
	m := triangles(t, 2000, 10000)
	q := parse(t, triangleUnion)
	p, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
	if err != nil {
		t.Fatal(err)
	}
	if text := explained(t, p); !strings.Contains(text, "join") || strings.Count(text, ":link ?y")+strings.Count(text, "link> ?y") != 1 {
		t.Errorf("the triangle is not shared:\n%s", text)
	}
	got, err := m.run(q, onProcessor())
	if err != nil {
		t.Fatal(err)
	}
	o := onProcessor()
	o.Unoptimised = true
	want, err := m.run(q, o)
	if err != nil || !slices.Equal(tally(got.rows), tally(want.rows)) {
		t.Errorf("%d rows, unoptimised %d, error %v", len(got.rows), len(want.rows), err)
	}
	cheap := parse(t, "PREFIX : <"+exampleNS+"> SELECT * { { ?x :link ?y . ?y :name ?z . ?x :mail ?m } UNION { ?x :link ?y . ?y :name ?z . ?x :name ?m } }")
	if p, err = exec.Prepare(t.Context(), cheap, m, m.dict, onProcessor()); err != nil {
		t.Fatal(err)
	}
	if text := explained(t, p); strings.Contains(text, "join") {
		t.Errorf("a cheap part is shared:\n%s", text)
	}
}

func explained(t *testing.T, p *exec.Plan) string {
	t.Helper()
	var sb strings.Builder
	if err := p.Explain().WriteText(&sb); err != nil {
		t.Fatal(err)
	}
	return sb.String()
}

// BenchmarkSharedUnion matches a union of triangles with their common part shared and not.
func BenchmarkSharedUnion(b *testing.B) {
	m := triangles(b, 20_000, 200_000)
	q := parse(b, triangleUnion)
	for _, variant := range []string{"shared", "separate"} {
		b.Run(variant, func(b *testing.B) {
			o := onProcessor()
			if variant == "separate" {
				o.Tuning.SharedGain = -1
			}
			for b.Loop() {
				if _, err := m.run(q, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
