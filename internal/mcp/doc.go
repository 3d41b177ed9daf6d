// Package mcp lets language models and other programs use a store by the Model Context Protocol: they look around in it, describe
// things, and explain and run queries.
//
// Nouns: [Tools] (what is offered, over standard input and output or over HTTP), [Source] (whom the tools ask: a store, or a
// server that has its clients wait for their turn), pages (an answer's rows, so many at a time) and the shelf (the rows that have
// not been read yet).
//
//	tools := mcp.New(mcp.Options{})
//	err := tools.Serve(ctx, mcp.StoreSource(store, rdfgpu.QueryOptions{}), os.Stdin, os.Stdout)
//
// Everything is read-only: the tools have no way to send an update. A mistake in a query is a result of the tool, not an error of
// the protocol, and says the line, the column and what was expected there, so that a model can mend its query.
//
// Tools may be used by any number of goroutines. No other package imports the library of the protocol.
//
// # Why
//
// Over HTTP each request stands for itself (no sessions): a server restarts without its clients noticing, and clients that leave
// hold nothing. What a query found beyond its first page is kept on the shelf, under a name that cannot be guessed, instead of
// running the query again: the pages then are of one state of the store and in one order.
package mcp
