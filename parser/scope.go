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
