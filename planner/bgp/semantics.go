package bgp

// String returns the name that the command line and the HTTP interface use.
func (s Semantics) String() string {
	switch s {
	case Isomorphism:
		return "isomorphism"
	case EdgeIsomorphism:
		return "edge-isomorphism"
	case Induced:
		return "induced"
	}
	return "homomorphism"
}

// Injective reports whether different query vertices bind different data vertices.
func (s Semantics) Injective() bool { return s == Isomorphism || s == Induced }
