package pcsr

// Subtract appends to dst the members of a that are not in b. Both are ascending and without repeats. dst may be a[:0].
func Subtract(dst, a, b []Vertex) []Vertex {
	if len(a) == 0 {
		return dst
	}
	b = b[Gallop(b, a[0]):]
	for len(b) > 0 {
		n := Gallop(a, b[0])
		dst, a = append(dst, a[:n]...), a[n:]
		if len(a) == 0 {
			return dst
		}
		if a[0] == b[0] {
			a = a[1:]
		}
		if b = b[1:]; len(b) > 0 && len(a) > 0 && b[0] < a[0] {
			b = b[Gallop(b, a[0]):]
		}
	}
	return append(dst, a...)
}
