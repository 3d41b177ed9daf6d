// Package bench measures SPARQL endpoints side by side, in one run: their warm latency, what they do under load, and how
// they take updates.
//
// Nouns: [Endpoint] (a SPARQL endpoint over HTTP), [Case] (a query in one form), [Report] (what every endpoint
// took for each case, with ratios and their geometric mean), [LoadReport] (throughput and latencies of a mix of cases
// from several connections), [UpdateReport] (the same of kinds of updates, with readers beside them, and whether what was
// acknowledged is there).
//
// For latency, each query is sent over one kept-alive connection by one goroutine and timed from the first byte sent to
// the last byte read; endpoints take turns inside every repetition, in one order and then in the other, so that a noisy
// moment meets all of them, and what one leaves behind too. Under load every connection is a goroutine that sends the next query of the mix, or the next update of its stream, as soon as
// it has read the last answer. Streams of updates are made from a seed; each connection writes about things of its own,
// so that it knows at any moment what must be there.
package bench
