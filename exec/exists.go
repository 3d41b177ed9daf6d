package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// existence answers EXISTS for the rows of a batch. The pattern reads some of the batch's columns; each distinct
// combination of their values is looked at once, many at a time, and remembered.
type existence struct {
	not     bool
	vars    []string
	from    []int
	side    *seededSide
	known   *rowSet
	answers []bool
	held    *account
	explain *Explain
}

// existence compiles EXISTS over rows that have the given columns.
func (c *compiler) existence(e *parser.Exists, columns []string) (*existence, error) {
	pattern := e.Pattern
	vars := intersection(setOf(columns...), c.scopes.used(names{}, pattern)).sorted()
	if len(vars) >= maxShared {
		return nil, fmt.Errorf("exec: EXISTS that reads %d variables of the outside: %w", len(vars), ErrUnsupported)
	}
	x := &existence{not: e.Not, vars: vars}
	x.from = indexes(columns, vars)
	x.side = &seededSide{
		vars: vars, from: allColumns(len(vars)),
		compile: func(inputs []string) (operator, error) {
			return c.compile(pattern, request{need: names{}, inputs: inputs, correlated: len(inputs) > 0, distinct: true})
		},
		spec: func(operator, []string) mergeSpec { return mergeSpec{} },
	}
	v, err := x.side.variant(x.side.all())
	if err != nil {
		return nil, err
	}
	x.explain = &Explain{Operator: "exists", Columns: vars, Children: []*Explain{v.op.node()}}
	return x, nil
}

// evaluate says for every row of b whether the pattern has a solution. The slice is valid until the next call.
func (e *existence) evaluate(x *execution, b *Batch) ([]bool, error) {
	if e.known == nil {
		e.forget()
		e.held = x.memory.open("exists")
	}
	cols := make([][]dictionary.ID, len(e.from))
	for i, c := range e.from {
		cols[i] = b.Cols[c]
	}
	hashes := hashRows(nil, cols, allColumns(len(cols)), b.N)
	numbers := make([]uint32, b.N)
	before := e.known.rows.n
	for r := range b.N {
		numbers[r], _ = e.known.add(cols, r, hashes[r])
	}
	if err := e.ask(x, before); err != nil {
		return nil, err
	}
	found := make([]bool, b.N)
	for r, n := range numbers {
		found[r] = e.answers[n]
	}
	if !e.held.hold(e.known.bytes() + int64(len(e.answers))) {
		e.forget()
		e.held.hold(0)
	}
	return found, nil
}

// forget drops what is remembered: it is only a memory, bounded by the query's.
func (e *existence) forget() {
	e.known, e.answers = newRowSet(len(e.vars)), nil
}

// ask finds the answers of the combinations from number first on.
func (e *existence) ask(x *execution, first int) error {
	n := e.known.rows.n
	e.answers = slices.Grow(e.answers, n-len(e.answers))[:n]
	clear(e.answers[first:])
	if first == n {
		return nil
	}
	batch := e.known.rows.batch(first, n, &Batch{})
	open := n - first
	err := e.side.run(x, batch, func(b *Batch, _ *mergeSpec) error {
		for _, row := range b.Origin {
			if !e.answers[first+int(row)] {
				e.answers[first+int(row)] = true
				open--
			}
		}
		if open == 0 {
			return errAllFound
		}
		return nil
	})
	if err == errAllFound {
		return nil
	}
	return err
}

// errAllFound stops a pattern when nothing is left to be found.
var errAllFound = errors.New("exec: all found")
