package drawing

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Graph is a basic graph pattern as a labelled graph.
type Graph struct {
	Vertices []Vertex `json:"vertices"`
	Edges    []Edge   `json:"edges"`
	// Order lists the vertices in the order the join binds them.
	Order []int `json:"order"`
	// Empty says why the pattern cannot match; "" when it may.
	Empty string `json:"empty,omitempty"`
}

// Vertex is a variable or a constant.
type Vertex struct {
	Label    string   `json:"label"`
	Variable bool     `json:"variable"`
	Classes  []string `json:"classes,omitempty"`
}

// Edge is a triple pattern; From and To index Graph.Vertices.
type Edge struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Label string `json:"label"`
	// Variable reports that the predicate is a variable.
	Variable bool `json:"variable,omitempty"`
}

// New is the graph of a plan, whose query must not be nil; label writes a constant.
func New(plan *bgp.MatchPlan, label func(dictionary.ID) string) Graph {
	g := Graph{Vertices: []Vertex{}, Edges: []Edge{}, Order: []int{}, Empty: plan.Reason}
	for _, v := range plan.Query.Vertices {
		g.Vertices = append(g.Vertices, newVertex(v, label))
	}
	for _, edge := range plan.Query.Edges {
		e := Edge{From: edge.From, To: edge.To, Variable: edge.LabelVertex >= 0}
		if e.Variable {
			e.Label = "?" + plan.Query.Vertices[edge.LabelVertex].Variable
		} else {
			e.Label = label(edge.Label)
		}
		g.Edges = append(g.Edges, e)
	}
	for _, slot := range plan.Slots {
		g.Order = append(g.Order, slot.Vertex)
	}
	return g
}

func newVertex(v bgp.QueryVertex, label func(dictionary.ID) string) Vertex {
	vertex := Vertex{Label: "?" + v.Variable, Variable: v.Variable != ""}
	if !vertex.Variable {
		vertex.Label = label(v.Constant)
	}
	for _, c := range v.Classes {
		vertex.Classes = append(vertex.Classes, label(c))
	}
	return vertex
}
