package terms

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// anyNumber draws a number of a class, half of them near the bounds of those that are IDs of their own.
func anyNumber(t *rapid.T) (class dictionary.NumberClass, units int64) {
	class = dictionary.NumberClass(rapid.IntRange(int(dictionary.IntegerUnits), int(dictionary.DecimalUnits)+dictionary.MostDecimals).Draw(t, "class"))
	switch class {
	case dictionary.FloatBits:
		return class, int64(math.Float64bits(float64(rapid.Float32().Draw(t, "float"))))
	case dictionary.DoubleBits:
		return class, int64(math.Float64bits(rapid.Float64().Draw(t, "double")))
	}
	switch rapid.IntRange(0, 2).Draw(t, "size") {
	case 0:
		return class, rapid.Int64().Draw(t, "units")
	case 1:
		near := int64(1) << rapid.IntRange(24, 30).Draw(t, "near")
		return class, rapid.SampledFrom([]int64{near, -near}).Draw(t, "sign") + rapid.Int64Range(-2, 2).Draw(t, "off")
	}
	return class, rapid.Int64Range(-1000, 1000).Draw(t, "units")
}

// TestTermsOfEveryIdentityAreThoseThatWereComputed gives the same terms IDs of every identity: what is read is what was given, equal terms have one ID where that
// is promised, and different terms never do.
func TestTermsOfEveryIdentityAreThoseThatWereComputed(t *testing.T) {
	stored := list{rdf.NewString("a"), rdf.NewTyped("5", rdf.XSDInteger), rdf.NewTyped("0.5", rdf.XSDDecimal)}
	rapid.Check(t, func(t *rapid.T) {
		terms := New(stored)
		if rapid.Bool().Draw(t, "many stored") {
			terms.top = last // as where the dictionary has more than half of the IDs
		}
		full, computed, loose := map[rdf.Term]dictionary.ID{}, map[rdf.Term]dictionary.ID{}, map[dictionary.ID]rdf.Term{}
		seen := map[dictionary.ID]rdf.Term{}
		check := func(id dictionary.ID, want rdf.Term) {
			if got := terms.Term(id); got != want {
				t.Fatalf("%v has ID %d, of which the term is %v", want, id, got)
			}
			text, sort := terms.AppendText([]byte("x"), id)
			if string(text) != "x"+want.Value || sort != want.Sort() {
				t.Fatalf("the text of %v is %q, its sort %q", want, text, sort)
			}
			if nt := terms.AppendNTriples(nil, id); id >= terms.Base() && string(nt) != string(rdf.AppendNTriples(nil, want)) {
				t.Fatalf("%v is written %s", want, nt)
			}
			v, w := terms.Value(id), dictionary.ParseValue(want)
			if v.Kind != w.Kind || v.Datatype != w.Datatype || v.IsNumeric() && !v.IsNaN() && dictionary.Compare(v, w) != dictionary.Equal {
				t.Fatalf("the value of %v is %+v", want, v)
			}
			if other, known := seen[id]; known && other != want {
				t.Fatalf("%v and %v have the ID %d", want, other, id)
			}
			seen[id] = want
		}
		once := func(known map[rdf.Term]dictionary.ID, term rdf.Term, id dictionary.ID) {
			if before, ok := known[term]; ok && before != id {
				t.Fatalf("%v has the IDs %d and %d", term, before, id)
			}
			known[term] = id
			check(id, term)
		}
		var room []dictionary.ID
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			class, units := anyNumber(t)
			v := class.Value(units)
			term := v.Canonical()
			if rapid.IntRange(0, 3).Draw(t, "a text") == 0 {
				class, term = dictionary.NoNumber, rdf.NewString(rapid.SampledFrom([]string{"a", "b", "5", ""}).Draw(t, "text"))
			}
			switch rapid.IntRange(0, 3).Draw(t, "identity") {
			case 0:
				once(full, term, terms.ID(term))
			case 1:
				once(computed, term, terms.ComputedID(term))
			case 2:
				if class == dictionary.NoNumber {
					continue
				}
				once(computed, term, terms.ComputedNumber(class, units))
			case 3:
				if len(room) == 0 {
					n := rapid.IntRange(1, 40).Draw(t, "room")
					for first := terms.Room(n); n > 0; n-- {
						room, first = append(room, first), first-1
					}
				}
				id := room[0]
				room = room[1:]
				if class == dictionary.NoNumber {
					terms.SetTerm(id, term)
				} else {
					terms.SetNumber(id, class, units)
				}
				if !terms.Repeats(id) {
					t.Fatalf("%v has an ID that is said to be its only one", term)
				}
				loose[id] = term
				check(id, term)
			}
		}
		for id, term := range seen {
			check(id, term)
			if _, given := loose[id]; given != terms.Repeats(id) {
				t.Fatalf("%v: Repeats(%d) = %v", term, id, terms.Repeats(id))
			}
		}
	})
}

// TestGoroutinesAgreeOnComputedNumbers has several goroutines give the same numbers IDs, small ones and others.
func TestGoroutinesAgreeOnComputedNumbers(t *testing.T) {
	terms := New(list{})
	const n = 20_000
	found := make([][]dictionary.ID, 4)
	var wait sync.WaitGroup
	for g := range found {
		wait.Go(func() {
			for i := range n {
				found[g] = append(found[g], terms.ComputedNumber(dictionary.IntegerUnits, int64(i)<<20), terms.ComputedID(rdf.NewString(fmt.Sprint("s", i%1000))))
			}
		})
	}
	wait.Wait()
	for i, id := range found[0] {
		for g := range found {
			if found[g][i] != id {
				t.Fatalf("the %d-th has the IDs %d and %d", i, id, found[g][i])
			}
		}
	}
	for i := range n {
		if got, want := terms.Value(found[0][2*i]).Int, int64(i)<<20; got != want {
			t.Fatalf("the number %d is read as %d", want, got)
		}
	}
}

// TestThereAreAsManyTermsAsIDs asks for more terms than there are IDs.
func TestThereAreAsManyTermsAsIDs(t *testing.T) {
	terms := New(list{})
	terms.told.count.Store(uint32(terms.top) - 100)
	defer func() {
		if recover() != errIDs {
			t.Error("IDs were given twice")
		}
	}()
	terms.Room(50)
	terms.Room(60)
}
