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
	if err := move(larger, s, ended); err != nil {
		return s, err
	}
	return larger, nil
}

// move copies a slice piece by piece, as long as the query goes on.
func move[T any](to, from []T, ended limits.Ended) error {
	for at := 0; at < len(from); at += movedAtOnce {
		copy(to[at:], from[at:min(at+movedAtOnce, len(from))])
		if err := ended.Err(); err != nil {
			return err
		}
	}
	return nil
}
