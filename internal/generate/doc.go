// Package generate makes benchmark graphs: deterministic for a seed and a scale, whatever the number of threads.
//
// Nouns: [Triple] of [Entity] values (an entity is a kind and up to three numbers, so that a caller may render it as
// text or compute an ID from it without strings), [Options].
//
// LUBM follows the profile that its authors published (Guo, Pan, Heflin: LUBM: A benchmark for OWL knowledge base
// systems, 2005, appendix): ranges of staff, students, courses, publications, degrees. Random draws differ from the
// original generator's, so counts agree in distribution and not to the triple.
package generate
