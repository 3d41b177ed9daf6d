package exec

import (
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Errors that a query ends with; test with errors.Is. Those that end it at a limit are of exec/limits.
var (
	// ErrFunction: an expression calls a function that there is not.
	ErrFunction = expr.ErrFunction
	// ErrPattern: a regular expression is none.
	ErrPattern = expr.ErrPattern
	// ErrUnsupported: the query asks for something that is not done, or not allowed.
	ErrUnsupported = planner.ErrUnsupported
	// ErrTooMany: a query counts more solutions than 64 bits can say.
	ErrTooMany = vector.ErrTooMany
)
