package cpu_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"pgregory.net/rapid"
)

func TestMatcherAgreesWithBruteForce(t *testing.T) {
	m := cpu.New(2)
	rapid.Check(t, func(t *rapid.T) {
		if err := matchtest.Check(m, matchtest.Draw(t)); err != nil {
			t.Fatal(err)
		}
	})
}
