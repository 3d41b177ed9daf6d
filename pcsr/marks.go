package pcsr

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// marks is a set of vertices that grows, as several goroutines read it and add to it. It takes memory where it has members.
type marks struct {
	mu    sync.Mutex
	pages atomic.Pointer[[]atomic.Pointer[markPage]]
	count atomic.Int64 // of the members
}

// markPage has a bit for each of markBits vertices.
type markPage [markBits / 32]atomic.Uint32

const markBits = 1 << 15

// has reports whether v is a member.
func (m *marks) has(v Vertex) bool {
	page := m.page(v)
	return page != nil && page[v%markBits/32].Load()>>(v%32)&1 != 0
}

func (m *marks) page(v Vertex) *markPage {
	pages := m.pages.Load()
	if pages == nil || int(v/markBits) >= len(*pages) {
		return nil
	}
	return (*pages)[v/markBits].Load()
}

func (m *marks) add(v Vertex) { m.count.Add(m.set(v)) }

// set adds v, which it does not count, and returns how many members more there are.
func (m *marks) set(v Vertex) int64 { return m.setWord(v/32, 1<<(v%32)) }

// setWord is set of some of the vertices from 32 times w on, by their bits.
func (m *marks) setWord(w, members uint32) int64 {
	first := Vertex(32 * w)
	page := m.page(first)
	if page == nil {
		page = m.addPage(first)
	}
	word := &page[first%markBits/32]
	if word.Load()&members == members {
		return 0
	}
	return int64(bits.OnesCount32(members &^ word.Or(members)))
}

// havePages makes the pages of the rows of ascending keys, which would else wait for each other.
func (m *marks) havePages(keys []uint64) {
	for len(keys) > 0 {
		v := Vertex(keys[0] >> 32)
		if m.page(v) == nil {
			m.addPage(v)
		}
		n, found := slices.BinarySearch(keys, edgeKey(v|(markBits-1), noVertex))
		keys = keys[n+oneIf(found):]
	}
}

// addPage makes the page of v.
func (m *marks) addPage(v Vertex) *markPage {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := int(v / markBits)
	var pages []atomic.Pointer[markPage]
	if was := m.pages.Load(); was != nil {
		pages = *was
	}
	if at >= len(pages) {
		longer := make([]atomic.Pointer[markPage], at+1+at/8)
		for i := range pages {
			longer[i].Store(pages[i].Load())
		}
		pages = longer
		m.pages.Store(&pages)
	}
	page := pages[at].Load()
	if page == nil {
		page = &markPage{}
		pages[at].Store(page)
	}
	return page
}

// each visits the members.
func (m *marks) each(visit func(Vertex)) {
	pages := m.pages.Load()
	if pages == nil {
		return
	}
	for i := range *pages {
		page := (*pages)[i].Load()
		for k := 0; page != nil && k < len(page); k++ {
			for w := page[k].Load(); w != 0; w &= w - 1 {
				visit(Vertex(i*markBits + k*32 + bits.TrailingZeros32(w)))
			}
		}
	}
}

// bytes is about what the set takes.
func (m *marks) bytes() int {
	bytes := 0
	if pages := m.pages.Load(); pages != nil {
		for i := range *pages {
			if (*pages)[i].Load() != nil {
				bytes += markBits / 8
			}
		}
	}
	return bytes
}
