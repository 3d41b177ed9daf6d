package drawing

import (
	"fmt"
	"io"
	"strings"
)

// WriteDot writes graphs for Graphviz, vertices numbered in the order the join binds them.
func WriteDot(w io.Writer, graphs []Graph) error {
	var b strings.Builder
	b.WriteString("digraph query {\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n")
	for i, g := range graphs {
		g.write(&b, i)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes a graph as the cluster of a number.
func (g Graph) write(b *strings.Builder, number int) {
	fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%q;\n", number, fmt.Sprintf("pattern %d", number+1))
	position := map[int]int{}
	for i, v := range g.Order {
		position[v] = i + 1
	}
	for i, v := range g.Vertices {
		label, shape := v.Label, "box"
		if v.Variable {
			shape = "ellipse"
		}
		if n, ok := position[i]; ok {
			label = fmt.Sprintf("%d: %s", n, label)
		}
		for _, c := range v.Classes {
			label += "\na " + c
		}
		fmt.Fprintf(b, "    g%dv%d [label=%q, shape=%s];\n", number, i, label, shape)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(b, "    g%dv%d -> g%dv%d [label=%q];\n", number, e.From, number, e.To, e.Label)
	}
	b.WriteString("  }\n")
}
