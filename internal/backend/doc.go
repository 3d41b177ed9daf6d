// Package backend chooses where the basic graph patterns of a store's queries are matched: on the CPU or the GPU.
//
// Nouns: [Device] (what is asked for), [Backends] (the CPU's matcher and the GPU of a store), [Choice] (one query's, which
// picks a matcher for each pattern and adds up what the GPU took), [Info] (a GPU, described).
//
// The GPU is opened when a query first has use for it; a Choice of Auto weighs the cost that the plan expects against that, and what the plan took
// before, on either side, which is remembered for a while. A count of which nothing is remembered is tried: where the GPU is late with it, the processor counts too (trial). A query whose GPU is lost before the first solution goes on on the CPU. The package knows nothing of how matching is done.
package backend
