package rdfgpu

import "io"

// Explanation is how a query is answered: the operators, each basic graph pattern's query graph and vertex order, and
// estimates beside what was measured. Its JSON form is stable.
type Explanation struct{}

// WriteText writes the explanation as an indented tree.
func (e *Explanation) WriteText(w io.Writer) error { return errTodo }

// WriteDot writes the query graphs for Graphviz.
func (e *Explanation) WriteDot(w io.Writer) error { return errTodo }
