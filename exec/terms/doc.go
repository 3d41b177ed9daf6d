// Package terms gives IDs to the terms that one query computes, above the IDs of the store's dictionary.
//
// Nouns: [Terms] (the dictionary plus what one query computed), [Dictionary] (what it needs from below).
//
// IDs below Dictionary.Len() are the store's; computed terms follow, interned, so that one term has one ID and
// equality of IDs is sameTerm. Goroutines that compute terms at the same time meet in shards, by hash, and take the next IDs from one
// counter; who finds a term that is there takes no lock. A Terms lives as long as the result of its query and is never written to the store.
package terms
