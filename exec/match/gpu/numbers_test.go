package gpu

import (
	"context"
	"fmt"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestNumbersAreReadInParts: what several goroutines read is what the dictionary has, also where equal numbers that are in no order lie between two of them.
func TestNumbersAreReadInParts(t *testing.T) {
	t.Parallel()
	const many = 3*numbersChunk + 77
	var terms []rdf.Term
	for i := range many {
		terms = append(terms, rdf.NewTyped(fmt.Sprint(i-1000), rdf.XSDInteger))
		if i%9000 == 5 {
			terms = append(terms, rdf.NewTyped(fmt.Sprintf("%d.25", i), rdf.XSDDecimal), rdf.NewTyped(fmt.Sprintf("%d.5E0", i), rdf.XSDDouble))
		}
	}
	for _, tie := range []int{-1, numbersChunk - 1000, 5, many - 2000} {
		list := terms
		if tie >= 0 {
			list = append(append([]rdf.Term{}, terms...), rdf.NewTyped(fmt.Sprintf("%d.0", tie), rdf.XSDDecimal))
		}
		dict, err := dictionary.FromTerms(list)
		if err != nil {
			t.Fatal(err)
		}
		r := dict.Section(0, dictionary.Numbers)
		n, err := readNumbers(context.Background(), dict, r)
		if err != nil || n.scale != 2 || n.ordered != (tie < 0) {
			t.Fatalf("a tie at %d: scale %d, in order %v, error %v", tie, n.scale, n.ordered, err)
		}
		if n.ordered == (n.ranks != nil) {
			t.Fatalf("a tie at %d: in order %v, with ranks %v", tie, n.ordered, n.ranks != nil)
		}
		last := dictionary.None
		for _, i := range places(n.ranks) {
			id := r.From + dictionary.ID(i)
			if dict.Value(id).Kind == dictionary.Double {
				continue
			}
			if last != dictionary.None && !ascends(dict, last, id, dict.Value(last), dict.Value(id)) {
				t.Fatalf("a tie at %d: %v is ranked before %v", tie, dict.Term(last), dict.Term(id))
			}
			last = id
		}
		words := n.doubled(n.scale)
		for i, word := range words {
			switch v := dict.Value(r.From + dictionary.ID(i)); v.Kind {
			case dictionary.Integer:
				if word != 200*v.Int {
					t.Fatalf("%d is %d", v.Int, word)
				}
			case dictionary.Decimal:
				if word != 2*v.Int*[]int64{100, 10, 1}[v.Scale]+1 {
					t.Fatalf("%+v is %d", v, word)
				}
			default:
				if word != -1<<63 {
					t.Fatalf("%+v is %d", v, word)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dict := lessTen(t, 10)
	if _, err := readNumbers(ctx, dict, dict.Section(0, dictionary.Numbers)); err != context.Canceled {
		t.Error(err)
	}
}
