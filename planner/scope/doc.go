// Package scope says which variables the parts of a query bind and read.
//
// Nouns: [Set] (variables, a bit each), [Scope] (what a pattern's solutions may bind and what they always bind), [Scopes]
// (the numbers of a query's variables, and the scopes of its patterns, each found once).
//
// A chain of a thousand OPTIONALs that bind a variable each has a thousand scopes of a thousand variables: as bits they
// take 128 KB together. The package looks at algebra alone: it must not know the data or a plan.
package scope
