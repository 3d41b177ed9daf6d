package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner"
)

// serviceRows is how many bindings are sent to an endpoint at once.
const serviceRows = 200

// serviceOp asks an endpoint. With the bindings of a join's left side as its seed, it sends them along as VALUES, a
// batch at a time, so that the endpoint answers only what is needed.
type serviceOp struct {
	base
	pattern *parser.Service
	vars    []string // asked for
	inputs  []string
	name    int // seed column of the endpoint, -1 for a constant
	// endpoint asks an endpoint; nil refuses it.
	endpoint func(ctx context.Context, endpoint, query string, variables []string, row func([]rdf.Term) error) error
}

func (s *serviceOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if seed == nil {
		rows, err := s.ask(x, s.pattern.Name.Term, nil, s.out)
		if err != nil {
			return err
		}
		return rows.Emit(emit)
	}
	endpoints := map[dictionary.ID][]uint32{}
	for r := range seed.N {
		id := dictionary.None
		if s.name >= 0 {
			id = seed.Cols[s.name][r]
		}
		endpoints[id] = append(endpoints[id], uint32(r))
	}
	for id, rows := range endpoints {
		endpoint := s.pattern.Name.Term
		if s.name >= 0 {
			endpoint = x.terms.Term(id)
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
func (s *serviceOp) runRows(x *execution, endpoint rdf.Term, seed *vector.Batch, some []uint32, emit func(*vector.Batch) error) error {
	var sent []string
	part := &vector.Batch{N: len(some)}
	for i, v := range s.inputs {
		if indexOf(s.vars, v) >= 0 {
			sent = append(sent, v)
			part.Cols = append(part.Cols, vector.Gather(nil, seed.Cols[i], some))
		}
	}
	rows, err := s.ask(x, endpoint, s.values(x, sent, part), append(append([]string(nil), sent...), s.out...))
	if err != nil {
		return err
	}
	key := vector.AllColumns(len(sent))
	pairs := &vector.Pairs{Flush: func(li, ri []uint32) error {
		b := &vector.Batch{N: len(li), Origin: vector.Gather(nil, some, li)}
		for c, v := range s.out {
			col := vector.Gather(nil, rows.Cols[len(sent)+c], ri)
			if i := indexOf(s.inputs, v); i >= 0 {
				col = vector.Gather(nil, seed.Cols[i], b.Origin)
			}
			b.Cols = append(b.Cols, col)
		}
		return emit(b)
	}}
	table, err := vector.NewTable(x.ended, rows, key)
	if err != nil {
		return err
	}
	if err := table.Probe(part, key, false, pairs); err != nil {
		return err
	}
	return pairs.End()
}

// values is the bindings of a batch as an inline table. Blank nodes mean nothing to another endpoint: they stay open.
func (s *serviceOp) values(x *execution, vars []string, b *vector.Batch) []string {
	if len(vars) == 0 {
		return nil
	}
	lines := []string{"VALUES (?" + strings.Join(vars, " ?") + ")"}
	seen := map[string]bool{}
	for r := range b.N {
		line := "("
		for _, col := range b.Cols {
			if t := x.terms.Term(col[r]); t.Kind == rdf.BlankNode || t.IsZero() {
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
func (s *serviceOp) send(x *execution, endpoint rdf.Term, query string, vars []string, row func([]rdf.Term) error) error {
	switch {
	case s.endpoint == nil:
		return fmt.Errorf("no endpoint may be asked here: %w", planner.ErrUnsupported)
	case endpoint.Kind != rdf.IRI:
		return fmt.Errorf("an endpoint is an IRI: %w", planner.ErrUnsupported)
	}
	return s.endpoint(x.ctx, endpoint.Value, query, vars, row)
}

// ask returns the endpoint's solutions as columns; a failure of a SILENT service is one solution that binds nothing.
func (s *serviceOp) ask(x *execution, endpoint rdf.Term, values, wanted []string) (*vector.Rows, error) {
	projection := "*"
	if len(s.vars) > 0 {
		projection = "?" + strings.Join(s.vars, " ?")
	}
	query := "SELECT " + projection + " WHERE "
	if len(values) > 0 {
		query += "{ " + values[0] + " { " + strings.Join(values[1:], " ") + " } " + s.pattern.Text + " }"
	} else {
		query += s.pattern.Text
	}
	rows, from := vector.NewRows(len(wanted)), indexes(s.vars, wanted)
	err := s.send(x, endpoint, query, s.vars, func(row []rdf.Term) error {
		for i, c := range from {
			id := dictionary.None
			if c >= 0 {
				id = x.terms.ID(row[c])
			}
			rows.Cols[i] = append(rows.Cols[i], id)
		}
		rows.N++
		return nil
	})
	switch {
	case err == nil:
		return rows, nil
	case !s.pattern.Silent || x.ctx.Err() != nil:
		return nil, fmt.Errorf("exec: SERVICE %s: %w", endpoint, err)
	}
	rows = vector.NewRows(len(wanted))
	for i := range rows.Cols {
		rows.Cols[i] = append(rows.Cols[i], dictionary.None)
	}
	rows.N = 1
	return rows, nil
}
