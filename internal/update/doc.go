// Package update runs SPARQL 1.1 Update in a transaction of a live store.
//
// Nouns: [Run] (the operations of an update, one after the other), [Options], [Source] and [Document] (what LOAD reads).
//
// The WHERE of an operation is planned and run as any query over what the operations before have left (package exec); its
// solutions fill the templates; then the quads to remove are removed, and after them those to insert are added
// (section 3.1.3). Nothing of a transaction is seen by anybody else before it is committed, which the caller does.
//
// Graphs without triples do not exist: CREATE makes nothing that could be seen, a graph is gone with its last triple, and
// what an operation says of a graph that does not exist (section 3.2) is said of one without triples.
package update
