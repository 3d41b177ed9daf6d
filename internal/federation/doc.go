// Package federation asks other SPARQL endpoints what SERVICE sends there.
//
// Nouns: [Client] (the endpoints that may be asked), [Client.Ask] (an endpoint and a query → solutions, as the SERVICE operator
// of exec wants them: an exec.Service).
//
// It asks none but the endpoints on its list, and follows no redirect, which could lead off it. Time and length of an answer
// are bounded. A Client may be used by several goroutines.
package federation
