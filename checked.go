package rdfgpu

import (
	"bytes"
	"fmt"
	"io"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/readback"
)

// What a check holds for each triple, as it is and as it is read back, and for each byte of the text and of its terms.
const (
	checkedTriple = 600
	checkedByte   = 4
)

// WriteChecked is Write for triples in N-Triples or Turtle, whose text is read back and compared before any of it goes to w. What
// reads it (internal/readback) shares no code with what writes it. The error wraps ErrReadBack where another graph came
// back, ErrFormat for other formats, and ErrMemoryLimit where the answer, which is held whole, is more than the query may hold.
// It reads some 200,000 triples a second.
func (r *Result) WriteChecked(w io.Writer, format Format) (uint64, error) {
	if r.Kind() != Triples || !readback.Reads(format) {
		return 0, fmt.Errorf("%w: only triples in %s and %s can be read back", ErrFormat, NTriples, Turtle)
	}
	text := &checkedText{graph: readback.Graph{}, meter: r.budget.Meter("the answer that is read back")}
	n, err := r.writeTimed(text, format, everything, func(b *Batch) error { return r.addChecked(text, b) })
	if err != nil {
		return n, err
	}
	if err := text.graph.Check(text.Bytes(), format); err != nil {
		return 0, err
	}
	_, err = w.Write(text.Bytes())
	return n, err
}

// checkedText is a text and the graph that it was written from.
type checkedText struct {
	bytes.Buffer
	graph readback.Graph
	meter *limits.Meter
}

func (c *checkedText) Write(p []byte) (int, error) {
	if err := c.meter.Charge(int64(len(p)) * checkedByte); err != nil {
		return 0, err
	}
	return c.Buffer.Write(p)
}

func (r *Result) addChecked(c *checkedText, b *Batch) error {
	if err := c.meter.Charge(int64(b.N) * checkedTriple); err != nil {
		return err
	}
	for i := range b.N {
		c.graph[readback.Triple{r.Term(b.Cols[0][i]), r.Term(b.Cols[1][i]), r.Term(b.Cols[2][i])}] = struct{}{}
	}
	return r.Err()
}
