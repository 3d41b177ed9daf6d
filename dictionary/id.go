package dictionary

import "math"

// ID is the number of a term. It is an alias, so that columns of IDs pass to the kernels without a copy.
type ID = uint32

// None marks an unbound variable in a column of IDs; no term has it.
const None ID = math.MaxUint32

// Identity says what the IDs of terms that a query computes tell. Those who compare IDs ask for one; the less it tells, the less it costs.
type Identity uint8

const (
	// IdentityFull: a term has one ID, the dictionary's if that has it. Equality of IDs is sameTerm.
	IdentityFull Identity = iota
	// IdentityComputed: a term has one ID among those that were computed so, to be compared with each other alone.
	IdentityComputed
	// IdentityNone: a term may have several IDs, which are for who reads terms, and compares none.
	IdentityNone
)
