package match

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPatternsAreOneWhereVerticesMayBeExchanged compares with trying every exchange of the vertices.
func TestPatternsAreOneWhereVerticesMayBeExchanged(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(rt, "vertices")
		near, absent := drawEdges(rt, n)
		one := newTerm(near, absent)
		order := rapid.Permutation(orderOf(n)).Draw(rt, "exchange")
		exchanged := newTerm(exchange(near, order), exchange(absent, order))
		if !one.maps(&exchanged, n, nil) {
			rt.Errorf("%v is not found to be %v", one, exchanged)
		}
		near, absent = exchange(near, order), exchange(absent, order)
		if v, w := rapid.IntRange(0, n-1).Draw(rt, "v"), rapid.IntRange(0, n-1).Draw(rt, "w"); v != w {
			near[v], near[w] = near[v]^1<<w, near[w]^1<<v
			absent[v], absent[w] = absent[v]&^(1<<w), absent[w]&^(1<<v)
		}
		if v, w := rapid.IntRange(0, n-1).Draw(rt, "from"), rapid.IntRange(0, n-1).Draw(rt, "to"); v != w {
			near[v], near[w] = near[v]^1<<w, near[w]^1<<v
			absent[v], absent[w] = absent[v]&^(1<<w), absent[w]&^(1<<v)
		}
		other := newTerm(near, absent)
		want := false
		permute(orderOf(n), 0, func(order []int) {
			want = want || exchange(one.near, order) == other.near && exchange(one.absent, order) == other.absent
		})
		if got := one.maps(&other, n, nil); got != want {
			rt.Errorf("%v and %v are one: %v, want %v", one, other, got, want)
		}
	})
}

// drawEdges draws which of n vertices are neighbours, and which must not be.
func drawEdges(t *rapid.T, n int) (near, absent [mostDense]uint8) {
	for v := range n {
		for w := range v {
			switch rapid.IntRange(0, 2).Draw(t, "edge") {
			case 0:
				near[v], near[w] = near[v]|1<<w, near[w]|1<<v
			case 1:
				absent[v], absent[w] = absent[v]|1<<w, absent[w]|1<<v
			}
		}
	}
	return near, absent
}

func orderOf(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// exchange puts order[v] in the place of each vertex v.
func exchange(edges [mostDense]uint8, order []int) (out [mostDense]uint8) {
	for v, to := range order {
		for w, other := range order {
			out[to] |= edges[v] >> w & 1 << other
		}
	}
	return out
}

// permute calls do with every order that begins with the first k.
func permute(order []int, k int, do func([]int)) {
	if k == len(order) {
		do(order)
		return
	}
	for i := k; i < len(order); i++ {
		order[k], order[i] = order[i], order[k]
		permute(order, k+1, do)
		order[k], order[i] = order[i], order[k]
	}
}
