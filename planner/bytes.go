package planner

// What parts of a plan take at most, in bytes (TestBytesAreAboutWhatAPlanTakes).
const (
	planBytes = 1 << 10
	nodeBytes = 1 << 10
	stepBytes = 2 << 10 // with what a matcher keeps
)

// Bytes is about how many bytes a complete plan takes.
func (p *Plan) Bytes() int64 { return planBytes + bytesOf(p.Root) }

func bytesOf(n Node) int64 {
	bytes := nodeBytes + columnBytes*int64(len(n.Props().Columns))
	switch n := n.(type) {
	case *Match:
		bytes += n.bytes()
	case *Product:
		bytes += n.Whole.bytes()
	}
	for _, in := range n.Inputs() {
		bytes += bytesOf(in)
	}
	return bytes
}

func (m *Match) bytes() (bytes int64) {
	for _, s := range m.Plan.Steps {
		bytes += stepBytes + 4*int64(len(s.Candidates))
	}
	return bytes
}

// keep lets matchers keep what they make of the plans of a node and those below it.
func keep(n Node) {
	switch n := n.(type) {
	case *Match:
		n.Plan.ForManyRuns()
	case *Product:
		n.Whole.Plan.ForManyRuns()
	}
	for _, in := range n.Inputs() {
		keep(in)
	}
}
