package parser

import (
	"hash/maphash"
	"math/bits"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const (
	insertData = "INSERT DATA"
	deleteData = "DELETE DATA"
)

// dataReader turns the quads of INSERT DATA or DELETE DATA into Data while they are read.
type dataReader struct {
	*updateReader
	Data
	name   string // of the operation
	blanks bool   // may stand in it
	// current is the graph of the triples to come. Many triples in a row have one subject, or one predicate.
	current      uint32
	subject      term
	path         *pathSyntax
	subjectPlace uint32
	verbPlace    uint32
}

func (d *dataReader) beginGraph(name *term) (err error) {
	if d.current = 0; name == nil {
		return nil
	}
	if name.kind != termIRI {
		return d.refuse(*name, "an IRI")
	}
	d.current, err = d.place(*name)
	return err
}

func (d *dataReader) addTriple(w triple) (err error) {
	if !w.subject.same(d.subject) {
		if w.subject.isLiteral() || w.subject.kind == termVar || w.subject.isBlank() && !d.blanks {
			return d.refuse(w.subject, d.nodes()...)
		}
		if d.subjectPlace, err = d.place(w.subject); err != nil {
			return err
		}
		d.subject = w.subject
	}
	if w.path != d.path {
		if d.verbPlace, err = d.verb(w.path); err != nil {
			return err
		}
		d.path = w.path
	}
	object, err := d.place(w.object)
	d.used += quadParsed
	d.Quads = append(d.Quads, DataQuad{Subject: d.subjectPlace, Predicate: d.verbPlace, Object: object, Graph: d.current})
	return err
}

func (d *dataReader) verb(p *pathSyntax) (uint32, error) {
	switch {
	case p.kind == pathFixed:
		return d.place(term{kind: termIRI, iri: iriSyntax{kind: tokenIRI, text: "<" + p.iri + ">"}})
	case p.term.kind == termVar:
		return 0, d.refuse(p.term, "an IRI", `"a"`)
	}
	return d.place(p.term)
}

// place is the place of a ground term: the one that it has, or a new one.
func (d *dataReader) place(w term) (uint32, error) {
	key := w.text
	switch w.kind {
	case termVar:
		return 0, d.refuse(w, append(d.nodes(), "a literal")...)
	case termBlank, termFresh:
		if !d.blanks {
			return 0, d.refuse(w, append(d.nodes(), "a literal")...)
		}
	case termIRI:
		key = w.iri.text
	case termNil:
		key = "()"
	case termString: // its text is not all of it
		return d.add(w)
	}
	slot := d.known.slot(key)
	if slot.key == key && slot.era == d.known.era {
		return slot.place, nil
	}
	place, err := d.add(w)
	*slot = cachedPlace{key, place, d.known.era}
	return place, err
}

// add gives a term a place.
func (d *dataReader) add(w term) (place uint32, err error) {
	var t rdf.Term
	switch w.kind {
	case termBlank, termFresh:
		if t = rdf.NewBlank(blankLabel(w)); d.taken[t.Value] {
			f := faultf(w.offset, "the blank node label %s is used in two INSERT DATA operations", w.text)
			f.hint = "they would be two nodes; use another label"
			return 0, f
		}
	default:
		if err := refuseStored(w); err != nil {
			return 0, err
		}
		t, err = d.constant(w)
	}
	d.used += placeParsed
	d.Terms = append(d.Terms, t)
	return uint32(len(d.Terms) - 1), err
}

// nodes says what may be a subject.
func (d *dataReader) nodes() []string {
	if d.blanks {
		return []string{"an IRI", "a blank node"}
	}
	return []string{"an IRI"}
}

// refuse is the fault of a term that cannot stand in data.
func (d *dataReader) refuse(w term, expected ...string) error {
	f := faultf(w.offset, "unexpected %s in %s", w.describe(), d.name)
	f.expected = expected
	switch {
	case w.kind == termVar && d.blanks:
		f.hint = "variables stand in INSERT { … } WHERE { … }"
	case w.kind == termVar:
		f.hint = "variables stand in DELETE WHERE { … }"
	case w.isBlank() && !d.blanks:
		f.hint = "a blank node is found by a variable: DELETE WHERE { … }"
	}
	return f
}

// take adds the labels of d's blank nodes to those that no later INSERT DATA may use (section 19.6).
func (d *Data) take(taken map[string]bool) {
	for _, t := range d.Terms {
		if t.Kind == rdf.BlankNode && strings.HasPrefix(t.Value, "u") {
			taken[t.Value] = true
		}
	}
}

// placeCache remembers the places of the terms that were read last, by their text. It is of one size, so that the terms
// of a long text cost no more than those of a short one; a table of all of them took half of the time.
type placeCache struct {
	seed  maphash.Seed
	slots []cachedPlace
	shift int
	// era is counted up where texts get another meaning: what is of another is forgotten.
	era uint32
}

type cachedPlace struct {
	key   string
	place uint32
	era   uint32
}

// newPlaceCache makes a cache for a text of so many bytes: 24 bytes for each 32 of it, at most 384 KiB.
func newPlaceCache(text int) *placeCache {
	width := min(max(bits.Len(uint(text)/32), 4), 14)
	return &placeCache{seed: maphash.MakeSeed(), slots: make([]cachedPlace, 1<<width), shift: 64 - width}
}

func (c *placeCache) slot(key string) *cachedPlace {
	return &c.slots[maphash.String(c.seed, key)>>c.shift]
}
