// Package bench measures the warm latency of SPARQL endpoints side by side, in one run.
//
// Nouns: [Endpoint] (a SPARQL query endpoint over HTTP), [Case] (a query in one form), [Row] (what every endpoint took
// for a case), [Report] (rows with ratios and their geometric mean, as Markdown or CSV).
//
// Each query is sent over one kept-alive connection by one goroutine and timed from the first byte sent to the last
// byte read; endpoints take turns inside every repetition, so that a noisy moment meets all of them.
package bench
