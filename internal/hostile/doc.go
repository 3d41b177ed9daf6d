// Package hostile writes SPARQL queries that are meant to break the limits of an engine: deep and wide nests of every
// construct, expensive functions, cartesian products, paths within paths, huge results, huge terms, almost valid syntax,
// sent in every way that the protocol knows.
//
// Nouns: [Generator] (draws queries from a [Source] by a grammar; the same source gives the same queries), [Vocabulary]
// (what a store holds, so that queries match), [Node] (a query as a tree, so that it can be made smaller), [Query] (a
// tree and how it is sent), [Worst] (a query that is kept because it broke a limit, with what must happen).
//
// Most queries parse; those that do not are meant to be refused. What an engine should do with the others is answer, or
// end them at a limit: internal/hostile/campaign sends them to running servers and says where that failed. The package
// knows nothing of the engine.
package hostile
