// Package web serves a store over HTTP: the operations of the SPARQL 1.1 Protocol, the Graph Store Protocol, a small API
// beside them, what an operator needs, and the workbench, one page for a browser.
//
// Nouns: [Server] (an http.Handler and the loop that runs it), [Engine] (what it needs of a store), [Updates] (and of one that
// can be changed), [Options], [Problem] (an error as the client sees it).
//
//	server, err := web.New(web.StoreEngine(store), web.Options{Addr: "127.0.0.1:7878"})
//	if err != nil {
//		return err
//	}
//	return server.Run(ctx)
//
// A store that was changed on disk is opened anew and handed to [Server.Turn]: queries that run end on the old one.
//
// The package knows nothing of algebra. No request reaches the server's file system, but that webhooks are kept in files: the workbench is embedded, and
// examples are read through the store.
//
// # Why
//
// A query gives its slot back while it waits for its client, so that who does not read stops nobody else; the timer that notices
// is set for each block of a long answer only. Shares bind where others wait, so that one user alone has
// the whole machine; what is beyond a share is borrowed and not taken back, because a query that runs cannot be stopped fairly.
//
// What changes the store has admissions of its own, because the engine does one change after the other: an update that waits
// for others would hold the slot of a query. Many are handed to the engine at once, so that they share syncs. A small document is
// read before it is admitted, so that a slow client keeps nobody waiting; large ones are few at a time.
//
// An answer that is kept (answerCache) is looked for before the query is admitted: it needs nothing of the engine but its sequence. It is known by
// what the request says, byte by byte, not by what that means, so that nothing has to be parsed; parameters may come in the address or in a form. It is kept
// from the second time on that it is asked for: what is asked once would only push others out. A small one is sent without what makes a query one that runs (contexts, a timer, a place in the list): it leaves in
// one write, under the time limit of the connection. Its compressed body is kept beside the plain one once it was made for a client.
//
// A query that stands keeps no slot: it takes one while it is evaluated as a whole. What waits for its client is one
// difference, which the engine keeps, so that the server has no queue of events. How it is told is the matter of its receiver: by events on
// a connection of its own, on a WebSocket, where each query that stands writes whole messages in turn, or by posts, which keep the query waiting
// until they are taken.
//
// An answer that fits one buffer leaves in one write with its length, so that a small query costs no more than any
// other small response. A longer answer is sent in chunks as soon as the buffer is full or a moment has passed, and
// from then on an error can only break the response off: the connection is closed without the last chunk, so that no
// client takes a part for the whole.
package web
