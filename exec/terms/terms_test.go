package terms

import (
	"fmt"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

type list []rdf.Term

func (l list) Len() int                       { return len(l) }
func (l list) Term(id dictionary.ID) rdf.Term { return l[id] }
func (l list) Value(id dictionary.ID) dictionary.Value {
	return dictionary.ParseValue(l[id])
}
func (l list) Lookup(t rdf.Term) (dictionary.ID, bool) {
	for i, u := range l {
		if u == t {
			return dictionary.ID(i), true
		}
	}
	return dictionary.None, false
}

func TestComputedTermsFollowTheStoresTerms(t *testing.T) {
	stored := list{rdf.NewIRI("http://a"), rdf.NewString("b")}
	terms := New(stored)
	if id := terms.ID(rdf.NewString("b")); id != 1 {
		t.Errorf("a stored term has ID %d, want 1", id)
	}
	if _, ok := terms.Find(rdf.NewString("c")); ok {
		t.Error("Find knows a term that nobody computed")
	}
	id := terms.ID(rdf.NewString("c"))
	if id != 2 || terms.ID(rdf.NewString("c")) != 2 {
		t.Errorf("the first computed term has ID %d, want 2 each time", id)
	}
	if got := terms.Term(2); got != rdf.NewString("c") {
		t.Errorf("Term(2) = %v", got)
	}
	if v := terms.Value(terms.ID(rdf.NewTyped("7", rdf.XSDInteger))); v.Kind != dictionary.Integer || v.Int != 7 {
		t.Errorf("the value of a computed 7 is %v", v)
	}
	if !terms.Term(99).IsZero() || !terms.Term(dictionary.None).IsZero() {
		t.Error("an ID that nobody handed out decodes to a term")
	}
	if terms.ID(rdf.Term{}) != dictionary.None {
		t.Error("no term has an ID")
	}
}

func TestManyGoroutinesAgreeOnIDs(t *testing.T) {
	terms := New(list{})
	const n = 3 * 4096
	var got [4][n]dictionary.ID
	var group sync.WaitGroup
	for g := range got {
		group.Go(func() {
			for i := range n {
				got[g][i] = terms.ID(rdf.NewString(fmt.Sprint(i)))
			}
		})
	}
	group.Wait()
	for i := range n {
		for g := range got {
			if got[g][i] != got[0][i] {
				t.Fatalf("term %d has IDs %d and %d", i, got[0][i], got[g][i])
			}
		}
		if terms.Term(got[0][i]).Value != fmt.Sprint(i) {
			t.Fatalf("term %d decodes to %v", i, terms.Term(got[0][i]))
		}
	}
	if terms.Computed() != n || terms.Bytes() == 0 {
		t.Errorf("%d computed terms in %d bytes", terms.Computed(), terms.Bytes())
	}
}
