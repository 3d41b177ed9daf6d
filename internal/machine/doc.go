// Package machine is what differs between operating systems and is not files by name: how much memory and disk there is, so that
// budgets can be a share of it, mappings of files, memory outside the heap, temporary files without a name; and how all cores do one thing ([Parallel]).
package machine
