package expr

import (
	"math"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// text returns a string literal (section 17.4.3.1.1): a plain one or one with a language tag. Reading it counts as work.
func (c *run) text(d *datum) (t *rdf.Term, ok bool) {
	k := c.valueOf(d).Kind
	if k != dictionary.String && k != dictionary.LangString {
		return nil, false
	}
	t = c.termOf(d)
	return t, c.spend(len(t.Value))
}

// glance returns the text of a string literal as text does, to be looked at before the next one is: that of a stored term lies in
// the scratch of the run, and is not made a string of its own.
func (c *run) glance(d *datum) (text string, ok bool) {
	if d.known&hasID == 0 || d.known&hasTerm != 0 {
		t, ok := c.text(d)
		if !ok {
			return "", false
		}
		return t.Value, true
	}
	if k := c.valueOf(d).Kind; k != dictionary.String && k != dictionary.LangString {
		return "", false
	}
	c.glanced, _ = c.env.Terms.AppendText(c.glanced[:0], d.id)
	text = unsafe.String(unsafe.SliceData(c.glanced), len(c.glanced))
	if cap(c.glanced) > meterStep {
		c.glanced = nil
	}
	return text, c.spend(len(text))
}

// plainText returns a literal without a language tag.
func (c *run) plainText(d *datum) (string, bool) {
	if c.valueOf(d).Kind != dictionary.String {
		return "", false
	}
	s := c.termOf(d).Value
	return s, c.spend(len(s))
}

// pair returns two string literals that are compatible (section 17.4.3.1.2): the second has no language tag or the
// first one's.
func (c *run) pair(a []*datum) (s, t *rdf.Term, ok bool) {
	s, ok = c.text(a[0])
	if !ok {
		return nil, nil, false
	}
	if t, ok = c.text(a[1]); !ok {
		return nil, nil, false
	}
	return s, t, t.Language == "" || strings.EqualFold(s.Language, t.Language)
}

// glancePair is pair for two texts to be looked at before another is.
func (c *run) glancePair(a []*datum) (s, t string, ok bool) {
	if a[1].known&hasTerm != 0 && a[1].term.Language == "" {
		second, ok := c.text(a[1])
		if !ok {
			return "", "", false
		}
		s, ok = c.glance(a[0])
		return s, second.Value, ok
	}
	first, second, ok := c.pair(a)
	if !ok {
		return "", "", false
	}
	return first.Value, second.Value, true
}

// setText gives a string the language tag of like.
func (d *datum) setText(s string, like *rdf.Term) {
	if like.Language == "" {
		d.setString(s)
		return
	}
	d.setTerm(rdf.NewLangString(s, like.Language))
}

// grows reports whether a string that is being built may become longer by so many bytes.
func (c *run) grows(b *strings.Builder, bytes int) bool {
	if b.Len()+bytes > maxText {
		return c.makes(b.Len() + bytes)
	}
	return c.makes(bytes)
}

func write(b *strings.Builder, s string) bool {
	b.WriteString(s)
	return true
}

func strlen(c *run, a []*datum, out *datum) {
	if t, ok := c.glance(a[0]); ok {
		out.setInt(int64(utf8.RuneCountInString(t)))
	}
}

// mapped is UCASE, LCASE.
func mapped(f func(string) string) function {
	return func(c *run, a []*datum, out *datum) {
		t, ok := c.text(a[0])
		if !ok {
			return
		}
		if len(t.Value) <= meterStep {
			out.setText(f(t.Value), t)
			return
		}
		var b strings.Builder
		if c.pieces(t.Value, func(piece string) bool {
			piece = f(piece)
			return c.grows(&b, len(piece)) && write(&b, piece)
		}) {
			out.setText(b.String(), t)
		}
	}
}

func contains(c *run, a []*datum) tri {
	s, t, ok := c.glancePair(a)
	if !ok {
		return isError
	}
	return truth(c.index(s, t) >= 0)
}

// matches is STRSTARTS, STRENDS.
func matches(f func(s, part string) bool) predicate {
	return func(c *run, a []*datum) tri {
		s, t, ok := c.glancePair(a)
		if !ok {
			return isError
		}
		return truth(f(s, t))
	}
}

func strbefore(c *run, a []*datum, out *datum) {
	if s, t, ok := c.pair(a); ok {
		if i := c.index(s.Value, t.Value); i >= 0 {
			out.setText(s.Value[:i], s)
		} else {
			out.setString("")
		}
	}
}

func strafter(c *run, a []*datum, out *datum) {
	if s, t, ok := c.pair(a); ok {
		if i := c.index(s.Value, t.Value); i >= 0 {
			out.setText(s.Value[i+len(t.Value):], s)
		} else {
			out.setString("")
		}
	}
}

func concat(c *run, a []*datum, out *datum) {
	var b strings.Builder
	language := ""
	for i, d := range a {
		t, ok := c.text(d)
		if !ok {
			return
		}
		switch {
		case i == 0:
			language = t.Language
		case !strings.EqualFold(language, t.Language):
			language = ""
		}
		if !c.grows(&b, len(t.Value)) {
			return
		}
		b.WriteString(t.Value)
	}
	out.setTerm(rdf.NewLangString(b.String(), language))
}

// substr takes the characters from position start, counted from 1, of the given number; positions are rounded
// (XPath fn:substring).
func substr(c *run, a []*datum, out *datum) {
	t, ok := c.text(a[0])
	start := c.valueOf(a[1])
	if !ok || !start.IsNumeric() {
		return
	}
	from, to := roundFloat("ROUND", start.Float64()), math.Inf(1)
	if len(a) == 3 {
		length := c.valueOf(a[2])
		if !length.IsNumeric() {
			return
		}
		to = from + roundFloat("ROUND", length.Float64())
	}
	first, last := -1, len(t.Value)
	position := 1.0
	for i := range t.Value {
		if !c.spend(1) {
			return
		}
		if first < 0 && position >= from {
			first = i
		}
		if !(position < to) {
			last = i
			break
		}
		position++
	}
	if first < 0 || first >= last || math.IsNaN(from) || math.IsNaN(to) {
		first, last = 0, 0
	}
	out.setText(t.Value[first:last], t)
}

func encodeForURI(c *run, a []*datum, out *datum) {
	t, ok := c.text(a[0])
	if !ok {
		return
	}
	var b strings.Builder
	if c.pieces(t.Value, func(piece string) bool {
		encoded := appendEncoded(make([]byte, 0, len(piece)+16), piece)
		return c.grows(&b, len(encoded)) && write(&b, string(encoded))
	}) {
		out.setString(b.String())
	}
}

// appendEncoded appends a text for use in an IRI.
func appendEncoded(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		switch ch := s[i]; {
		case ch|0x20 >= 'a' && ch|0x20 <= 'z', ch >= '0' && ch <= '9', strings.IndexByte("-_.~", ch) >= 0:
			dst = append(dst, ch)
		default:
			dst = append(dst, '%', hex[ch>>4], hex[ch&15])
		}
	}
	return dst
}

// langMatches is rdf.LanguageMatches.
func langMatches(c *run, a []*datum) tri {
	tag, ok := c.plainText(a[0])
	span, fine := c.plainText(a[1])
	if !ok || !fine {
		return isError
	}
	return truth(rdf.LanguageMatches(tag, span))
}
