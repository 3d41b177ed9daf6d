package hostile

import _ "embed" // tiny.trig

// Tiny is a data set of a few triples with cycles and named graphs, in TriG: small data lets a query's own size show.
//
//go:embed tiny.trig
var Tiny string
