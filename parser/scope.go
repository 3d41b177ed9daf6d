package parser

import "strings"

// nameSet is a set of variable names that remembers their order.
type nameSet struct {
	list []string
	has  map[string]bool
}

func (s *nameSet) add(name string) {
	if s.contains(name) {
		return
	}
	if s.has == nil && len(s.list) >= 8 {
		s.has = make(map[string]bool, 32)
		for _, n := range s.list {
			s.has[n] = true
		}
	}
	if s.has != nil {
		s.has[name] = true
	}
	s.list = append(s.list, name)
}

func (s *nameSet) contains(name string) bool {
	if s.has != nil {
		return s.has[name]
	}
	for _, n := range s.list {
		if n == name {
			return true
		}
	}
	return false
}

// InScope returns the variables of n that are in scope (section 18.2.1), in the order they appear, blank nodes and
// invented variables left out.
func InScope(n Node) []string {
	var s nameSet
	s.addNode(n)
	return s.list
}

func (s *nameSet) addTerm(t PatternTerm) {
	if t.Variable != "" && !strings.HasPrefix(t.Variable, BlankPrefix) {
		s.add(t.Variable)
	}
}

func (s *nameSet) addNames(list []string) {
	for _, name := range list {
		s.addTerm(PatternTerm{Variable: name})
	}
}

func (s *nameSet) addNode(n Node) {
	switch n := n.(type) {
	case *BGP:
		for _, p := range n.Patterns {
			s.addTerm(p.Subject)
			s.addTerm(p.Predicate)
			s.addTerm(p.Object)
		}
	case *PathPattern:
		s.addTerm(n.Subject)
		s.addTerm(n.Object)
	case *Join:
		s.addNode(n.Left)
		s.addNode(n.Right)
	case *LeftJoin:
		s.addNode(n.Left)
		s.addNode(n.Right)
	case *Union:
		s.addNode(n.Left)
		s.addNode(n.Right)
	case *Minus:
		s.addNode(n.Left)
	case *Filter:
		s.addNode(n.Input)
	case *Graph:
		s.addTerm(n.Name)
		s.addNode(n.Input)
	case *Service:
		s.addTerm(n.Name)
		s.addNode(n.Input)
	case *Extend:
		s.addNode(n.Input)
		s.addTerm(PatternTerm{Variable: n.Variable})
	default:
		s.addModifier(n)
	}
}

func (s *nameSet) addModifier(n Node) {
	switch n := n.(type) {
	case *Values:
		s.addNames(n.Variables)
	case *Project:
		s.addNames(n.Variables)
	case *Group:
		for _, k := range n.Keys {
			s.addTerm(PatternTerm{Variable: k.Variable})
		}
		for _, a := range n.Aggregates {
			s.addTerm(PatternTerm{Variable: a.Variable})
		}
	case *OrderBy:
		s.addNode(n.Input)
	case *Distinct:
		s.addNode(n.Input)
	case *Reduced:
		s.addNode(n.Input)
	case *Slice:
		s.addNode(n.Input)
	}
}
