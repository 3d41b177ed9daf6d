package cpu

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestMarksKeepMemory compares the bitmaps of lists that come often with the lists, and sees that those of the next run are made in the same memory,
// which nothing of the last one is left in: those of each worker, and those that workers have in common.
func TestMarksKeepMemory(t *testing.T) {
	lists := [][]pcsr.Vertex{{3, 64, 700}, {5, 900}, {1, 2, 800, 901}, {2, 40000}}
	for _, alone := range []bool{true, false} {
		var c scratch
		w := &worker{tuning: &tuning{oftenMark: 3, sparseBits: 64}, run: &run{matcher: New()}, alone: alone}
		serve := func() {
			for _, list := range lists {
				for seen := 1; seen < 4; seen++ {
					b := w.marked(&c, list)
					if (b != nil) != (seen == 3) {
						t.Fatalf("%v, seen %d times: bitmap %v", list, seen, b)
					}
					if b == nil {
						continue
					}
					for v := range pcsr.Vertex(41000) {
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
		w.run.dropHubs()
		serve()
		if n := testing.AllocsPerRun(10, serve); n > 0 {
			t.Errorf("alone %v: %v allocations", alone, n)
		}
	}
}

// TestBitmapsOfFew looks random lists up in bitmaps with one bit for as many vertices as there may be.
func TestBitmapsOfFew(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]pcsr.Vertex{200, 70000, 1<<32 - 2}).Draw(t, "most")
		draw := func(label string) []pcsr.Vertex {
			list := rapid.SliceOfN(rapid.Uint32Range(0, most), 1, 60).Draw(t, label)
			slices.Sort(list)
			return slices.Compact(list)
		}
		tuning := &tuning{sparseWords: rapid.IntRange(0, 3).Draw(t, "words"), sparseBits: rapid.SampledFrom([]int{1 << 12, 1 << 16, 1 << 20}).Draw(t, "bits")}
		var b bitmap
		for range 2 {
			list, other := draw("list"), draw("looked up")
			other = append(other, list[rapid.IntRange(0, len(list)-1).Draw(t, "member")])
			slices.Sort(other)
			other = slices.Compact(other)
			b.setFew(list, tuning)
			want := pcsr.Intersect(nil, other, list)
			if got := b.count(other); got != len(want) {
				t.Fatalf("%d of %v are in %v, want %d", got, other, list, len(want))
			}
			if got := b.filter(nil, other); !slices.Equal(got, want) {
				t.Fatalf("%v of %v are in %v, want %v", got, other, list, want)
			}
			b.clear(list)
			for i, word := range b.words[:cap(b.words)] {
				if word != 0 {
					t.Fatalf("word %d is %x after all", i, word)
				}
			}
		}
	})
}

// TestABitmapThatIsNotMadeIsKeptOnce, where whoever began it and another one let go of it, in either order; and what a worker that failed still holds is nobody's in the next run.
func TestABitmapThatIsNotMadeIsKeptOnce(t *testing.T) {
	t.Parallel()
	m := New()
	r := &run{matcher: m}
	c := &r.commonHubs().current
	begun := c.unused()
	begun.list = []pcsr.Vertex{5, 5000}
	begun.holders.Store(1)
	if !begun.hold() {
		t.Fatal("it is held by nobody")
	}
	begun.release()
	if c.spare[0].Load() != nil {
		t.Fatal("it is to be used again while somebody holds it")
	}
	begun.release()
	if c.spare[0].Load() != begun || c.spare[1].Load() != nil || begun.hold() {
		t.Fatal("it is not kept once")
	}
	list := []pcsr.Vertex{7, 8, 9}
	left := c.take(list, &tuning{sparseBits: 64})
	r.dropHubs()
	next := &run{matcher: m}
	if got := next.commonHubs().current.take(list, &tuning{sparseBits: 64}); got == nil || got == left || got.bits.count(list) != 3 {
		t.Error("a bitmap of the run before is found")
	}
}

// TestBitmapsInCommon: many workers want the bitmaps of lists, several at a time, and let go of them.
func TestBitmapsInCommon(t *testing.T) {
	t.Parallel()
	m := New()
	tuning := &tuning{sparseBits: 256}
	var lists [200][]pcsr.Vertex
	for i := range lists {
		for v := range pcsr.Vertex(50) {
			lists[i] = append(lists[i], pcsr.Vertex(i)+(v+1)*(pcsr.Vertex(i)%13*100+7))
		}
	}
	for range 3 {
		r := &run{matcher: m}
		c := &r.commonHubs().current
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				var held [3]*current
				for range 3000 {
					slot := &held[rand.IntN(len(held))]
					if *slot != nil {
						(*slot).release()
					}
					list := lists[rand.IntN(rand.IntN(len(lists))+1)]
					if *slot = c.take(list, tuning); *slot == nil {
						continue
					}
					odd := slices.Clone(list)
					for j := 1; j < len(odd); j += 2 {
						odd[j]++ // is in no list
					}
					if got := (*slot).bits.count(odd); got != len(list)/2 {
						t.Errorf("%d members of a list are found, want %d", got, len(list)/2)
						return
					}
				}
				for _, h := range held {
					if h != nil {
						h.release()
					}
				}
			})
		}
		all.Wait()
		for i := range c.places {
			if c.places[i].Load() != nil {
				t.Error("a list is left that nobody holds")
			}
		}
		for i := range c.spare {
			if s := c.spare[i].Load(); s != nil && (s.list != nil || s.made.Load() || s.holders.Load() != 0 || slices.ContainsFunc(s.bits.words[:cap(s.bits.words)], func(w uint64) bool { return w != 0 })) {
				t.Error("one that is to be used again is not empty")
			}
		}
		r.dropHubs()
	}
}
