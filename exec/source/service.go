package source

import (
	"context"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner"
)

// serviceRows is how many bindings are sent to an endpoint at once.
const serviceRows = 200

// serviceCharge is how many solutions are counted against the query's memory at once.
const serviceCharge = 1024

// Service asks an endpoint. With the bindings of a join's left side as its seed, it sends them along as VALUES, a
// batch at a time, so that the endpoint answers only what is needed.
type Service struct {
	operator.Base
	Pattern *parser.Service
	Vars    []string // asked for
	Inputs  []string
	Name    int // seed column of the endpoint, -1 for a constant
	// Table, where it is not nil, makes the solutions, and nothing is asked.
	Table func(ctx context.Context, pattern parser.Node, variables []string, row func([]rdf.Term) error) error
	// Endpoint asks an endpoint; nil refuses it.
	Endpoint func(ctx context.Context, endpoint, query string, variables []string, row func([]rdf.Term) error) error
}

func (s *Service) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if seed == nil {
		rows, err := s.ask(x, s.Pattern.Name.Term, nil, s.Out)
		if err != nil {
			return err
		}
		return rows.Emit(emit)
	}
	endpoints := map[dictionary.ID][]uint32{}
	for r := range seed.N {
		id := dictionary.None
		if s.Name >= 0 {
			id = seed.Cols[s.Name][r]
		}
		endpoints[id] = append(endpoints[id], uint32(r))
	}
	for id, rows := range endpoints {
		endpoint := s.Pattern.Name.Term
		if s.Name >= 0 {
			endpoint = x.Terms.Term(id)
		}
		for len(rows) > 0 {
			n := min(len(rows), serviceRows)
			if err := s.runRows(x, endpoint, seed, rows[:n], emit); err != nil {
				return err
			}
			rows = rows[n:]
		}
	}
	return nil
}

// runRows asks an endpoint about some rows of the seed and joins them with its answer.
func (s *Service) runRows(x *operator.Execution, endpoint rdf.Term, seed *vector.Batch, some []uint32, emit func(*vector.Batch) error) error {
	var sent []string
	part := &vector.Batch{N: len(some)}
	for i, v := range s.Inputs {
		if operator.IndexOf(s.Vars, v) >= 0 {
			sent = append(sent, v)
			part.Cols = append(part.Cols, vector.Gather(nil, seed.Cols[i], some))
		}
	}
	rows, err := s.ask(x, endpoint, s.values(x, sent, part), append(append([]string(nil), sent...), s.Out...))
	if err != nil {
		return err
	}
	key := vector.AllColumns(len(sent))
	pairs := &vector.Pairs{Flush: func(li, ri []uint32) error {
		b := &vector.Batch{N: len(li), Origin: vector.Gather(nil, some, li)}
		for c, v := range s.Out {
			col := vector.Gather(nil, rows.Cols[len(sent)+c], ri)
			if i := operator.IndexOf(s.Inputs, v); i >= 0 {
				col = vector.Gather(nil, seed.Cols[i], b.Origin)
			}
			b.Cols = append(b.Cols, col)
		}
		return emit(b)
	}}
	table, err := vector.NewTable(x.Ended, rows, key, nil)
	if err != nil {
		return err
	}
	prober := &vector.Prober{Table: table, Shared: key}
	if err := prober.Probe(part, pairs); err != nil {
		return err
	}
	return pairs.End()
}

// values is the bindings of a batch as an inline table. Blank nodes mean nothing to another endpoint: they stay open.
func (s *Service) values(x *operator.Execution, vars []string, b *vector.Batch) []string {
	if len(vars) == 0 {
		return nil
	}
	lines := []string{"VALUES (?" + strings.Join(vars, " ?") + ")"}
	seen := map[string]bool{}
	for r := range b.N {
		line := "("
		for _, col := range b.Cols {
			if t := x.Terms.Term(col[r]); t.Kind == rdf.BlankNode || t.IsZero() {
				line += " UNDEF"
			} else {
				line += " " + t.String()
			}
		}
		if !seen[line] {
			seen[line] = true
			lines = append(lines, line+" )")
		}
	}
	return lines
}

// send asks an endpoint where that is allowed at all.
func (s *Service) send(x *operator.Execution, endpoint rdf.Term, query string, vars []string, row func([]rdf.Term) error) error {
	switch {
	case s.Table != nil:
		return s.Table(x.Ctx, s.Pattern.Input, vars, row)
	case s.Endpoint == nil:
		return fmt.Errorf("no endpoint may be asked here: %w", planner.ErrUnsupported)
	case endpoint.Kind != rdf.IRI:
		return fmt.Errorf("an endpoint is an IRI: %w", planner.ErrUnsupported)
	}
	return s.Endpoint(x.Ctx, endpoint.Value, query, vars, row)
}

// ask returns the endpoint's solutions as columns; a failure of a SILENT service is one solution that binds nothing.
func (s *Service) ask(x *operator.Execution, endpoint rdf.Term, values, wanted []string) (*vector.Rows, error) {
	projection := "*"
	if len(s.Vars) > 0 {
		projection = "?" + strings.Join(s.Vars, " ?")
	}
	query := "SELECT " + projection + " WHERE "
	if len(values) > 0 {
		query += "{ " + values[0] + " { " + strings.Join(values[1:], " ") + " } " + s.Pattern.Text + " }"
	} else {
		query += s.Pattern.Text
	}
	rows, from := vector.NewRows(len(wanted)), operator.Indexes(s.Vars, wanted)
	meter := x.Memory.Meter("solutions of services")
	err := s.send(x, endpoint, query, s.Vars, func(row []rdf.Term) error {
		if rows.N%serviceCharge == 0 {
			if err := meter.Charge(int64(serviceCharge * (len(wanted) + 1) * 4)); err != nil {
				return err
			}
		}
		for i, c := range from {
			id := dictionary.None
			if c >= 0 {
				id = x.Terms.ID(row[c])
			}
			rows.Cols[i] = append(rows.Cols[i], id)
		}
		rows.N++
		return nil
	})
	switch {
	case err == nil:
		return rows, nil
	case !s.Pattern.Silent || x.Ctx.Err() != nil:
		return nil, fmt.Errorf("exec: SERVICE %s: %w", endpoint, err)
	}
	rows = vector.NewRows(len(wanted))
	for i := range rows.Cols {
		rows.Cols[i] = append(rows.Cols[i], dictionary.None)
	}
	rows.N = 1
	return rows, nil
}
