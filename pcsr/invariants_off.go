//go:build !invariants

package pcsr

const invariants = false
