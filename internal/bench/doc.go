// Package bench measures SPARQL endpoints side by side, in one run: their warm latency, and what they do under load.
//
// Nouns: [Endpoint] (a SPARQL query endpoint over HTTP), [Case] (a query in one form), [Report] (what every endpoint
// took for each case, with ratios and their geometric mean), [LoadReport] (throughput and latencies of a mix of cases
// from several connections).
//
// For latency, each query is sent over one kept-alive connection by one goroutine and timed from the first byte sent to
// the last byte read; endpoints take turns inside every repetition, so that a noisy moment meets all of them. Under
// load every connection is a goroutine that sends the next query of the mix as soon as it has read the last answer.
package bench
