package exec

import (
	"context"
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Service asks another SPARQL endpoint for the solutions of a query (SPARQL 1.1 Federated Query). The query is a
// SELECT of variables, and a row has one term for each, the zero Term where it is unbound. It refuses endpoints that
// are not allowed with an error.
type Service func(ctx context.Context, endpoint, query string, variables []string, row func([]rdf.Term) error) error

// serviceOp asks an endpoint. With the bindings of a join's left side as its seed, it sends them along as VALUES, a
// batch at a time, so that the endpoint answers only what is needed.
type serviceOp struct {
	compiler *compiler
	pattern  *parser.Service
	vars     []string // asked for
	inputs   []string
	endpoint int // seed column of the endpoint, -1 for a constant
	out      []string
	explain  *Explain
}

func (c *compiler) service(n *parser.Service, r request) (operator, error) {
	if c.plan.options.Service == nil {
		return nil, fmt.Errorf("exec: SERVICE %s is not allowed here: %w", termText(n.Name), ErrUnsupported)
	}
	if n.Name.IsVariable() {
		return nil, fmt.Errorf("exec: SERVICE with a variable endpoint %s: %w", termText(n.Name), ErrUnsupported)
	}
	s := &serviceOp{compiler: c, pattern: n, out: c.outputColumns(n, r), inputs: r.inputs}
	s.vars = readable(c.scopes.of(n).vars).sorted()
	s.explain = &Explain{Operator: "service", Detail: n.Name.Term.String(), Columns: s.out, EstimatedRows: 1000, cost: 1e6}
	return s, nil
}

func (s *serviceOp) columns() []string { return s.out }

func (s *serviceOp) node() *Explain { return s.explain }

func (s *serviceOp) run(x *execution, _ *Batch, emit func(*Batch) error) error {
	query := "SELECT"
	for _, v := range s.vars {
		query += " ?" + v
	}
	if len(s.vars) == 0 {
		query += " *"
	}
	query += " WHERE " + s.pattern.Text
	rows := newColumns(len(s.out))
	from := indexes(s.vars, s.out)
	err := x.options.Service(x.ctx, s.pattern.Name.Term.Value, query, s.vars, func(row []rdf.Term) error {
		for i, c := range from {
			id := dictionary.None
			if c >= 0 {
				id = x.terms.ID(row[c])
			}
			rows.cols[i] = append(rows.cols[i], id)
		}
		rows.n++
		return nil
	})
	if err != nil && s.pattern.Silent && x.ctx.Err() == nil {
		return emit(silentAnswer(len(s.out)))
	}
	if err != nil {
		return fmt.Errorf("exec: SERVICE %s: %w", s.pattern.Name.Term.String(), err)
	}
	return rows.emit(emit)
}

// silentAnswer is the one solution that binds nothing, which stands for a service that failed silently.
func silentAnswer(width int) *Batch {
	b := &Batch{N: 1}
	for range width {
		b.Cols = append(b.Cols, unbound(1))
	}
	return b
}
