package scope

import "github.com/rdfgpu/rdfgpu/parser"

// Bound lists which of some variables the solutions of a pattern may bind together, those that OPTIONAL or a branch of
// UNION binds as one; false where it finds more than limit such combinations.
func (s *Scopes) Bound(n parser.Node, of Set, limit int) (list []Set, ok bool) {
	found := s.Of(n)
	certain, open := found.Must.And(of), found.May.Without(found.Must).And(of)
	if open.Empty() {
		return []Set{certain}, true
	}
	children := parser.Children(n)
	var in, right []Set
	if _, grouped := n.(*parser.Group); len(children) > 0 && !grouped {
		if in, ok = s.Bound(children[0], of, limit); !ok {
			return nil, false
		}
	}
	if len(children) > 1 {
		if right, ok = s.Bound(children[1], of, limit); !ok {
			return nil, false
		}
	}
	if list, ok = s.combined(n, in, right, of, limit); !ok {
		return nil, false
	}
	list = unique(list)
	return list, len(list) <= limit
}

// combined lists what the solutions of an operator bind, of those of its operands.
func (s *Scopes) combined(n parser.Node, in, right []Set, of Set, limit int) (list []Set, ok bool) {
	switch n := n.(type) {
	case *parser.Join:
		return products(in, right), true
	case *parser.LeftJoin:
		return append(products(in, right), in...), true
	case *parser.Union:
		return append(in, right...), true
	case *parser.Graph:
		return products(in, []Set{s.terms(n).And(of)}), true
	case *parser.Extend:
		return append(in, products(in, []Set{s.Set(n.Variable).And(of)})...), true
	case *parser.Project:
		for _, b := range in {
			list = append(list, b.And(s.Of(n).May))
		}
		return list, true
	case *parser.Values:
		return s.rows(n, of), true
	case *parser.Group, *parser.Service:
		found := s.Of(n)
		certain := found.Must.And(of)
		list, ok = subsets(found.May.Without(found.Must).And(of), limit)
		return products(list, []Set{certain}), ok
	}
	return in, true
}

// rows lists what the rows of a table bind.
func (s *Scopes) rows(n *parser.Values, of Set) (list []Set) {
	for _, row := range n.Rows {
		var b Set
		for i, t := range row {
			if !t.IsZero() {
				b = b.Or(s.Set(n.Variables[i]))
			}
		}
		list = append(list, b.And(of))
	}
	return list
}

// products unites each set of one list with each of the other.
func products(a, b []Set) (out []Set) {
	for _, x := range a {
		for _, y := range b {
			out = append(out, x.Or(y))
		}
	}
	return unique(out)
}

// subsets lists all subsets of a set, where they are not more than limit.
func subsets(of Set, limit int) (out []Set, ok bool) {
	out = []Set{nil}
	for v := range of.All() {
		if 2*len(out) > limit {
			return nil, false
		}
		out = append(out, products(out, []Set{single(v)})...)
	}
	return out, true
}

func unique(list []Set) (out []Set) {
	seen := make(map[string]bool, len(list))
	for _, b := range list {
		if key := b.Key(); !seen[key] {
			seen[key] = true
			out = append(out, b)
		}
	}
	return out
}
