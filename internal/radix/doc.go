// Package radix sorts 64-bit keys: those of edges, by the vertex at one end and then by that at the other.
//
// It has no nouns: [Sort] sorts keys, [SortUpper] those of which the lower bits are in order already, and [Distinct] drops repeats.
// It never allocates: the caller has scratch space.
package radix
