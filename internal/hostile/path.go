package hostile

// path draws a property path as an operand.
func (g *Generator) path(depth int) *Node {
	if depth == 0 {
		return &Node{Kind: Path, Open: g.predicate()}
	}
	one := func(open, close string) *Node {
		return &Node{Kind: Path, Open: open, Parts: []*Node{g.path(depth - 1)}, Close: close}
	}
	list := func(separator string) *Node {
		n := &Node{Kind: Path, Open: "(", Separator: separator, Close: ")", List: true}
		for range 1 + g.pick(3) {
			n.Parts = append(n.Parts, g.path(g.pick(depth)))
		}
		return n
	}
	switch g.pick(8) {
	case 0:
		return one("(", ")*")
	case 1:
		return one("(", ")+")
	case 2:
		return one("(", ")?")
	case 3:
		return one("^(", ")")
	case 4, 5:
		return list("/")
	case 6:
		return list("|")
	}
	return &Node{Kind: Path, Open: g.Fill(g.oneOf("!%p", "!(%p|^%p)", "!(^%p)", "!()", "!(a|%p|%p|%p)"))}
}

// wrappers are what a path can be nested in.
var wrappers = []struct{ open, close string }{
	{"(", ")*"}, {"(", ")+"}, {"(", ")?"}, {"^(", ")"}, {"((", ")*)+"}, {"((", ")?)*"}, {"((", ")+)?"}, {"(^(", "))*"},
	{"(%p/", ")*"}, {"(", "/%p)*"}, {"(%p|", ")+"}, {"(^%p/", ")"}, {"(%p*/", "/%p*)*"}, {"(!%p|", ")*"}, {"((!a)*/", ")*"}, {"(%p?/", "/%p?)?"},
}

// paths draws a query whose work is a path.
func (g *Generator) paths() (string, *Node) {
	path := &Node{Kind: Path, Open: g.Fill(g.oneOf("%p", "%p", "!%p", "(%p|^%p)", "!()"))}
	name := "deep"
	switch g.pick(4) {
	case 0:
		path, name = g.path(2+g.pick(7)), "mixed"
	case 1:
		w := wrappers[g.pick(len(wrappers))]
		path = &Node{Kind: Path, Open: g.Fill(w.open), Close: g.Fill(w.close), Parts: []*Node{path}, Wraps: g.upTo(40)}
	case 2:
		for range 1 + g.pick(12) {
			w := wrappers[g.pick(len(wrappers))]
			path = &Node{Kind: Path, Open: g.Fill(w.open), Close: g.Fill(w.close), Parts: []*Node{path}}
		}
	case 3:
		path, name = &Node{Kind: Path, Open: "(", Separator: g.oneOf("/", "|"), Close: ")", Copies: g.upTo(2000),
			Parts: []*Node{text(g.Fill(g.oneOf("%p", "%p?", "%p*", "(%p|^%p)", "(%p/%p?)", "!%p", "(%p|<http://e/§>)")))}}, "wide"
		if g.chance(50) {
			path = &Node{Kind: Path, Open: "(", Close: g.oneOf(")*", ")+", ")?"), Parts: []*Node{path}}
		}
	}
	ends := [][2]string{{"?a", "?b"}, {"?a", "?b"}, {"%t", "?b"}, {"?a", "%t"}, {"?a", "?a"}, {"%t", "%t"}}[g.pick(6)]
	beside := g.oneOf("", "", ". ?b %p ?c ", ". ?a (!a)* ?c ", "MINUS { ?a %p ?b } ")
	pattern := &Node{Kind: Group, Open: g.Fill("{ " + ends[0] + " "), Parts: []*Node{path}, Close: g.Fill(" " + ends[1] + " " + beside + "} ")}
	return name, g.reading(pattern)
}
