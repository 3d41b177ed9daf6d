package cpu

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestMarksKeepMemory compares the bitmaps of lists that come often with the lists, and sees that those of the next run are made in the same memory,
// which nothing of the last one is left in.
func TestMarksKeepMemory(t *testing.T) {
	lists := [][]pcsr.Vertex{{3, 64, 700}, {5, 900}, {1, 2, 800, 901}}
	var c scratch
	serve := func() {
		for _, list := range lists {
			for seen := 1; seen < 4; seen++ {
				b := c.marked(list, 3)
				if (b != nil) != (seen == 3) {
					t.Fatalf("%v, seen %d times: bitmap %v", list, seen, b)
				}
				if b == nil {
					continue
				}
				for v := range pcsr.Vertex(1000) {
					if in := b.count([]pcsr.Vertex{v}) == 1; in != pcsr.Contains(list, v) {
						t.Fatalf("%v: %d in its bitmap: %v", list, v, in)
					}
				}
			}
		}
		for i := range c.marks {
			if c.marks[i].forget(); c.marks[i].list != nil {
				t.Fatal("a list is left")
			}
		}
	}
	serve()
	serve()
	if n := testing.AllocsPerRun(10, serve); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
