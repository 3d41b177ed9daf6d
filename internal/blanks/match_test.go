package blanks_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/blanks"
	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func iri(name string) rdf.Term { return rdf.NewIRI("http://e/" + name) }

// draw is a small data set with many blank nodes that look alike.
func draw(t *rapid.T, name string) []rdf.Quad {
	node := func(kind string) rdf.Term {
		if n := rapid.IntRange(0, 8).Draw(t, kind); n < 6 {
			return rdf.NewBlank(fmt.Sprint("b", n))
		} else {
			return iri(fmt.Sprint("i", n))
		}
	}
	quads := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rdf.Quad {
		q := rdf.Quad{Subject: node("subject"), Predicate: iri(rapid.SampledFrom([]string{"p", "q"}).Draw(t, "predicate")), Object: node("object")}
		if rapid.IntRange(0, 5).Draw(t, "graph") == 0 {
			q.Graph = node("name")
		}
		return q
	}), 0, 14).Draw(t, name)
	return isomorphism.Distinct(quads)
}

// renamed are quads with other labels, in another order.
func renamed(quads []rdf.Quad, label func(string) string) []rdf.Quad {
	out := slices.Clone(quads)
	for i := range out {
		for _, t := range []*rdf.Term{&out[i].Subject, &out[i].Object, &out[i].Graph} {
			if t.Kind == rdf.BlankNode {
				t.Value = label(t.Value)
			}
		}
	}
	return out
}

// TestEqualDataSetsAreMatchedWhole renames and shuffles data sets, and compares what is said of two with what the witness says.
func TestEqualDataSetsAreMatchedWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := draw(t, "a")
		b := renamed(a, func(l string) string { return "x" + l + "y" })
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)).Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		if rapid.Bool().Draw(t, "changed") {
			b = draw(t, "b")
		}
		pairs, exact := blanks.Match(a, b)
		if !exact {
			t.Fatal("a small data set is given up")
		}
		if same := equal(renamed(a, to(pairs)), b); same != isomorphism.Same(a, b) {
			t.Fatalf("%v\n%v\npaired as %v: equal is %v", a, b, pairs, same)
		}
		taken := map[string]bool{}
		for _, l := range pairs {
			if taken[l] {
				t.Fatalf("two nodes are %s: %v", l, pairs)
			}
			taken[l] = true
		}
	})
}

func to(pairs map[string]string) func(string) string {
	return func(l string) string {
		if other, ok := pairs[l]; ok {
			return other
		}
		return "unpaired " + l
	}
}

// equal reports the same quads in any order.
func equal(a, b []rdf.Quad) bool {
	if len(a) != len(b) {
		return false
	}
	there := map[rdf.Quad]bool{}
	for _, q := range b {
		there[q] = true
	}
	return !slices.ContainsFunc(a, func(q rdf.Quad) bool { return !there[q] })
}

// TestManyNodesThatLookAlike has ten thousand equal addresses, which must not take time in proportion to their pairs, and one ring.
func TestManyNodesThatLookAlike(t *testing.T) {
	var a []rdf.Quad
	for i := range 10_000 {
		node := rdf.NewBlank(fmt.Sprint("a", i))
		a = append(a, rdf.Quad{Subject: iri("s"), Predicate: iri("address"), Object: node}, rdf.Quad{Subject: node, Predicate: iri("city"), Object: iri("c")})
	}
	for i := range 40 {
		a = append(a, rdf.Quad{Subject: rdf.NewBlank(fmt.Sprint("r", i)), Predicate: iri("next"), Object: rdf.NewBlank(fmt.Sprint("r", (i+1)%40))})
	}
	b := renamed(a, func(l string) string { return l + "z" })
	slices.Reverse(b)
	pairs, exact := blanks.Match(a, b)
	if !exact || !equal(renamed(a, to(pairs)), b) {
		t.Error("equal data sets are not matched")
	}
}

func TestNodesThatChangedALittleArePaired(t *testing.T) {
	address := func(node, city string) []rdf.Quad {
		n := rdf.NewBlank(node)
		return []rdf.Quad{{Subject: iri("ada"), Predicate: iri("address"), Object: n}, {Subject: n, Predicate: iri("city"), Object: iri(city)}}
	}
	pairs, _ := blanks.Match(address("a", "Rome"), address("b", "Athens"))
	if pairs["a"] != "b" {
		t.Errorf("the address of one person is two: %v", pairs)
	}
}
