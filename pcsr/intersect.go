package pcsr

const (
	// gallopRatio is how many times longer one list must be before searching it beats merging, denseRatio how many times where it
	// has nearly all numbers of a range.
	gallopRatio, denseRatio = 16, 3
	// leastDense is the shortest list that is looked at for that.
	leastDense = 64
)

// Contains reports whether v is in an ascending list.
func Contains(list []Vertex, v Vertex) bool {
	i := searchFrom(list, v)
	return i < len(list) && list[i] == v
}

// Intersect appends to dst the members of both ascending lists without repeats, ascending. It merges lists of similar
// length and gallops through the longer one otherwise. dst may be a[:0] or b[:0].
func Intersect(dst, a, b []Vertex) []Vertex {
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(b) > denseRatio*len(a) && isDense(b):
		return intersectDense(dst, a, b)
	case len(b) > gallopRatio*len(a):
		return intersectGallop(dst, a, b)
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		if x == y {
			dst = append(dst, x)
		}
		i += oneIf(x <= y) // without a branch: which side moves cannot be foreseen
		j += oneIf(y <= x)
	}
	return dst
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

func intersectGallop(dst, short, long []Vertex) []Vertex {
	for _, v := range short {
		long = long[Gallop(long, v):]
		if len(long) == 0 {
			break
		}
		if long[0] == v {
			dst = append(dst, v)
		}
	}
	return dst
}

// isDense reports whether the middle half of a list has most numbers of a range. The members of a class do: their numbers follow
// each other but for those that came or went later.
func isDense(list []Vertex) bool {
	n := len(list)
	return n >= leastDense && int(list[n/4*3]-list[n/4]) <= n/2+n/8
}

// intersectDense is intersectGallop for a long list that isDense. A member that is n above another stands at most n places behind it, and
// just there where no number between them is missing.
func intersectDense(dst, short, long []Vertex) []Vertex {
	for _, v := range short {
		if len(long) == 0 {
			break
		}
		if v < long[0] {
			continue
		}
		at := int(v - long[0])
		if at >= len(long) || long[at] != v {
			at = searchBack(long, v, min(at, len(long)))
		}
		if long = long[at:]; len(long) > 0 && long[0] == v {
			dst = append(dst, v)
		}
	}
	return dst
}

// searchBack returns the number of members of an ascending list that are below v, which is at most end, in time logarithmic in how far
// it is from there.
func searchBack(list []Vertex, v Vertex, end int) int {
	low, step := end, 1
	for low > 0 && list[low-1] >= v {
		end = low - 1
		low = max(0, end-step)
		step *= 2
	}
	return low + searchFrom(list[low:end], v)
}

// Gallop returns the number of leading members of an ascending list that are below v, in time logarithmic in the
// result: the way to move a cursor forward.
func Gallop(list []Vertex, v Vertex) int {
	if len(list) == 0 || list[0] >= v {
		return 0
	}
	low, step := 0, 1 // list[low] < v
	for low+step < len(list) && list[low+step] < v {
		low += step
		step *= 2
	}
	high := min(low+step, len(list))
	return low + 1 + searchFrom(list[low+1:high], v)
}

// Between returns the part of an ascending list with low ≤ v < high; high 0 means no bound.
func Between(list []Vertex, low, high Vertex) []Vertex {
	if len(list) > 0 && list[0] < low {
		list = list[searchFrom(list, low):]
	}
	if high > 0 && len(list) > 0 && list[len(list)-1] >= high {
		list = list[:searchFrom(list, high)]
	}
	return list
}

// searchFrom returns the number of members of an ascending list that are below v.
func searchFrom(list []Vertex, v Vertex) int {
	low, n := 0, len(list)
	for n > 0 {
		half := n / 2
		if list[low+half] < v {
			low += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return low
}
