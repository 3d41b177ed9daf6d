// Package gpu matches basic graph patterns on a GPU: a match.Matcher over the kernels of package kernels.
//
// Nouns: [Device] (an open GPU, shared by any number of queries), resident (the partitions of one graph that are on
// the device), lane (a stream with the memory of the one query that uses it), join (a match plan translated for the
// device).
//
// Every plan that exec/match/cpu runs runs here. The tables between the steps have a fixed size: the join is breadth-first
// inside a table and depth-first across tables, so no query fails for want of memory. A match is one launch that
// carries out all steps and decides on the device what comes next; it returns every few milliseconds, or when its output
// is full, and is launched again from where it stopped, which is also how a context is heeded and how queries on other
// streams get their turn.
//
// A graph's partitions are copied to the device when a query first needs them and stay there; those that do not fit
// stay in pinned host memory and are read from there.
//
// # Why
//
// Results smaller than a mailbox in mapped memory come back with the launch itself: a small query costs one copy, one
// launch and one wait. The host decides nothing inside a match, because an answer from the device takes as long as
// a small query's whole join.
package gpu
