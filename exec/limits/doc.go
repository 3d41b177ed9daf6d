// Package limits says what queries may take and when they must end.
//
// Nouns: [Pool] (the memory and the temporary disk that all queries of a process share), [Budget] (the part of one query),
// [Account] (what one operator holds of it, which may be refused and then goes on from disk), [Meter] (what is taken by
// whatever cannot be refused: too much ends the query), [Ended] (whether the query has to end, asked by long loops).
//
// Sizes are in bytes. Pool, Budget and Meter are safe for concurrent use, an Account is its operator's. Errors wrap
// [ErrMemory], [ErrSpill] or [ErrRows] and name the option that raises the limit.
//
// The package holds no data itself, starts no goroutine and knows neither plans nor operators.
package limits
