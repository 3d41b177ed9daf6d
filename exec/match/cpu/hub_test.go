package cpu

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestHubsOfManyRunsKeepLittleMemory: runs that have other long lists each.
func TestHubsOfManyRunsKeepLittleMemory(t *testing.T) {
	t.Parallel()
	m := New()
	const words = 1 << 18 // of a bitmap
	for place := range uint32(200) {
		r := &run{matcher: m}
		h := r.commonHubs()
		for i := range uint32(3) {
			if list := []pcsr.Vertex{5, 64*words - 1}; h.add(list, 20*place+i, words) == nil {
				t.Fatal("there was no room for a list")
			}
		}
		r.dropHubs()
		if h := m.hubs.Load(); h != nil && h.room.Load() > hubRoom {
			t.Fatalf("after %d runs %d words are kept", place+1, h.room.Load())
		}
	}
}

// TestHubsAreMadeByOne: many want the bitmaps of the same lists, run after run.
func TestHubsAreMadeByOne(t *testing.T) {
	t.Parallel()
	m := New()
	for round := range 20 {
		r := &run{matcher: m}
		var made [32]atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for i := range made {
					list := make([]pcsr.Vertex, 0, 100)
					for v := range cap(list) {
						list = append(list, pcsr.Vertex(1000*i+(round+3)*v))
					}
					b := r.commonHubs().add(list, uint32(i), int64(len(list)))
					if b == nil {
						continue
					}
					made[i].Add(1)
					odd := slices.Clone(list)
					for j := 1; j < len(odd); j += 2 {
						odd[j]++ // is in no list
					}
					if got := b.filter(nil, odd); len(got) != len(list)/2 || got[0] != list[0] || got[1] != list[2] {
						t.Errorf("round %d: %d members of list %d are found, want %d", round, len(got), i, len(list)/2)
					}
				}
			})
		}
		all.Wait()
		for i := range made {
			if n := made[i].Load(); n != 1 {
				t.Errorf("round %d: the bitmap of list %d was made %d times", round, i, n)
			}
		}
		h := r.hubs.Swap(nil)
		h.drop()
		m.hubs.Store(h)
	}
}
