package loader

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync/atomic"
)

// grouping decides which resources lie together in the order of IDs: those of one class (the rarest of their classes),
// and of the others those with one set of predicates. So the rows of a partition are few ranges of IDs.
type grouping struct {
	memory *memory
	order  *termOrder
	class  []uint32 // by rank: 1 + number of the class in ascending order of size; 0 for none
	out    []uint64 // by rank: predicates of which the resource is subject, one bit for each 64th
	in     []uint64 // of which it is object
}

// maxGroups bounds the number of groups; the resources of all further ones lie together at the end.
const maxGroups = 1 << 16

// groupKey tells groups apart.
type groupKey struct {
	class   uint32
	out, in uint64
}

// group is what is known of one group.
type group struct {
	members uint32
	out, in uint64
	first   uint32 // the place of its first member among the resources
}

// arrange gives every rank of a resource its position among the resources, and tells where groups start.
func arrange(ctx context.Context, triples *tripleList, order *termOrder, labels []uint32, classSizes map[uint32]uint32) (position, groups []uint32, err error) {
	g := &grouping{memory: triples.memory, order: order}
	defer g.release()
	if g.class, err = allocate[uint32](g.memory, order.resources); err != nil {
		return nil, nil, err
	}
	if g.out, err = allocate[uint64](g.memory, order.resources); err != nil {
		return nil, nil, err
	}
	if g.in, err = allocate[uint64](g.memory, order.resources); err != nil {
		return nil, nil, err
	}
	if err := g.collect(ctx, triples, labels, order.numberClasses(classSizes)); err != nil {
		return nil, nil, err
	}
	return g.assign()
}

func (g *grouping) release() {
	release(g.memory, g.class)
	release(g.memory, g.out)
	release(g.memory, g.in)
}

// numberClasses numbers the classes by ascending size; the result is by rank.
func (o *termOrder) numberClasses(sizes map[uint32]uint32) map[uint32]uint32 {
	type class struct{ rank, size uint32 }
	total := map[uint32]uint32{}
	for id, n := range sizes {
		total[o.rank[id]] += n
	}
	var classes []class
	for rank, n := range total {
		classes = append(classes, class{rank, n})
	}
	slices.SortFunc(classes, func(a, b class) int {
		if a.size != b.size {
			return int(a.size) - int(b.size)
		}
		return int(a.rank) - int(b.rank)
	})
	number := map[uint32]uint32{}
	for i, c := range classes {
		number[c.rank] = uint32(i)
	}
	return number
}

// collect reads the triples and notes the classes and predicates of every resource.
func (g *grouping) collect(ctx context.Context, triples *tripleList, labels []uint32, classes map[uint32]uint32) error {
	rank, resources, width := g.order.rank, uint32(g.order.resources), triples.width
	return triples.each(ctx, func(_ int, rows []uint32) error {
		for ; len(rows) > 0; rows = rows[width:] {
			s, o := rank[rows[rowSubject]], rank[rows[rowObject]]
			bit := uint64(1) << (labels[rows[rowPredicate]] % 64)
			if s < resources {
				setBits(&g.out[s], bit)
				if rows[rowPredicate] == typeNumber {
					lower(&g.class[s], classes[o]+1)
				}
			}
			if o < resources {
				setBits(&g.in[o], bit)
			}
		}
		return nil
	})
}

// setBits is an atomic or, which mostly finds the bits set.
func setBits(p *uint64, bit uint64) {
	if atomic.LoadUint64(p)&bit == 0 {
		atomic.OrUint64(p, bit)
	}
}

// lower replaces a number by a smaller one, or 0 by any.
func lower(p *uint32, n uint32) {
	for {
		old := atomic.LoadUint32(p)
		if old != 0 && old <= n || atomic.CompareAndSwapUint32(p, old, n) {
			return
		}
	}
}

// assign makes the groups, orders them and gives out the positions.
func (g *grouping) assign() (position, starts []uint32, err error) {
	if position, err = allocate[uint32](g.memory, g.order.resources); err != nil {
		return nil, nil, err
	}
	numbers := map[groupKey]uint32{}
	var groups []group
	var lastKey groupKey
	var last uint32
	for i := range position {
		key := groupKey{class: g.class[i]}
		if key.class == 0 {
			if key.out = g.out[i]; key.out == 0 {
				key.in = g.in[i]
			}
		}
		if i == 0 || key != lastKey {
			n, ok := numbers[key]
			if !ok && len(groups) == maxGroups {
				n, ok = maxGroups-1, true
			}
			if !ok {
				n = uint32(len(groups))
				groups = append(groups, group{})
				numbers[key] = n
			}
			lastKey, last = key, n
		}
		position[i] = last
		groups[last].members++
		groups[last].out |= g.out[i]
		groups[last].in |= g.in[i]
	}
	at := uint32(0)
	for _, n := range orderGroups(groups) {
		starts = append(starts, at)
		groups[n].first = at
		at += groups[n].members
	}
	for i, n := range position {
		position[i] = groups[n].first
		groups[n].first++
	}
	return position, starts, nil
}

// maxChained is how many groups are chained by likeness, which takes quadratic time; the smaller ones follow by their
// sets of predicates.
const maxChained = 1500

// orderGroups orders groups so that neighbours share predicates: the largest first, then always the one most like the
// last (by the share of predicates that both have).
func orderGroups(groups []group) []int {
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(groups[b].members) - int(groups[a].members) })
	chained := order[:min(len(order), maxChained)]
	for i := 1; i < len(chained); i++ {
		best, most := i, -1.0
		for j := i; j < len(chained); j++ {
			if like := likeness(groups[chained[i-1]], groups[chained[j]]); like > most {
				best, most = j, like
			}
		}
		chosen := chained[best]
		copy(chained[i+1:best+1], chained[i:best])
		chained[i] = chosen
	}
	rest := order[len(chained):]
	slices.SortStableFunc(rest, func(a, b int) int {
		x, y := groups[a], groups[b]
		return cmp.Or(cmp.Compare(bits.Reverse64(y.out), bits.Reverse64(x.out)), cmp.Compare(bits.Reverse64(y.in), bits.Reverse64(x.in)))
	})
	return order
}

func likeness(a, b group) float64 {
	both := bits.OnesCount64(a.out&b.out) + bits.OnesCount64(a.in&b.in)
	any := bits.OnesCount64(a.out|b.out) + bits.OnesCount64(a.in|b.in)
	if any == 0 {
		return 1
	}
	return float64(both) / float64(any)
}
