package parser

// pathPattern translates subject path object (section 18.2.2.4): sequences and inverses become triple patterns,
// alternatives a union; what is left is a PathPattern.
func (t *translator) pathPattern(subject PatternTerm, p *pathSyntax, object PatternTerm, run *patternRun) error {
	switch p.kind {
	case pathTerm, pathFixed:
		predicate, err := t.predicate(p)
		run.triples = append(run.triples, TriplePattern{Subject: subject, Predicate: predicate, Object: object})
		return err
	case pathInverse:
		return t.pathPattern(object, p.args[0], subject, run)
	case pathSequence:
		from := subject
		for i, step := range p.args {
			to := object
			if i < len(p.args)-1 {
				to = PatternTerm{Variable: t.invent("p")}
			}
			if err := t.pathPattern(from, step, to, run); err != nil {
				return err
			}
			from = to
		}
		return nil
	case pathAlternative:
		var union Node
		for _, branch := range p.args {
			var inner patternRun
			if err := t.pathPattern(subject, branch, object, &inner); err != nil {
				return err
			}
			if union == nil {
				union = inner.node()
			} else {
				union = &Union{Left: union, Right: inner.node()}
			}
		}
		run.others = append(run.others, union)
		return nil
	}
	path, err := t.path(p)
	run.others = append(run.others, &PathPattern{Subject: subject, Path: path, Object: object})
	return err
}

// path translates a property path that stays one.
func (t *translator) path(p *pathSyntax) (Path, error) {
	switch p.kind {
	case pathTerm:
		term, err := t.predicate(p)
		return &PathIRI{IRI: term.Term.Value}, err
	case pathNegated:
		return t.negated(p)
	case pathInverse:
		inner, err := t.path(p.args[0])
		return &PathInverse{Path: inner}, err
	case pathRepeat:
		inner, err := t.path(p.args[0])
		switch p.op {
		case '*':
			return &PathZeroOrMore{Path: inner}, err
		case '+':
			return &PathOneOrMore{Path: inner}, err
		}
		return &PathZeroOrOne{Path: inner}, err
	}
	var chain Path
	for _, arg := range p.args {
		next, err := t.path(arg)
		switch {
		case err != nil:
			return nil, err
		case chain == nil:
			chain = next
		case p.kind == pathSequence:
			chain = &PathSequence{Left: chain, Right: next}
		default:
			chain = &PathAlternative{Left: chain, Right: next}
		}
	}
	return chain, nil
}

func (t *translator) negated(p *pathSyntax) (Path, error) {
	set := &PathNegated{HasForward: len(p.args) == 0}
	for _, arg := range p.args {
		inverse := arg.kind == pathInverse
		if inverse {
			arg = arg.args[0]
		}
		term, err := t.predicate(arg)
		if err != nil {
			return nil, err
		}
		if inverse {
			set.Inverse, set.HasInverse = append(set.Inverse, term.Term.Value), true
		} else {
			set.Forward, set.HasForward = append(set.Forward, term.Term.Value), true
		}
	}
	return set, nil
}
