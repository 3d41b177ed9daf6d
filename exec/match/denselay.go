package match

import (
	"slices"
)

// lay writes down the sets and the terms; false where there are too many.
func (d *denseFinder) lay(tail int) bool {
	b := d.best
	b.Tail = nil
	above, n := d.breakOrder(tail)
	b.Automorphisms = n
	b.Upward = true
	b.Smallest = 2
	if d.Plan.Query.Semantics.Injective() {
		b.Smallest = d.n - 1
	}
	if b.Far != nil {
		b.Smallest-- // its place is elsewhere
	}
	if b.Outer {
		b.Smallest--
	}
	all := make([]DenseSet, d.n)
	for i := 1; i < d.n; i++ {
		all[i] = d.set(i, d.n-1-tail, above[i])
		b.Upward = b.Upward && all[i].Upper
	}
	if b.Upward {
		for i := range all {
			all[i].Upper = i == 1 && b.Far != nil
		}
	}
	b.Levels = all[1 : d.n-tail]
	classes := make([]int, tail)
	for i, s := range all[d.n-tail:] {
		if classes[i] = slices.Index(b.Tail, s); classes[i] < 0 {
			classes[i] = len(b.Tail)
			b.Tail = append(b.Tail, s)
		}
	}
	b.Terms = terms(classes, d.Plan.Query.Semantics.Injective())
	return len(b.Tail) <= MostTailSets
}

// set is what is asked of the i-th of Slots, of which so many are levels; above are the places whose vertices it is greater than. Vertices of the
// tail differ from one another by the terms.
func (d *denseFinder) set(i, levels int, above uint8) (s DenseSet) {
	s.Upper = above&1 != 0
	semantics := d.Plan.Query.Semantics
	for k := 1; k < i && k <= levels; k++ {
		bit := uint8(1) << (k - 1)
		switch {
		case d.near[d.best.Slots[i]]>>d.best.Slots[k]&1 != 0:
			s.Near |= bit
		case d.absent[d.best.Slots[i]]>>d.best.Slots[k]&1 != 0:
			s.Absent |= bit
		case semantics.Injective():
			s.Apart |= bit
		}
		if above>>k&1 != 0 {
			s.Above |= bit
		}
	}
	return s
}

// breakOrder finds by place, but for those of the tail among themselves, which earlier places' vertices each one's is greater than, and how many
// solutions one stands for (Grochow and Kellis): it is greater than those of the earlier places to which an automorphism moves it that leaves
// those before them where they are.
func (d *denseFinder) breakOrder(tail int) (above [mostDense]uint8, n uint64) {
	n = 1
	var still []int
	for place := range d.n - tail {
		orbit := 1
		for other := place + 1; other < d.n; other++ {
			if d.moves(append(still, other)) {
				above[other] |= 1 << place
				orbit++
			}
		}
		n *= uint64(orbit)
		still = append(still, place)
	}
	return above, n
}

// moves reports whether an automorphism moves the first places so; where different query vertices may bind one vertex, one that exchanges
// only vertices with the same neighbours that are neighbours themselves.
func (d *denseFinder) moves(image []int) bool {
	for place, to := range image {
		if !d.mayFollow(image[:place], to) {
			return false
		}
	}
	return d.extends(image)
}

// extends reports whether an automorphism begins so.
func (d *denseFinder) extends(image []int) bool {
	if len(image) == d.n {
		return true
	}
	for to := range d.n {
		if d.mayFollow(image, to) && d.extends(append(image, to)) {
			return true
		}
	}
	return false
}

// mayFollow reports whether the next place may be moved so, after those before it.
func (d *denseFinder) mayFollow(image []int, to int) bool {
	slots, place := d.best.Slots, len(image)
	if slices.Contains(image, to) || !d.mayStandFor(slots[place], slots[to]) {
		return false
	}
	for k, was := range image {
		if d.near[slots[place]]>>slots[k]&1 != d.near[slots[to]]>>slots[was]&1 || d.absent[slots[place]]>>slots[k]&1 != d.absent[slots[to]]>>slots[was]&1 {
			return false
		}
	}
	return true
}

func (d *denseFinder) mayStandFor(v, w int) bool {
	if d.Plan.Query.Semantics.Injective() {
		return true
	}
	return d.near[v]|1<<v == d.near[w]|1<<w
}

// terms are those of vertices of the tail, given by the sets that they are of. Different vertices in different places are those in any,
// less those of which some are the same: a sum over the ways to split the places into parts whose vertices are the same, each part of k a
// factor of (-1)^(k-1) (k-1)!.
func terms(classes []int, injective bool) (all []DenseTerm) {
	var parts [][]int
	var split func(i int)
	split = func(i int) {
		if i == len(classes) {
			all = addTerm(all, classes, parts)
			return
		}
		if injective {
			for p := range parts {
				parts[p] = append(parts[p], i)
				split(i + 1)
				parts[p] = parts[p][:len(parts[p])-1]
			}
		}
		parts = append(parts, []int{i})
		split(i + 1)
		parts = parts[:len(parts)-1]
	}
	split(0)
	return all
}

func addTerm(all []DenseTerm, classes []int, parts [][]int) []DenseTerm {
	t := DenseTerm{Factor: 1}
	for _, part := range parts {
		set := uint8(0)
		for k, i := range part {
			set |= 1 << classes[i]
			t.Factor *= -int64(max(k, 1))
		}
		t.Factor = -t.Factor // of the first member
		t.Sizes = append(t.Sizes, set)
	}
	slices.Sort(t.Sizes)
	for i := range all {
		if slices.Equal(all[i].Sizes, t.Sizes) {
			all[i].Factor += t.Factor
			return all
		}
	}
	return append(all, t)
}
