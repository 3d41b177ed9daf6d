package expr

import "strings"

// replace is REPLACE; it is an error for a pattern that matches the empty string and for a bad replacement.
func replace(c *run, a []*datum, out *datum) {
	t, ok := c.text(a[0])
	key, fine := c.patternOf(a[1], a[3:])
	with, good := c.plainText(a[2])
	if !ok || !fine || !good {
		return
	}
	p := c.pattern(key)
	if p.err != nil || p.empty {
		return
	}
	parts, ok := c.replacement(p, with)
	if !ok {
		return
	}
	var b strings.Builder
	end := -1
	add := func(s string) bool { return c.grows(&b, len(s)) && write(&b, s) }
	whole := p.eachMatch(c, t.Value, func(m []int) bool {
		if end < 0 {
			end = 0
			b.Grow(len(t.Value) + min(len(with), shortResource))
		}
		fits := add(t.Value[end:m[0]])
		for _, part := range parts {
			fits = fits && add(part.text)
			if g := part.group; g >= 0 && m[2*g] >= 0 {
				fits = fits && add(t.Value[m[2*g]:m[2*g+1]])
			}
		}
		end = m[1]
		return fits
	})
	switch {
	case !whole:
	case end < 0:
		out.setText(t.Value, t)
	case add(t.Value[end:]):
		out.setText(b.String(), t)
	}
}

// replacement is pattern.replacement, which is mostly asked for the same one again.
func (c *run) replacement(p *pattern, with string) (parts []replacementPart, ok bool) {
	if last := &c.replaced; last.of == p && last.with == with {
		return last.parts, true
	}
	if parts, ok = p.replacement(with); ok {
		c.replaced.of, c.replaced.with, c.replaced.parts = p, with, parts
	}
	return parts, ok
}

// replacementPart is literal text followed by a group, or by none when group is negative.
type replacementPart struct {
	text  string
	group int
}

// replacement takes a replacement apart: $N is a group (as many digits as there are groups for), \$ and \\ are
// characters. A group that does not exist is empty.
func (p *pattern) replacement(s string) (parts []replacementPart, ok bool) {
	if p.literal {
		return []replacementPart{{s, -1}}, true
	}
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			if i == len(s) || s[i] != '\\' && s[i] != '$' {
				return nil, false
			}
			text.WriteByte(s[i])
		case '$':
			i++
			if i == len(s) || s[i]-'0' > 9 {
				return nil, false
			}
			group := int(s[i] - '0')
			for i+1 < len(s) && s[i+1]-'0' <= 9 && group*10+int(s[i+1]-'0') <= p.re.NumSubexp() {
				i++
				group = group*10 + int(s[i]-'0')
			}
			if group > p.re.NumSubexp() {
				group = -1
			}
			parts = append(parts, replacementPart{text.String(), group})
			text.Reset()
		default:
			text.WriteByte(s[i])
		}
	}
	return append(parts, replacementPart{text.String(), -1}), true
}

// constantRegex is REGEX with a constant pattern; a pattern without special characters is a search.
type constantRegex struct {
	text    node
	pattern *pattern
	plain   func(c *run, text string) bool
}

func (n *constantRegex) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *constantRegex) test(c *run, rows []uint32, out []tri) {
	data := c.take()[:len(rows)]
	n.text.eval(c, rows, data)
	for i := range data {
		out[i] = isError
		if !data[i].ok() || c.env.Stopped() {
			continue
		}
		if text, ok := c.glance(&data[i]); ok {
			if n.plain != nil {
				out[i] = truth(n.plain(c, text))
			} else {
				out[i] = truth(n.pattern.match(c, text))
			}
		}
	}
	c.dataTop--
}
