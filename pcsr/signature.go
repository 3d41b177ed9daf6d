package pcsr

// Signature is the encoded neighbourhood of a query vertex (SGSI, section 3.2): a data vertex v can match only if
// every bit set here is set in v's row of the SignatureTable. The zero value filters nothing.
type Signature struct {
	Words [4]uint32
}

// IsZero reports whether the signature filters nothing.
func (s Signature) IsZero() bool { return s == Signature{} }
