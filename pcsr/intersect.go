package pcsr

const (
	// gallopRatio is how many times longer one list must be before searching it beats merging, denseRatio how many times where it
	// has nearly all numbers of a range.
	gallopRatio, denseRatio = 16, 3
	// leastDense is the shortest list that is looked at for that.
	leastDense = 64
	// runRatio is how many members the shorter list has for each gap of the other from which whole runs without a gap are taken.
	runRatio = 24
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
	case len(a) >= runRatio && hasRuns(b, len(a)):
		return intersectRuns(dst, a, b)
	case hasRuns(a, len(a)):
		return intersectRuns(dst, b, a)
	case len(b) > denseRatio*len(a) && IsDense(b):
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

// IsDense reports whether the middle half of an ascending list has most numbers of a range, so that its members are found without a
// search. The members of a class do: their numbers follow each other but for those that came or went later.
func IsDense(list []Vertex) bool {
	n := len(list)
	return n >= leastDense && gaps(list) <= n/8
}

// gaps is how many numbers are missing in the middle half of a list.
func gaps(list []Vertex) int {
	n := len(list)
	return int(list[n/4*3]-list[n/4]) - (n/4*3 - n/4)
}

// hasRuns reports whether an intersection with a list of so many members had better take the runs of this one.
func hasRuns(list []Vertex, members int) bool {
	return len(list) >= leastDense && runRatio*(2*gaps(list)+1) <= members
}

// intersectRuns takes what lies in a run of the second list from the first one as it is.
func intersectRuns(dst, list, runs []Vertex) []Vertex {
	for len(list) > 0 {
		runs = runs[Gallop(runs, list[0]):]
		if len(runs) == 0 {
			break
		}
		list = list[Gallop(list, runs[0]):]
		n := runLength(runs)
		end := Gallop(list, runs[0]+Vertex(n))
		dst, list, runs = append(dst, list[:end]...), list[end:], runs[n:]
	}
	return dst
}

// runLength is how many members of an ascending list follow each other without a gap from its first on, found in time logarithmic in that.
func runLength(list []Vertex) int {
	n, step := 1, 1
	for n+step <= len(list) && list[n+step-1]-list[0] == Vertex(n+step-1) {
		n += step
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if n+step <= len(list) && list[n+step-1]-list[0] == Vertex(n+step-1) {
			n += step
		}
	}
	return n
}

// intersectDense is intersectGallop for a long list that IsDense. A member that is n above another stands at most n places behind it, and
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
