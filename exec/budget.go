package exec

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Errors of expressions that have no meaning, found before a query begins.
var (
	ErrFunction = expr.ErrFunction
	ErrPattern  = expr.ErrPattern
)

// Errors that end a query at a limit; test with errors.Is.
var (
	// ErrMemoryLimit: an operator needs more memory than the query may take and cannot go on from disk.
	ErrMemoryLimit = errors.New("the query needs more memory than its limit")
	// ErrRowLimit: the query has more solutions than its row limit.
	ErrRowLimit = errors.New("the query has more solutions than its row limit")
	// ErrUnsupported: the query asks for something that is not done, or not allowed.
	ErrUnsupported = planner.ErrUnsupported
)

// budget counts the bytes that the operators of one query hold.
type budget struct {
	limit int64
	used  atomic.Int64
	peak  atomic.Int64
}

// account is one operator's share of the budget; it is not safe for concurrent use.
type account struct {
	budget   *budget
	operator string
	held     int64
}

// leastShare is the part of the limit that any operator may hold.
const leastShare = 16

func (b *budget) open(operator string) *account { return &account{budget: b, operator: operator} }

// hold sets the bytes that the operator holds and reports whether the budget allows it.
// The bytes are counted either way: an operator that is refused writes to disk and holds less. A share of the limit is
// never refused, so that operators do not go to disk row by row because others hold everything.
func (a *account) hold(bytes int64) bool {
	used := a.budget.used.Add(bytes - a.held)
	a.held = bytes
	if used > a.budget.peak.Load() {
		a.budget.peak.Store(used)
	}
	return used <= a.budget.limit || bytes <= a.budget.limit/leastShare
}

// need is hold for an operator that cannot go on from disk.
func (a *account) need(bytes int64) error {
	if a.hold(bytes) {
		return nil
	}
	return fmt.Errorf("exec: %s holds %d bytes of the query's %d: %w", a.operator, bytes, a.budget.limit, ErrMemoryLimit)
}

func (a *account) close() { a.hold(0) }
