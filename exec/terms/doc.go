// Package terms gives IDs to the terms that one query computes, above the IDs of the store's dictionary.
//
// Nouns: [Terms] (the dictionary plus what one query computed), [Dictionary] (what it needs from below).
//
// IDs below Dictionary.Len() are the store's. What they and those above tell is asked for term by term (dictionary.Identity):
//
//	IdentityFull      ID                                one term, one ID, the store's if it has the term: equality of IDs is sameTerm
//	IdentityComputed  ComputedID, ComputedNumber        the same among computed terms: nothing is looked for in the store
//	IdentityNone      Room, SetTerm, SetNumber          an ID each time, for who reads terms and compares none
//
//	0 … the store's … base … computed, told apart … → ← … without identity … top … small numbers … last, None
//
// With the latter two, small integers and decimals are IDs themselves (direct.go), and take nothing. Goroutines that compute terms at the same time meet in
// shards, by hash, and take the next IDs from one counter; who finds a term that is there takes no lock. A Terms lives as long as the result of its query and
// is never written to the store.
package terms
