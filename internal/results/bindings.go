package results

import (
	"io"
	"iter"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// WriteBindings writes solutions whose terms are at hand as SPARQL JSON, without line breaks. A row has one term per variable, the zero
// Term where it is unbound. It allocates nothing per row.
func WriteBindings(out io.Writer, variables []string, rows iter.Seq[[]rdf.Term]) error {
	s := jsonShape(variables, nil)
	text, scratch, between := s.head, []byte(nil), 0
	for row := range rows {
		text = append(text, ",{"[1-between:]...)
		text, scratch = s.appendBinding(text, scratch, row)
		if between = 1; len(text) < flushBindings {
			continue
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	_, err := out.Write(append(text, "]}}"...))
	return err
}

// flushBindings is from how many bytes on rows are passed on.
const flushBindings = 16 << 10

// appendBinding appends a row behind its brace. scratch receives the text of terms and is returned, perhaps grown.
func (s *shape) appendBinding(dst, scratch []byte, row []rdf.Term) (text, grown []byte) {
	skip := 1
	for i, t := range row {
		if t.IsZero() {
			continue
		}
		var c cell
		c, scratch = cellOf(t, scratch[:0])
		dst = s.encode(append(dst, s.before[i][skip:]...), c)
		skip = 0
	}
	return append(dst, '}'), scratch
}

// AppendTSV appends a term as it stands in a row of SPARQL TSV; nothing for the zero Term.
func AppendTSV(dst []byte, t rdf.Term) []byte {
	if t.IsZero() {
		return dst
	}
	c, _ := cellOf(t, nil)
	return encodeTSV(dst, c)
}

// cellOf is a term taken apart, its text in scratch, which is returned, perhaps grown.
func cellOf(t rdf.Term, scratch []byte) (c cell, grown []byte) {
	c.kind = t.Kind
	scratch = append(append(append(scratch, t.Value...), t.Datatype...), t.Language...)
	datatype, language := len(t.Value), len(t.Value)+len(t.Datatype)
	c.value = scratch[:datatype]
	if t.Datatype != "" {
		c.datatype = scratch[datatype:language]
	}
	if t.Language != "" {
		c.language = scratch[language:]
	}
	return c, scratch
}
