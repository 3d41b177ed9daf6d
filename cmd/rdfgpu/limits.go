package main

import (
	"github.com/rdfgpu/rdfgpu"
)

// limits are the flags that bound the memory and the temporary disk of queries.
type limits struct {
	MaxMemory   byteSize `placeholder:"SIZE" help:"Memory that the process may take, mapped files aside, such as 2GiB (default: 60 % of what the machine or its control group has)."`
	QueryMemory byteSize `placeholder:"SIZE" help:"Memory that one query may hold; it has to share the process's with the others (default: half of what queries may hold together; of a command that runs one query, all)."`
	MaxSpill    byteSize `placeholder:"SIZE" help:"Temporary files that queries may have on disk at once (default: a tenth of what is free there)."`
}

// budget is what the flags ask for.
func (l *limits) budget() *rdfgpu.Budget {
	return rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: int64(l.MaxMemory), Spill: int64(l.MaxSpill)})
}

// governed is an open store in a process that keeps to the store's budget until the store is closed.
type governed struct {
	*rdfgpu.Store
	stop func()
}

// Close closes the store.
func (g *governed) Close() error {
	g.stop()
	return g.Store.Close()
}
