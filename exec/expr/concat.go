package expr

import (
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// groupConcat is GROUP_CONCAT: CONCAT (section 18.5.1.7) of the strings of the values (STR), so that a value without one, an
// error or a blank node, makes an error of the whole.
type groupConcat struct {
	env       *Env
	separator string
	texts     []concatState
	size      int64
	text      []byte // of the value at hand
}

type concatState struct {
	text          pieces
	begun, failed bool
}

// pieces are a text that grows, in pieces of at most maxPiece bytes, so that growing never copies a long one.
type pieces struct {
	full   []string
	last   []byte
	length int
}

const maxPiece = 1 << 20

func (p *pieces) add(s []byte) {
	p.length += len(s)
	if len(p.last)+len(s) > maxPiece && len(p.last) > 0 {
		p.full = append(p.full, string(p.last))
		p.last = p.last[:0]
	}
	if len(s) > maxPiece {
		p.full = append(p.full, string(s))
		return
	}
	p.last = append(p.last, s...)
}

// joined is the whole text.
func (p *pieces) joined() string {
	if len(p.full) == 0 {
		return string(p.last)
	}
	var b strings.Builder
	b.Grow(p.length)
	for _, s := range p.full {
		b.WriteString(s)
	}
	b.Write(p.last)
	return b.String()
}

func (f *groupConcat) add(group uint32, id dictionary.ID) {
	for int(group) >= len(f.texts) {
		f.texts = append(f.texts, concatState{})
	}
	s := &f.texts[group]
	if s.failed {
		return
	}
	sort := rdf.SortBlank
	if id != dictionary.None {
		f.text, sort = f.env.Terms.AppendText(f.text[:0], id)
	}
	if sort == rdf.SortBlank {
		*s = concatState{failed: true}
		return
	}
	if s.text.length+len(f.separator)+len(f.text) > maxText {
		f.env.fail(ErrLong)
		return
	}
	if s.begun {
		s.text.add([]byte(f.separator))
	}
	s.begun = true
	s.text.add(f.text)
	f.size += int64(len(f.text) + len(f.separator))
	if cap(f.text) > maxPiece {
		f.text = nil
	}
}

func (f *groupConcat) result(group int, out *idSource) dictionary.ID {
	s := at(f.texts, group)
	if s.failed {
		return dictionary.None
	}
	t := rdf.NewString(s.text.joined())
	return out.of(&t)
}

func (f *groupConcat) bytes() int64 { return int64(len(f.texts))*80 + f.size*2 }
