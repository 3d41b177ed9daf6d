// Package history asks a changing store from several clients at once and checks that what they were told can be explained by one
// order of all they did, in which each thing happened between its call and its answer: linearizability (Herlihy and Wing,
// "Linearizability: a correctness condition for concurrent objects", 1990). The order is looked for by
// github.com/anishathalye/porcupine.
//
// Nouns: [Store] (what is asked, be it in this process or over HTTP), [Operation] (what a client asks for), [Answer] (what it was
// told), [State] (what operations read and change: the numbers of a few keys, and the sequence), [History] (operations with the
// times of their calls and answers).
//
// The model knows how updates are numbered, so that an order is found at once or not at all. It is written from what docs/UPDATE.md
// promises, and shares nothing with the store. Only tests import the package.
package history
