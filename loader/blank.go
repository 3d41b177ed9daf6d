package loader

import "strconv"

// Blank nodes of different inputs are different nodes, whatever their labels (RDF 1.1 Concepts, section 3.4).
// Input number k > 0 puts its scope, "f<k>_", before its labels; input 0 keeps its labels as they are, except that a
// label which looks scoped gets the scope "f0_". So two labels of different inputs never meet, and nobody who loads a
// single file sees other labels than his own.

// blankScope is the scope of input number k.
func blankScope(k int) string {
	if k == 0 {
		return ""
	}
	return "f" + strconv.Itoa(k) + "_"
}

// scopeOf returns the number in a label that looks scoped.
func scopeOf[T string | []byte](label T) (k int, ok bool) {
	if len(label) < 3 || label[0] != 'f' {
		return 0, false
	}
	i := 1
	for i < len(label) && label[i] >= '0' && label[i] <= '9' && i < 10 {
		k = k*10 + int(label[i]-'0')
		i++
	}
	return k, i > 1 && i < len(label) && label[i] == '_'
}

func scoped[T string | []byte](label T) bool {
	_, ok := scopeOf(label)
	return ok
}

// appendLabel appends a label with its scope.
func appendLabel[T string | []byte](dst []byte, scope string, label T) []byte {
	if scope == "" && scoped(label) {
		scope = "f0_"
	}
	dst = append(dst, scope...)
	return append(dst, label...)
}

// A document with anonymous blank nodes calls them b1, b2, …; a label of its own that looks like that, or like the
// outcome of this rule, gets an x in front.

func anonymousLabel(n int) string { return "b" + strconv.Itoa(n) }

func ownLabel(label string) string {
	i := 0
	for i < len(label) && label[i] == 'x' {
		i++
	}
	if i+1 >= len(label) || label[i] != 'b' {
		return label
	}
	for _, c := range label[i+1:] {
		if c < '0' || c > '9' {
			return label
		}
	}
	return "x" + label
}
