package gpu

import (
	"math"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/kernels"
	"pgregory.net/rapid"
)

// TestWindowsHoldEveryPageOnce: each page that a link wants is in one of its windows, a window of each link fits the room, and each has its
// turn.
func TestWindowsHoldEveryPageOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		links := rapid.IntRange(1, kernels.MaxGrouped).Draw(t, "links")
		room := rapid.IntRange(0, 200).Draw(t, "room")
		of := &pagedLinks{}
		var wanted [][]int
		var hot []map[int]float64
		together := 0
		for range links {
			v := &view{paging: &paging{starts: make([]uint32, 301)}}
			pages := rapid.SliceOfNDistinct(rapid.IntRange(0, 299), 0, 300, rapid.ID).Draw(t, "pages")
			slices.Sort(pages)
			heats := map[int]float64{}
			for _, p := range pages {
				heats[p] = rapid.Float64Range(0, 1e9).Draw(t, "heat")
			}
			of.views, of.cells, of.links = append(of.views, v), append(of.cells, of.count), append(of.links, uint32(len(of.links)))
			of.count += 300
			wanted, hot = append(wanted, pages), append(hot, heats)
			together += len(pages)
		}
		w := divide(wanted, hot, together, room, rapid.SampledFrom([]int{0, 3 * room / 8}).Draw(t, "stay"), of)
		if w.portions > mostPortions {
			t.Fatalf("%d portions", w.portions)
		}
		if w.portions == 1 {
			return
		}
		for i := range wanted {
			if got := slices.Sorted(slices.Values(slices.Concat(w.of[i]...))); !slices.Equal(got, wanted[i]) {
				t.Fatalf("link %d wants %v, its windows have %v", i, wanted[i], got)
			}
			for n, window := range w.of[i] {
				for _, page := range window {
					if got := w.adds[of.cells[i]+uint32(page)]; got != uint32(n*w.strides[i]) {
						t.Fatalf("page %d of link %d adds %d, its window is %d of stride %d", page, i, got, n, w.strides[i])
					}
				}
			}
		}
		for _, back := range []bool{false, true} {
			turns := w.turns(back)
			slices.Sort(turns)
			for i, portion := range turns {
				if i != portion || len(turns) != w.portions {
					t.Fatalf("the turns are %v of %d portions", turns, w.portions)
				}
			}
		}
	})
}

// TestKeptPagesAreThoseWantedMost: no more than find room, only such as are there or pay, none of those left out hotter; and lists in those are counted.
func TestKeptPagesAreThoseWantedMost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const pages, look = 40, 100
		of, counts := &pagedLinks{}, []uint32{}
		var wanted [][]int
		var hot []map[int]float64
		views := []*view{{paging: &paging{starts: make([]uint32, pages+1)}}, {paging: &paging{starts: make([]uint32, pages+1)}}}
		there, lists := map[pageOf]bool{}, uint64(0)
		for i := range rapid.IntRange(1, kernels.MaxGrouped).Draw(t, "links") {
			v := views[rapid.IntRange(0, 1).Draw(t, "view")]
			for page := range pages {
				v.starts[page+1] = uint32(page+1) * 10 // 72 bytes each
			}
			of.views, of.cells, of.links = append(of.views, v), append(of.cells, of.count), append(of.links, uint32(i))
			of.count += pages
			want, heats := rapid.SliceOfNDistinct(rapid.IntRange(0, pages-1), 0, pages, rapid.ID).Draw(t, "pages"), map[int]float64{}
			counts = append(counts, make([]uint32, pages)...)
			for _, p := range want {
				n := rapid.Uint32Range(1, 9).Draw(t, "rows")
				counts[of.cells[i]+uint32(p)], lists = n, lists+uint64(n)
				heats[p] = float64(7919*p%pages) / 10 // the same for all links of a view
				there[pageOf{v, p}] = p%3 == 0
			}
			wanted, hot = append(wanted, want), append(hot, heats)
		}
		room := rapid.IntRange(0, 2*pages).Draw(t, "room")
		others := rapid.SliceOfN(rapid.Float64Range(0, 5), 0, 2*pages).Draw(t, "of others")
		w, flat := keep(of, counts, wanted, hot, there, slices.Clone(others), room, func(*view) float64 { return look })
		stays, least := map[pageOf]bool{}, math.Inf(1)
		for i, v := range of.views {
			for _, p := range w.of[i][0] {
				stays[pageOf{v, p}], least = true, min(least, hot[i][p])
				lists -= uint64(counts[of.cells[i]+uint32(p)])
			}
		}
		if len(stays) > room || w.portions != 1 || flat.lists != lists || flat.bytes != look*float64(lists) {
			t.Fatalf("%d pages with room for %d, %d portions, %+v, want %d lists", len(stays), room, w.portions, flat, lists)
		}
		for i, v := range of.views {
			for _, p := range wanted[i] {
				pays, before := there[pageOf{v, p}] || hot[i][p]*look >= float64(v.bytes(p)), len(stays)
				for _, h := range others {
					if h > hot[i][p] {
						before++
					}
				}
				if in := stays[pageOf{v, p}]; in && !pays || !in && pays && (before < room || hot[i][p] > least) {
					t.Fatalf("page %d of heat %g stays: %v; it pays: %v; %d of %d stay, of %g at least", p, hot[i][p], in, pays, len(stays), room, least)
				}
			}
		}
	})
}
