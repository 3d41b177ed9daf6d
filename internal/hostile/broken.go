package hostile

import "strings"

// broken draws a query and breaks it in a few places: what is left is almost valid.
func (g *Generator) broken() (string, *Node) {
	draw := []func(*Generator) (string, *Node){(*Generator).mixed, (*Generator).paths, (*Generator).expressions, (*Generator).deep, (*Generator).everything}
	_, tree := draw[g.pick(len(draw))](g)
	query := tree.String()
	for range 1 + g.pick(3) {
		query = g.damage(query)
	}
	return "", text(query)
}

// damage changes one place of a text.
func (g *Generator) damage(query string) string {
	at := g.pick(len(query) + 1)
	end := min(len(query), at+g.upTo(100))
	switch g.pick(6) {
	case 0:
		return query[:at] + query[end:]
	case 1:
		return query[:at] + g.oneOf("{", "}", "(", ")", "\"", "<", "\\", "#", ".", "UNION", "*", "\x00", "\xff", "\"\"\"", "_:", "^^", "@", "?", "\\uD800") + query[at:]
	case 2:
		return query[:at]
	case 3:
		return query[:end] + query[at:end] + query[end:]
	case 4:
		return query[:at] + strings.Repeat(g.oneOf("(", "{", "[", "<<(", "!", "-", "^", "\"", "SELECT * {", "OPTIONAL {", "{}UNION"), g.upTo(10_000)) + query[at:]
	}
	return strings.ToUpper(query[:at]) + query[at:]
}
