package readback

import (
	"errors"
	"fmt"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// ErrDiffers reports a document that does not hold the graph that it was written from.
var ErrDiffers = errors.New("the text does not read back as the graph that it was written from")

// Triple is a subject, a predicate and an object.
type Triple [3]rdf.Term

func (t Triple) String() string { return fmt.Sprintf("%v %v %v .", t[0], t[1], t[2]) }

// Graph is a set of triples; blank nodes are told apart by their labels.
type Graph map[Triple]struct{}

// Check reads a document in N-Triples or Turtle and compares it with g. The error wraps ErrDiffers and names what is
// wrong, or wraps results.ErrFormat for other formats.
func (g Graph) Check(document []byte, format results.Format) error {
	found, err := Read(document, format)
	if err != nil {
		return err
	}
	for t := range g {
		if _, ok := found[t]; !ok {
			return fmt.Errorf("%w: %v is missing", ErrDiffers, t)
		}
	}
	for t := range found {
		if _, ok := g[t]; !ok {
			return fmt.Errorf("%w: %v should not be there", ErrDiffers, t)
		}
	}
	return nil
}
