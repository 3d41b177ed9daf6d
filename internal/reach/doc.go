// Package reach says which addresses the program may reach because somebody who asks it wants so: those under prefixes that an operator
// has named.
//
// Nouns: [Prefixes].
package reach
