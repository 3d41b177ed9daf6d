package dictionary

import (
	"bytes"
	"errors"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// qualifier is the language tag or datatype IRI that the literals from one ID on have, up to the next qualifier's.
type qualifier struct {
	from ID
	text string
	tail string // the end of the literal in N-Triples: `"@tag` or `"^^<iri>`
}

// qualifierBuilder gathers the qualifiers of LangStrings and Others, which come in runs.
type qualifierBuilder struct {
	from []uint32
	ends []uint32
	text []byte
	last []byte
	in   Section
}

func (q *qualifierBuilder) add(id ID, s Section, p *parts) {
	text := p.qualifier
	if p.mark == keyKnown {
		text = []byte(p.datatype.IRI())
	}
	if len(q.from) > 0 && q.in == s && bytes.Equal(text, q.last) {
		return
	}
	q.in, q.last = s, append(q.last[:0], text...)
	q.from = append(q.from, id)
	q.text = append(q.text, text...)
	q.ends = append(q.ends, uint32(len(q.text)))
}

func (q *qualifierBuilder) write(w *section.Writer) error {
	err := errors.Join(
		w.Section("qualifier.from"), section.WriteNumbers(w, q.from),
		w.Section("qualifier.ends"), section.WriteNumbers(w, q.ends),
		w.Section("qualifier.text"),
	)
	if err == nil {
		_, err = w.Write(q.text)
	}
	return err
}

// openQualifiers reads the table; the first qualifiers of LangStrings and Others start where those sections do.
func openQualifiers(f *section.File, starts []uint32) ([]qualifier, error) {
	from, err := f.Uint32s("qualifier.from")
	if err != nil {
		return nil, err
	}
	ends, err := f.Uint32s("qualifier.ends")
	if err != nil {
		return nil, err
	}
	text, err := f.Bytes("qualifier.text")
	if err != nil {
		return nil, err
	}
	if len(from) != len(ends) || (len(from) == 0) != (starts[LangStrings] == starts[SectionCount]) {
		return nil, f.Damaged("the numbers of language tags and datatypes do not fit")
	}
	all := make([]qualifier, len(from))
	othersSeen := starts[Others] == starts[SectionCount]
	start := uint32(0)
	for i, id := range from {
		first := i == 0 && id != starts[LangStrings] || i > 0 && id <= from[i-1]
		if first || id >= starts[SectionCount] || ends[i] < start || uint64(ends[i]) > uint64(len(text)) {
			return nil, f.Damaged("language tag or datatype %d is out of place", i)
		}
		othersSeen = othersSeen || id == starts[Others]
		q := qualifier{from: id, text: string(text[start:ends[i]])}
		if q.tail = `"@` + q.text; id >= starts[Others] {
			q.tail = string(rdf.AppendIRI([]byte(`"^^<`), q.text)) + ">"
		}
		all[i], start = q, ends[i]
	}
	if !othersSeen {
		return nil, f.Damaged("the first datatype is missing")
	}
	return all, nil
}
