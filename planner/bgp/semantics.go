package bgp

// String returns the name that the command line and the HTTP interface use.
func (s Semantics) String() string {
	switch s {
	case Isomorphism:
		return "isomorphism"
	case EdgeIsomorphism:
		return "edge-isomorphism"
	}
	return "homomorphism"
}
