package expr

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func str(c *run, a []*datum, out *datum) {
	if t := c.termOf(a[0]); t.Kind != rdf.BlankNode {
		out.setString(t.Value)
	}
}

func lang(c *run, a []*datum, out *datum) {
	switch c.valueOf(a[0]).Kind {
	case dictionary.NoValue:
	case dictionary.LangString:
		if d := a[0]; d.known&hasTerm == 0 && c.stored(d.id) {
			out.setString(c.env.Dictionary.Language(d.id))
			return
		}
		out.setString(c.termOf(a[0]).Language)
	default:
		out.setString("")
	}
}

// stored reports whether an ID is one of the store's dictionary.
func (c *run) stored(id dictionary.ID) bool {
	return c.env.Dictionary != nil && int64(id) < int64(c.env.Dictionary.Len())
}

func datatype(c *run, a []*datum, out *datum) {
	if c.valueOf(a[0]).Kind != dictionary.NoValue {
		out.setTerm(rdf.NewIRI(c.termOf(a[0]).DatatypeIRI()))
	}
}

func iri(c *run, a []*datum, out *datum) {
	t := c.termOf(a[0])
	if t.Kind != rdf.IRI && c.valueOf(a[0]).Kind != dictionary.String || len(t.Value) > maxIRI {
		return
	}
	if !strings.ContainsFunc(t.Value, func(r rune) bool { return r <= ' ' || strings.ContainsRune("<>\"{}|^`\\", r) }) {
		out.setTerm(rdf.NewIRI(rdf.ResolveIRI(c.env.Base, t.Value)))
	}
}

// maxIRI is how long an IRI that a query computes may be, and maxTag a language tag: what is longer is none.
const maxIRI, maxTag = 1 << 20, 1 << 10

func strdt(c *run, a []*datum, out *datum) {
	s, ok := c.plainText(a[0])
	if t := c.termOf(a[1]); ok && t.Kind == rdf.IRI && t.Value != rdf.RDFLangString {
		out.setTerm(rdf.NewTyped(s, t.Value))
	}
}

func strlang(c *run, a []*datum, out *datum) {
	s, ok := c.plainText(a[0])
	if tag, fine := c.plainText(a[1]); ok && fine && isTag(tag) {
		out.setTerm(rdf.NewLangString(s, tag))
	}
}

// isTag reports whether s has the form of a language tag (the LANGTAG production).
func isTag(s string) bool {
	if len(s) > maxTag {
		return false
	}
	for i, part := range strings.Split(s, "-") {
		if part == "" {
			return false
		}
		for _, ch := range part {
			letter := ch|0x20 >= 'a' && ch|0x20 <= 'z'
			if !letter && (i == 0 || ch < '0' || ch > '9') {
				return false
			}
		}
	}
	return true
}

// isKind is isIRI, isBlank, isLiteral.
func isKind(kind rdf.Kind) predicate {
	return func(c *run, a []*datum) tri {
		if d := c.env.Dictionary; d != nil && a[0].known == hasID && a[0].id < dictionary.ID(d.Len()) {
			return truth(d.Kind(a[0].id) == kind)
		}
		if literal := c.valueOf(a[0]).Kind != dictionary.NoValue; literal || kind == rdf.Literal {
			return truth(literal && kind == rdf.Literal)
		}
		return truth(c.termOf(a[0]).Kind == kind)
	}
}

func isNumeric(c *run, a []*datum) tri { return truth(c.valueOf(a[0]).IsNumeric()) }

// bnode makes a blank node. With a label it is the same node for the same label and solution.
func bnode(c *run, a []*datum, out *datum) {
	if len(a) == 0 {
		out.setTerm(rdf.NewBlank(freshLabel()))
		return
	}
	label, ok := c.plainText(a[0])
	if !ok {
		return
	}
	blanks := &c.env.blanks
	blanks.mu.Lock()
	defer blanks.mu.Unlock()
	key := blankKey{label, c.solution()}
	id, ok := blanks.made[key]
	if !ok {
		id = c.env.Terms.ID(rdf.NewBlank(freshLabel()))
		if blanks.made == nil {
			blanks.made, blanks.known = map[blankKey]dictionary.ID{}, map[dictionary.ID]bool{}
		}
		blanks.made[key], blanks.known[id] = id, true
	}
	out.setID(id)
}

// solution hashes the row without the blank nodes that BNODE put there; the caller holds blanks.mu.
func (c *run) solution() uint64 {
	var b []byte
	for k, col := range c.cols {
		if id := col[c.row]; id != dictionary.None && !c.env.blanks.known[id] {
			b = append(b, byte(k), byte(k>>8), byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
		}
	}
	return xxh3.Hash(b)
}

func freshLabel() string {
	return "b" + strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36)
}

// newUUID returns a random UUID (RFC 4122, version 4).
func newUUID() string {
	const hex = "0123456789abcdef"
	high, low := rand.Uint64()&^0xf000|0x4000, rand.Uint64()&^(3<<62)|2<<62
	var b strings.Builder
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b.WriteByte('-')
		}
		word := high
		if i >= 16 {
			word = low
		}
		b.WriteByte(hex[word>>(60-4*(i%16))&15])
	}
	return b.String()
}

func uuid(_ *run, _ []*datum, out *datum) { out.setTerm(rdf.NewIRI("urn:uuid:" + newUUID())) }

func struuid(_ *run, _ []*datum, out *datum) { out.setString(newUUID()) }

func random(_ *run, _ []*datum, out *datum) { out.setValue(float(dictionary.Double, rand.Float64())) }
