package generate

import "math/rand/v2"

// Numbers numbers the terms of a Commerce graph without a dictionary, so that its edges can be made in memory: entities, population by
// population, then literals. Literals that the text has once for each value are shared as they are there, but for numbers from ranges of
// more than smallRange, which fall together where there are fewer numbers than values, and texts of more than one word, each of which is
// a vertex of its own.
type Numbers struct {
	blocks     []block
	sizes      map[string]uint64
	seed       uint64
	first      map[string]uint64 // of each population
	predicates map[string]int
	names      []string // of predicates
	texts      map[textOf]uint64
	words      uint64
	small      uint64
	large      uint64
	largeSlots uint64
	dates      uint64
	given      uint64
	total      uint64
}

// textOf names the texts that a population has by one predicate.
type textOf struct{ population, predicate string }

const (
	smallRange = 1 << 16
	firstDay   = 0      // 1970-01-01, in days
	lastDay    = 18_993 // 2022-01-01
	givenNames = 1751
	perUnit    = 2000 // numbers of large ranges for each unit of scale
)

// Numbers returns how the graph's terms are numbered.
func (g Commerce) Numbers() *Numbers {
	n := &Numbers{seed: g.Seed, first: map[string]uint64{}, predicates: map[string]int{}, texts: map[textOf]uint64{}}
	n.blocks, n.sizes = g.blocks()
	for _, p := range populations {
		n.first[p.name] = n.take(g.size(p))
	}
	for _, p := range populations {
		for _, r := range p.rules {
			if _, known := n.predicates[r.predicate]; !known {
				n.predicates[r.predicate] = len(n.names)
				n.names = append(n.names, r.predicate)
			}
			if of := (textOf{p.name, r.predicate}); r.object.literal == wordsLiteral && n.texts[of] == 0 {
				n.texts[of] = n.take(g.size(p))
			}
		}
	}
	n.words, n.small = n.take(differentWords), n.take(smallRange)
	n.largeSlots = perUnit * uint64(max(g.Scale, 1))
	n.large, n.dates, n.given = n.take(n.largeSlots), n.take(lastDay-firstDay+1), n.take(givenNames)
	return n
}

func (n *Numbers) take(size uint64) uint64 {
	first := n.total
	n.total += size
	return first
}

// Vertices is how many numbers there are; not all of them are in use.
func (n *Numbers) Vertices() uint64 { return n.total }

// Predicates are the IRIs of predicates, in the order of their numbers.
func (n *Numbers) Predicates() []string { return n.names }

// Blocks is the number of blocks of edges.
func (n *Numbers) Blocks() int { return len(n.blocks) }

// Block calls emit for the edges of one block, which are those of the text; blocks can be made concurrently.
func (n *Numbers) Block(number int, emit func(Edge)) {
	m := &maker{seed: n.seed, sizes: n.sizes, random: rand.New(rand.NewPCG(n.seed, uint64(number))), numbers: n, emit: emit}
	m.fill(n.blocks[number])
}

// literal is the number of a literal; it draws what the text draws.
func (n *Numbers) literal(r *rand.Rand, population string, entity uint64, of rule, value int64) uint64 {
	switch of.object.literal {
	case wordsLiteral:
		word := uint64(0)
		for range value {
			word = r.Uint64N(differentWords)
		}
		if value == 1 {
			return n.words + word
		}
		return n.texts[textOf{population, of.predicate}] + entity
	case dateLiteral:
		return n.dates + uint64(value-firstDay)
	case givenLiteral:
		return n.given + uint64(value)
	}
	if of.object.to < smallRange {
		return n.small + uint64(value)
	}
	width := uint64(of.object.to - of.object.from + 1)
	return n.large + uint64(value-of.object.from)*min(n.largeSlots, width)/width
}
