package results

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// prefixes shortens IRIs to prefixed names.
type prefixes struct {
	// names and namespaces are parallel, longest namespace first.
	names      []string
	namespaces [][]byte
	// typeText is rdf:type as encode writes it, and a space.
	typeText []byte
}

func newPrefixes(declared map[string]string) *prefixes {
	p := &prefixes{}
	for name, namespace := range declared {
		if namespace != "" && prefixName(name) {
			p.names = append(p.names, name)
		}
	}
	slices.SortFunc(p.names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(declared[b]), len(declared[a])), cmp.Compare(a, b))
	})
	for _, name := range p.names {
		p.namespaces = append(p.namespaces, []byte(declared[name]))
	}
	p.typeText = append(p.encode(nil, cell{kind: rdf.IRI, value: []byte(rdf.RDFType)}), ' ')
	return p
}

// prefixName reports whether the name is a PN_PREFIX of plain characters (or empty).
func prefixName(name string) bool {
	for i := range len(name) {
		if b := name[i]; !localByte(b) || i == 0 && (b < 'A' || b == '_') {
			return false
		}
	}
	return true
}

// head declares the prefixes, in the order of their names.
func (p *prefixes) head() (head []byte) {
	order := make([]int, len(p.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p.names[a], p.names[b]) })
	for _, i := range order {
		head = append(append(head, "@prefix "...), p.names[i]...)
		head = append(rdf.AppendIRI(append(head, ": <"...), p.namespaces[i]), "> .\n"...)
	}
	if len(head) > 0 {
		head = append(head, '\n')
	}
	return head
}

// appendName appends the IRI as a prefixed name, if a prefix fits and the rest is a local name without escapes.
func (p *prefixes) appendName(dst, iri []byte) ([]byte, bool) {
	for i, namespace := range p.namespaces {
		if bytes.HasPrefix(iri, namespace) && localName(iri[len(namespace):]) {
			dst = append(append(dst, p.names[i]...), ':')
			return append(dst, iri[len(namespace):]...), true
		}
	}
	return dst, false
}

// localName reports whether s is a PN_LOCAL of plain characters.
func localName(s []byte) bool {
	for i, b := range s {
		if !localByte(b) && (b != '.' || i == 0 || i == len(s)-1) || b == '-' && i == 0 {
			return false
		}
	}
	return true
}

func localByte(b byte) bool {
	return b-'0' <= 9 || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b == '-'
}

// encode is one term in Turtle.
func (p *prefixes) encode(dst []byte, c cell) []byte {
	switch {
	case c.kind == rdf.IRI:
		if short, ok := p.appendName(dst, c.value); ok {
			return short
		}
	case bareNumber(c), string(c.datatype) == rdf.XSDBoolean && (string(c.value) == "true" || string(c.value) == "false"):
		return append(dst, c.value...)
	case c.datatype != nil:
		bare := c
		bare.datatype = nil
		dst = append(appendNT(dst, bare), '^', '^')
		if short, ok := p.appendName(dst, c.datatype); ok {
			return short
		}
		return append(rdf.AppendIRI(append(dst, '<'), c.datatype), '>')
	}
	return appendNT(dst, c)
}

// turtleRows writes the triples of a chunk grouped by subject, subjects and predicates in the order they came.
func turtleRows(f *formatter, dst []byte, cols [][]ID, n int, _ bool) []byte {
	order := f.bySubject(cols[0][:n])
	var subject, predicate ID
	for i, r := range order {
		s, p := cols[0][r], cols[1][r]
		switch {
		case i > 0 && s == subject && p == predicate:
			dst = append(dst, ", "...)
		case i > 0 && s == subject:
			dst = f.predicate(append(dst, " ;\n    "...), p)
		default:
			if i > 0 {
				dst = append(dst, " .\n"...)
			}
			dst = f.predicate(append(f.cell(dst, s), ' '), p)
		}
		dst = f.cell(dst, cols[2][r])
		subject, predicate = s, p
	}
	if n > 0 {
		dst = append(dst, " .\n"...)
	}
	return dst
}

// predicate appends a predicate and a space, rdf:type as "a".
func (f *formatter) predicate(dst []byte, id ID) []byte {
	start := len(dst)
	dst = append(f.cell(dst, id), ' ')
	if len(dst) > start && bytes.Equal(dst[start:], f.shape.prefixes.typeText) {
		dst = append(dst[:start], 'a', ' ')
	}
	return dst
}

// bySubject orders the rows so that equal subjects, in the order they first appear, stand together.
func (f *formatter) bySubject(subjects []ID) []int32 {
	if f.subjects == nil {
		f.subjects = map[ID]int32{}
	}
	clear(f.subjects)
	f.order = f.order[:0]
	grouped := true
	for r, s := range subjects {
		f.order = append(f.order, int32(r))
		if r > 0 && subjects[r-1] == s {
			continue
		}
		if _, seen := f.subjects[s]; seen {
			grouped = false
		} else {
			f.subjects[s] = int32(r)
		}
	}
	if !grouped {
		slices.SortStableFunc(f.order, func(a, b int32) int {
			return cmp.Compare(f.subjects[subjects[a]], f.subjects[subjects[b]])
		})
	}
	return f.order
}
