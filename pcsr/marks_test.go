package pcsr

import (
	"testing"

	"pgregory.net/rapid"
)

// TestMarksOfRowsAreThoseOfEachVertex adds the rows of keys, word by word, and the vertices one by one.
func TestMarksOfRowsAreThoseOfEachVertex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var rows, each marks
		for range rapid.IntRange(1, 3).Draw(rt, "times") {
			var keys []uint64
			v := Vertex(0)
			for range rapid.IntRange(0, 100).Draw(rt, "rows") {
				v += Vertex(rapid.SampledFrom([]int{0, 1, 1, 2, 31, 32, 33, markBits, 3 * markBits}).Draw(rt, "step"))
				keys = append(keys, edgeKey(v, 7))
				each.add(v)
			}
			rows.addRows(keys)
		}
		var got, want []Vertex
		rows.each(func(v Vertex) { got = append(got, v) })
		each.each(func(v Vertex) { want = append(want, v) })
		if len(got) != len(want) || rows.count.Load() != int64(len(want)) || each.count.Load() != int64(len(want)) {
			rt.Fatalf("%d, counted %d; one by one %d, counted %d", len(got), rows.count.Load(), len(want), each.count.Load())
		}
		for i := range want {
			if got[i] != want[i] || !rows.has(want[i]) {
				rt.Fatalf("%v, want %v", got, want)
			}
		}
	})
}

// TestPagesOfKeysAreMade: those of the rows of keys, and no others.
func TestPagesOfKeysAreMade(t *testing.T) {
	var m marks
	rows := []Vertex{0, 5, markBits - 1, markBits, 3*markBits + 1, 3*markBits + 7, 1<<22 - 1}
	var keys []uint64
	for _, v := range rows {
		keys = append(keys, edgeKey(v, 0), edgeKey(v, noVertex))
	}
	m.havePages(keys)
	made := 0
	for page := range Vertex(1 << 22 / markBits) {
		if m.page(page*markBits) != nil {
			made++
		}
	}
	if made != 4 {
		t.Errorf("%d pages were made", made)
	}
	m.havePages([]uint64{edgeKey(noVertex, noVertex)})
	if m.page(noVertex) == nil || m.count.Load() != 0 {
		t.Errorf("the last page is not there, or %d members are", m.count.Load())
	}
}
