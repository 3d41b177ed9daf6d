// Package radix sorts 64-bit keys: those of edges, by the vertex at one end and then by that at the other.
//
// It has no nouns but the way to do it: [Sort] sorts keys, [SortUpper] those of which the lower bits are in order already, [SortAcross] does so by several goroutines, and
// [Distinct] drops repeats. The caller has scratch space; nothing but counts is allocated.
package radix
