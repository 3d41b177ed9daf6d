package vector

import "github.com/rdfgpu/rdfgpu/exec/limits"

// movedAtOnce is how many elements of a slice move without a look at anything else.
const movedAtOnce = 1 << 16

// Room is s with room for n elements more. A large slice moves piece by piece: the runtime would move it at once, and meanwhile neither
// start a collection nor give its thread to anybody else. Where memory comes slowly, as in a virtual machine whose host has taken it back, 60 MB
// took a quarter of a second. It fails where the query ends meanwhile.
func Room[T any](s []T, n int, ended limits.Ended) ([]T, error) {
	if cap(s)-len(s) >= n || len(s) < movedAtOnce {
		return s, nil
	}
	larger := make([]T, len(s), len(s)+max(len(s)/4, n))
	for at := 0; at < len(s); at += movedAtOnce {
		copy(larger[at:], s[at:min(at+movedAtOnce, len(s))])
		if ended != nil {
			if err := ended(); err != nil {
				return s, err
			}
		}
	}
	return larger, nil
}
