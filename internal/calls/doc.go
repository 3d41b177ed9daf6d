// Package calls is the engine as calls that are named and described in JSON, for languages that have it in their process as a
// library (docs/PYTHON.md).
//
// Nouns: [Engine] (the open stores, by number), [Call] (one request that goes on in a goroutine of its own), [Event] (what a call
// tells: progress, a batch of rows, bytes, its end), [Failure] (an error with its kind and place).
//
// A caller starts a call, waits for events for as long as it likes at a time, and may cancel it from any thread: nothing that may run
// long is ever one call of a foreign function. Rows come as Arrow record batches in memory of the engine's allocator; all else is
// JSON. A panic ends its call as a failure of the kind "internal".
//
// The package knows nothing of C: `python/lib` has the border.
package calls
