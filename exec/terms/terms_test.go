package terms

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

type list []rdf.Term

func (l list) Len() int                       { return len(l) }
func (l list) Term(id dictionary.ID) rdf.Term { return l[id] }
func (l list) AppendText(dst []byte, id dictionary.ID) ([]byte, string) {
	return append(dst, l[id].Value...), l[id].Sort()
}
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
	var charged atomic.Int64
	terms.Charge = func(bytes int64) { charged.Add(bytes) }
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
	known := make([]bool, n+shardCount*mostNumbers)
	for i := range n {
		if id := got[0][i]; int(id) >= len(known) || known[id] {
			t.Fatalf("term %d has ID %d, which is too large or another's", i, id)
		}
		known[got[0][i]] = true
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
	if left := terms.Bytes() - charged.Load(); left < 0 || left >= shardCount*chargeEvery {
		t.Errorf("%d of %d bytes are not charged", left, terms.Bytes())
	}
}

// TestReadersMeetWholeTerms: whoever goes through all IDs meets whole terms or none while they are computed.
func TestReadersMeetWholeTerms(t *testing.T) {
	terms := New(list{})
	const n = 2000
	var group sync.WaitGroup
	for g := range 3 {
		group.Go(func() {
			for i := range n {
				terms.ID(rdf.NewTyped(fmt.Sprint(i), fmt.Sprint("http://type/", g)))
			}
		})
	}
	group.Go(func() {
		for terms.Computed() < 3*n {
			for id := range dictionary.ID(terms.Computed()) {
				if u := terms.Term(id); !u.IsZero() && (u.Value == "" || u.Datatype == "") {
					t.Errorf("term %d is %v", id, u)
				}
			}
		}
	})
	group.Wait()
	if terms.Computed() != 3*n {
		t.Errorf("%d terms, want %d", terms.Computed(), 3*n)
	}
}

// BenchmarkID gives IDs to new terms, by one goroutine and by as many as there are processors.
func BenchmarkID(b *testing.B) {
	text := func(g uint64, i int) rdf.Term { return rdf.NewTyped(fmt.Sprintf("%d-%d", g, i), rdf.XSDInteger) }
	b.Run("one", func(b *testing.B) {
		terms := New(list{})
		for i := range b.N {
			terms.ID(text(0, i))
		}
	})
	b.Run("all", func(b *testing.B) {
		terms := New(list{})
		var goroutines atomic.Uint64
		b.RunParallel(func(pb *testing.PB) {
			g := goroutines.Add(1)
			for i := 0; pb.Next(); i++ {
				terms.ID(text(g, i))
			}
		})
	})
}
