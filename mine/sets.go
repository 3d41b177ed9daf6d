package mine

// gallopAt is how many times longer one list is than the other before the longer one is searched in place of read: a search of
// 16 times as many reads some 5 of them, out of order.
const gallopAt = 16

// intersect appends to dst what two ascending lists have in common.
func intersect(dst, a, b []Vertex) []Vertex {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) > gallopAt*len(a) {
		return gallop(dst, a, b)
	}
	for len(a) > 0 && len(b) > 0 {
		switch v, w := a[0], b[0]; {
		case v < w:
			a = a[1:]
		case v > w:
			b = b[1:]
		default:
			dst = append(dst, v)
			a, b = a[1:], b[1:]
		}
	}
	return dst
}

// gallop intersects a short list with a long one.
func gallop(dst, short, long []Vertex) []Vertex {
	for _, v := range short {
		long = long[seek(long, v):]
		if len(long) == 0 {
			break
		}
		if long[0] == v {
			dst = append(dst, v)
		}
	}
	return dst
}

// seek is from, for what is likely to stand near the beginning.
func seek(list []Vertex, v Vertex) int {
	step := 1
	for step < len(list) && list[step] < v {
		step *= 2
	}
	low := step / 2
	return low + from(list[low:min(step+1, len(list))], v)
}

// subtract removes from an ascending list, in place, what is in another.
func subtract(list, gone []Vertex) []Vertex {
	kept := list[:0]
	for _, v := range list {
		gone = gone[seek(gone, v):]
		if len(gone) == 0 || gone[0] != v {
			kept = append(kept, v)
		}
	}
	return kept
}

// within is the part of an ascending list between two bounds, low among them and high not.
func within(list []Vertex, low, high uint64) []Vertex {
	if low > 0 {
		list = list[searchBound(list, low):]
	}
	if high < unbounded {
		list = list[:searchBound(list, high)]
	}
	return list
}

// unbounded is above every vertex.
const unbounded = 1 << 32

func searchBound(list []Vertex, bound uint64) int {
	if bound >= unbounded {
		return len(list)
	}
	return from(list, Vertex(bound))
}
