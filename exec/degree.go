package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// degreeOp answers GROUP BY over one triple pattern with counts from the lengths of the graph's lists, without
// looking at a triple:
//
//	SELECT ?o (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?o   – the degrees of the rows of :p, in
//	SELECT ?s (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s   – the degrees of the rows of :p, out
//	SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p   – the edges of each label
type degreeOp struct {
	graph *pcsr.Graph
	// partition is nil when labels are counted.
	partition *pcsr.Partition
	// counted says which columns of out are counts; the others are the key.
	counted []bool
	out     []string
	explain *Explain
}

// degrees compiles a Group as a degreeOp where that is what it asks for; nil where it is not.
func (c *compiler) degrees(n *parser.Group, out []string) operator {
	pattern, ok := n.Input.(*parser.BGP)
	if !ok || len(pattern.Patterns) != 1 || len(n.Keys) != 1 || c.plan.options.Unoptimised || c.plan.options.Semantics == bgp.Isomorphism {
		return nil
	}
	key, ok := n.Keys[0].Expr.(*parser.Var)
	t := pattern.Patterns[0]
	vars := c.scopes.of(pattern).vars
	if !ok || !vars[key.Name] || !countsTriples(n, key.Name, vars) {
		return nil
	}
	d := &degreeOp{graph: c.graph, out: out}
	s, p, o := t.Subject, t.Predicate, t.Object
	switch {
	case !s.IsVariable() || !o.IsVariable() || s.Variable == o.Variable || s.Variable == p.Variable || o.Variable == p.Variable:
		return nil
	case p.IsVariable() && key.Name == p.Variable:
	case p.IsVariable():
		return nil
	default:
		label, known := c.label(p.Term.Value)
		if !known {
			return nil
		}
		dir := pcsr.Out
		if key.Name == o.Variable {
			dir = pcsr.In
		}
		d.partition = c.graph.Partition(label, dir)
	}
	counts := names{}
	for _, a := range n.Aggregates {
		counts[a.Variable] = true
	}
	for _, v := range out {
		d.counted = append(d.counted, counts[v])
	}
	d.explain = &Explain{Operator: "degrees", Detail: patternText(pattern) + " " + groupText(n), Columns: out, EstimatedRows: float64(d.rows()), cost: float64(d.rows())}
	return d
}

// countsTriples reports whether every aggregate of a group counts the triples of one pattern: COUNT(*), COUNT of a
// variable, and COUNT(DISTINCT ?x) where ?x is the only variable beside the key.
func countsTriples(n *parser.Group, key string, vars names) bool {
	for _, a := range n.Aggregates {
		if a.Function != "COUNT" {
			return false
		}
		if a.Argument == nil {
			if a.Distinct && len(readable(vars)) != len(vars) {
				return false
			}
			continue
		}
		v, ok := a.Argument.(*parser.Var)
		if !ok || !vars[v.Name] || a.Distinct && (v.Name == key || len(vars) != 2) {
			return false
		}
	}
	return true
}

func (d *degreeOp) rows() int {
	if d.partition != nil {
		return d.partition.Rows()
	}
	return len(d.graph.UsedLabels())
}

func (d *degreeOp) columns() []string { return d.out }

func (d *degreeOp) node() *Explain { return d.explain }

// row returns the key and the count of one group.
func (d *degreeOp) row(i int) (dictionary.ID, int) {
	if d.partition != nil {
		return d.partition.Vertex(i), d.partition.Degree(i)
	}
	label := d.graph.UsedLabels()[i]
	return label, d.graph.LabelEdges(label)
}

func (d *degreeOp) run(x *execution, _ *Batch, emit func(*Batch) error) error {
	out := newColumns(len(d.out))
	var view Batch
	numbers := map[int]dictionary.ID{}
	for i := range d.rows() {
		key, count := d.row(i)
		id, ok := numbers[count]
		if !ok {
			id = integerID(x, uint64(count))
			numbers[count] = id
		}
		for c, counted := range d.counted {
			if counted {
				out.cols[c] = append(out.cols[c], id)
			} else {
				out.cols[c] = append(out.cols[c], key)
			}
		}
		if out.n++; out.n < BatchRows {
			continue
		}
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if err := emit(out.batch(0, out.n, &view)); err != nil {
			return err
		}
		out.reset()
	}
	if out.n == 0 {
		return nil
	}
	return emit(out.batch(0, out.n, &view))
}
