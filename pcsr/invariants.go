//go:build invariants

package pcsr

// invariants makes Build and Open verify the whole graph.
const invariants = true
