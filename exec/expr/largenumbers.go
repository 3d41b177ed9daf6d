package expr

import (
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// largeNumbers are those of groups that are no small integers, by places that are counted from 1.
type largeNumbers struct {
	values []dictionary.Value
	big    int64 // bytes of those of more than 64 bits, which may have thousands of digits
}

// add keeps one more and returns its place.
func (n *largeNumbers) add(v *dictionary.Value) (place uint32) {
	n.values = append(n.values, *v)
	n.big += ofBig(v)
	return uint32(len(n.values))
}

func (n *largeNumbers) at(place uint32) *dictionary.Value { return &n.values[place-1] }

// set replaces one.
func (n *largeNumbers) set(place uint32, v *dictionary.Value) {
	old := &n.values[place-1]
	n.big += ofBig(v) - ofBig(old)
	*old = *v
}

// clear forgets all.
func (n *largeNumbers) clear() { n.values, n.big = n.values[:0], 0 }

func (n *largeNumbers) bytes() int64 {
	return int64(cap(n.values))*int64(unsafe.Sizeof(dictionary.Value{})) + n.big
}

// ofBig is what a number takes beside its Value.
func ofBig(v *dictionary.Value) int64 {
	if v.Big == nil {
		return 0
	}
	return int64(bigBytes(v.Big))
}
