package pcsr

import (
	"slices"
	"sync"
)

// Where a table is used of a graph that is part of a union, or that was changed, it knows too little of some vertices. Those that got edges
// pass everything. What is left are vertices whose neighbours got a class: no signature asks for such a class of a
// neighbour. What was removed leaves bits that pass too much.

// extend returns a table that begins with this one's vertices and classes to be passed, and takes more.
func (t *SignatureTable) extend(touched, late *marks) *SignatureTable {
	return &SignatureTable{
		g: t.g, base: t.base, rows: t.rows, words: t.words, stride: t.stride, columns: t.columns, file: t.file,
		under: t, touched: append(slices.Clip(t.touched), touched), late: late, whole: &wholeColumns{},
	}
}

// isTouched reports whether v passes everything.
func (t *SignatureTable) isTouched(v Vertex) bool {
	return slices.ContainsFunc(t.touched, func(m *marks) bool { return m.has(v) })
}

// encode is Encode for a table over another.
func (t *SignatureTable) encode(edges []KnownEdge, classes []Vertex) Signature {
	known := make([]KnownEdge, len(edges))
	for i, e := range edges {
		known[i] = KnownEdge{Side: e.Side}
		for _, class := range e.Classes {
			if !t.late.has(class) {
				known[i].Classes = append(known[i].Classes, class)
			}
		}
	}
	s := t.under.Encode(known, classes)
	s.Subject = false
	return s
}

// wholeColumns are the columns of a table with all bits of the touched vertices.
type wholeColumns struct {
	mu      sync.Mutex
	columns []uint32
	touched int64 // when they were made
}

func (w *wholeColumns) of(t *SignatureTable) []uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	touched := int64(0)
	for _, m := range t.touched {
		touched += m.count.Load()
	}
	if w.columns != nil && w.touched == touched {
		return w.columns
	}
	columns := slices.Clone(t.columns)
	for _, m := range t.touched {
		m.each(func(v Vertex) {
			if row := v - t.base; row < t.rows {
				for at := uint64(row); at < uint64(len(columns)); at += uint64(t.stride) {
					columns[at] = 1<<32 - 1
				}
			}
		})
	}
	w.columns, w.touched = columns, touched
	return columns
}

// bytes is what the columns take.
func (w *wholeColumns) bytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return 4 * len(w.columns)
}

// signatures is Graph.Signatures of the graphs that Change made.
func (line *lineage) signatures() *SignatureTable {
	if made := line.table.made.Load(); made != nil {
		return made
	}
	return line.table.get(func() *SignatureTable {
		return line.ground.Signatures().extend(&line.touched, &line.late)
	})
}
