package updatetest

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/naive"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// naiveEngine is the naive store as an Engine.
type naiveEngine struct{ naive.Store }

func (e *naiveEngine) Load(quads []rdf.Quad) error {
	e.Store.Load(quads)
	return nil
}

func (e *naiveEngine) Quads() ([]rdf.Quad, error) { return e.Store.Quads(), nil }

func TestW3CEvaluation(t *testing.T) {
	RunEvaluation(t, func(*testing.T) Engine { return &naiveEngine{} })
}

// lazy is an engine that does nothing.
type lazy struct{ naiveEngine }

func (*lazy) Update(string, string) error { return nil }

// TestTheEvaluationTestsTellEnginesApart: an engine that does nothing passes less than half of them.
func TestTheEvaluationTestsTellEnginesApart(t *testing.T) {
	tests, err := EvaluationTests(Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, test := range tests {
		if test.Run(&lazy{}) == nil {
			passed++
		}
	}
	if passed > 40 { // many make sure that nothing happens
		t.Errorf("doing nothing passes %d of %d tests", passed, len(tests))
	}
}
