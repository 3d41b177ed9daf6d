// Package gpu matches basic graph patterns on a GPU: a match.Matcher over the kernels of package kernels.
//
// Nouns: [Device] (an open GPU, shared by any number of queries), partitions (those on the device, each once for all
// graphs that have it), resident (where those of one graph are), reading (a query's use of that), lane (a stream with
// the memory of the one query that uses it), join (a match plan translated for the device), weighing (weights by vertex, made before a join),
// combination (the groups that rows become before they are handed out), summation (groups with what their numbers come to), selection (rows that may be among the first),
// sifting (rows that pass conditions on their numbers, and tables that they are looked up in), numberTables (what IDs of
// numbers stand for), core (the lists of an undirected label, cut for
// counting dense patterns in neighbourhoods).
//
// Every plan that exec/match/cpu runs runs here. The tables between the steps have a fixed size: the join is breadth-first
// inside a table and depth-first across tables, so no query fails for want of memory. A match is one launch that
// carries out all steps and decides on the device what comes next; it returns every few milliseconds, or when its output
// is full, and is launched again from where it stopped, which is also how a context is heeded and how queries on other
// streams get their turn.
//
// Partitions are copied to the device when a query first needs them; those that updates have changed are made there of an
// earlier state and the difference. What no query reads makes room for others; what does not fit then stays in pinned host memory
// and is read from there, in pages that come and go; what finds no room there either is not matched (ErrUnfit).
//
// # Why
//
// Results smaller than a mailbox in mapped memory come back with the launch itself: a small query costs one copy, one
// launch and one wait. The host decides nothing inside a match, because an answer from the device takes as long as
// a small query's whole join.
package gpu
