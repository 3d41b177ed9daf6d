package pcsr

// Vertex is the number of a data vertex, 0 … Graph.Vertices()-1.
type Vertex = uint32

// Label is an edge label: the number of a predicate, 0 … Graph.Labels()-1, which is also its vertex number.
type Label = uint32

// Direction says which end of an edge a partition is keyed by.
type Direction uint8

const (
	// Out lists the objects of a subject: w ∈ N(v, l, Out) when v --l--> w.
	Out Direction = iota
	// In lists the subjects of an object: w ∈ N(v, l, In) when w --l--> v.
	In
)

// Reverse returns the other direction.
func (d Direction) Reverse() Direction { return d ^ 1 }

// String returns "out" or "in".
func (d Direction) String() string {
	if d == Out {
		return "out"
	}
	return "in"
}

// Edge is one triple: From --Label--> To.
type Edge struct {
	From  Vertex
	Label Label
	To    Vertex
}
