package dictionary

import "math"

// ID is the number of a term. It is an alias, so that columns of IDs pass to the kernels without a copy.
type ID = uint32

// None marks an unbound variable in a column of IDs; no term has it.
const None ID = math.MaxUint32
