// Package updatetest runs the W3C's tests of SPARQL 1.1 Update, of the Graph Store Protocol and of the SPARQL Protocol
// against whatever can update.
//
// Nouns: [Engine] (a graph store that takes requests), [EvaluationTest] (a data set before and after a request),
// [ProtocolTest] (requests of HTTP and what they are answered), [Exchange] (one of them), [Document] (a manifest).
//
// The tests are read from the manifests in the folder that RDFGPU_W3C names; without it they are skipped. Its own tests
// run all that update against the naive store, so what fails elsewhere fails there. Only tests import the package.
package updatetest
