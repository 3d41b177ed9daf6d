package cpu_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"pgregory.net/rapid"
)

func TestMatcherAgreesWithBruteForce(t *testing.T) {
	for name, m := range map[string]*cpu.Matcher{
		"as used": cpu.New(2), "one thread": cpu.New(1), "everything small": cpu.NewContrary(3),
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				if err := matchtest.Check(m, matchtest.Draw(t)); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
