package dictionary

import "sync/atomic"

// Hot literals are kept decoded: those of small answers, which are often the same ones again. Each has one place, where it takes over from another one when it
// comes for the second time in a row, so that what is read once costs nothing but a look.
const (
	hotPlaces = 1 << 13
	// hotBytes is the longest that is kept: all together take 2.5 MiB at most.
	hotBytes = 256
)

// hotText is a literal in N-Triples syntax. It is not changed.
type hotText struct {
	id   ID
	text []byte
}

type hotTexts struct {
	texts [hotPlaces]atomic.Pointer[hotText]
	last  [hotPlaces]atomic.Uint32 // the ID that was last missed, + 1
}

// AppendHot is AppendNTriples for some terms of a small answer.
func (d *Dictionary) AppendHot(dst []byte, id ID) []byte {
	s := d.base
	if id >= d.end || id < s.starts[Numbers] || id >= s.starts[SectionCount] {
		return d.AppendNTriples(dst, id)
	}
	h := s.hotTexts()
	place := id * 0x9e3779b1 >> (32 - 13)
	if t := h.texts[place].Load(); t != nil && t.id == id {
		return append(dst, t.text...)
	}
	at := len(dst)
	dst = s.appendLiteral(dst, id)
	switch {
	case len(dst)-at > hotBytes || len(dst) == at:
	case h.last[place].Load() != id+1:
		h.last[place].Store(id + 1)
	default:
		h.texts[place].Store(&hotText{id, append([]byte(nil), dst[at:]...)})
	}
	return dst
}

// hotTexts are the segment's, made when they are first asked for.
func (s *Segment) hotTexts() *hotTexts {
	h := s.hot.Load()
	if h == nil {
		s.hot.CompareAndSwap(nil, new(hotTexts))
		h = s.hot.Load()
	}
	return h
}
