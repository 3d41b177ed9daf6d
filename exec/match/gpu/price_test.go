package gpu

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// lubmPlan plans the count of a query of LUBM.
func lubmPlan(t *testing.T, u *universities, g *pcsr.Graph, name string) *bgp.MatchPlan {
	t.Helper()
	i := slices.IndexFunc(lubmQueries, func(q struct{ name, text string }) bool { return q.name == name })
	p, err := bgp.Plan(context.Background(), u.pattern(lubmQueries[i].text), g, lookup, bgp.Options{CountOnly: true, Speed: bgp.GPUSpeed})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhatIsThereCostsNothing: once a query has run, nothing that the price counts is missing, classes whose members are a range included; and a query's
// price before is no less than what it brings.
func TestWhatIsThereCostsNothing(t *testing.T) {
	t.Parallel()
	u := &universities{scale: 2}
	g := u.graph(t)
	d := open(t, Options{})
	defer d.Close()
	for _, q := range lubmQueries {
		p := lubmPlan(t, u, g, q.name)
		before, copied := d.Price(g, p), d.partitions.copied
		if _, err := d.Count(t.Context(), &match.Match{Graph: g, Plan: p}); err != nil {
			t.Fatal(err)
		}
		if brought := float64(d.partitions.copied - copied); before < brought/bgp.GPUCopyBytes {
			t.Errorf("%s: %g bytes came, priced at %g", q.name, brought, before)
		}
		if after := d.Price(g, p); after != 0 {
			t.Errorf("%s: %g is missing after it ran", q.name, after)
		}
	}
}

// TestWhatIsPricedIsAllThatIsRead: a plan whose partitions were brought brings no others when it is matched.
func TestWhatIsPricedIsAllThatIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCase(rt)
		c.Changes = 0 // states of labels that came with changes take one another's place
		m, err := c.Match()
		if err != nil {
			rt.Fatal(err)
		}
		d := open(rt, Options{})
		defer d.Close()
		if err := d.bring(t.Context(), needsOf(m.Graph, m.Plan)); err != nil {
			rt.Fatal(err)
		}
		if price := d.Price(m.Graph, m.Plan); price != 0 {
			rt.Errorf("%g is missing of what was brought", price)
		}
		brought := maps.Clone(d.partitions.all)
		counts := rapid.Bool().Draw(rt, "counts")
		if m.Plan.Inputs > 0 || !Fits(m, counts) {
			return
		}
		if counts {
			_, err = d.Count(t.Context(), m)
		} else {
			err = d.Match(t.Context(), m, func(*match.Batch) error { return nil })
		}
		if err != nil && !errors.Is(err, match.ErrTooMany) {
			rt.Fatal(err)
		}
		for identity, l := range d.partitions.all {
			if brought[identity] == nil && l.entry.Rows > 0 { // words of signatures have none
				rt.Errorf("%+v was brought when the plan was matched", l.entry)
			}
		}
	})
}

// TestLengthsAreNotPricedAsCandidates: L2 ends with the members of a class among the neighbours of each name, which nobody enumerates.
func TestLengthsAreNotPricedAsCandidates(t *testing.T) {
	t.Parallel()
	u := &universities{scale: 2}
	g := u.graph(t)
	p := lubmPlan(t, u, g, "L2")
	if p.Cost < 20_000 {
		t.Fatalf("the plan costs %g", p.Cost)
	}
	d := open(t, Options{})
	defer d.Close()
	m := &match.Match{Graph: g, Plan: p, Trace: &match.Trace{}}
	n, err := d.Count(t.Context(), m)
	if err != nil || n < 2000 || m.Trace.Steps[0].Candidates > 1000 {
		t.Fatalf("%d, %v, %+v", n, err, m.Trace)
	}
	if o := Expect(g, p); o.Processor > p.Cost/2 || o.Processor < float64(m.Trace.Steps[0].Candidates) || o.Device-bgp.GPUCost > 2*bgp.GPUStepCost+o.Processor/bgp.GPUShare {
		t.Errorf("%+v, with %d candidates", o, m.Trace.Steps[0].Candidates)
	}
}

// TestWhatTheProcessorCountsApartIsNoProduct: four paths of two edges from one vertex are 10^15 rows for who joins them, and few lists for the processor.
func TestWhatTheProcessorCountsApartIsNoProduct(t *testing.T) {
	t.Parallel()
	c := &matchtest.Case{Vertices: 50, Labels: 1, TypeLabel: -1, Options: bgp.Options{CountOnly: true}}
	for v := range 2500 {
		c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(v / 50), To: pcsr.Vertex(v % 50)})
	}
	for i := range 4 {
		c.Patterns = append(c.Patterns, matchtest.Edge(0, 2*i+1, 0), matchtest.Edge(2*i+1, 2*i+2, 0))
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	m.Trace = &match.Trace{}
	n, err := matchtest.OnThreads(cpu.New(), 1).Count(t.Context(), m)
	if err != nil || n != 50*2500*2500*2500*2500 {
		t.Fatalf("%d, %v", n, err)
	}
	looked := 0.0
	for _, s := range m.Trace.Steps {
		looked += float64(s.Candidates)
	}
	if o := Expect(m.Graph, m.Plan); m.Plan.Cost < 1e9 || o.Processor < looked || o.Processor > 100*looked || o.Device < 1e7 {
		t.Errorf("%+v; the plan costs %g, the processor looked at %g candidates", o, m.Plan.Cost, looked)
	}
}

// TestCoresThatAreAwayArePricedByWhatComes: of cliques in a graph of communities, what is brought to the device costs what it has bytes, and less room costs more; the
// processor's price is that of neighbourhoods too.
func TestCoresThatAreAwayArePricedByWhatComes(t *testing.T) {
	t.Parallel()
	var edges []pcsr.Edge
	const communities, members = 30, 24
	for v := range pcsr.Vertex(communities * members) {
		for w := v - v%members; w < v-v%members+members; w++ {
			if v != w {
				edges = append(edges, pcsr.Edge{From: v, To: w})
			}
		}
	}
	g, err := pcsr.Build(communities*members, 1, edges)
	if err != nil {
		t.Fatal(err)
	}
	q := pattern{name: "clique of 4"}
	for _, e := range []string{"ab", "ac", "ad", "bc", "bd", "cd"} {
		q.triples = append(q.triples, parser.TriplePattern{Subject: parser.PatternTerm{Variable: e[:1]}, Predicate: term(0), Object: parser.PatternTerm{Variable: e[1:]}})
	}
	plan, err := q.plan(g, bgp.Isomorphism, true)
	if err != nil {
		t.Fatal(err)
	}
	plan.Cost = max(plan.Cost, bgp.DensePrice*float64(len(edges)))
	m := &match.Match{Graph: g, Plan: plan, Trace: &match.Trace{}}
	whole := open(t, Options{})
	defer whole.Close()
	if o := whole.Expect(g, plan); o != Expect(g, plan) {
		t.Errorf("%+v where all finds room, %+v of the plan", o, Expect(g, plan))
	}
	last := 0.0
	for _, room := range []int64{1 << 20, 20 << 10, 5 << 10, 1} {
		d := open(t, Options{tuning: tuning{inPages: true, page: 512, coreRoom: room}})
		defer d.Close()
		d.options.AnyCost = true // the lists are made at once
		count(t, d, m, communities*members*(members-1)*(members-2)*(members-3))
		pieces, ok := match.Lower(m, true, match.Tuning{}).PieceCost()
		bytes, copied := d.awayBytes(g, match.Lower(m, true, match.Tuning{}).Dense, pieces), float64(d.pages.loaded)
		if !ok || bytes <= last || bytes < 0.9*copied || room == 1<<20 && bytes > 1.1*copied+100 {
			t.Errorf("%d bytes of room: %g bytes are expected, with more room %g; %g came; %v", room, bytes, last, copied, ok)
		}
		last = bytes
		if o := d.Expect(g, plan); o.Processor > pieces.Processor/pieceShare || o.Processor <= 0 || o.Device < bgp.GPUCost+bytes/bgp.GPUPageBytes {
			t.Errorf("%+v; %+v", o, pieces)
		}
	}
}

// TestPartsArePricedByWhatComes: triangles in parts cost no less than what they bring over the bus for each block and a launch for each chunk, less with more
// room, and are not counted so where there is too little.
func TestPartsArePricedByWhatComes(t *testing.T) {
	t.Parallel()
	m, want := ringTriangles(t, 2000)
	last := math.Inf(1)
	for _, room := range []int64{16 << 10, 32 << 10, 128 << 10} {
		d := open(t, Options{tuning: tuning{inPages: true, tripleRoom: room, Tuning: match.Tuning{AnyCost: true}}})
		before := d.pages.loaded
		count(t, d, m, want)
		copied, price := d.pages.loaded-before, d.partsCost(m.Graph, m.Plan.Steps[1].Links[0].Label.Constant)
		if bus := float64(copied) / bgp.GPUPageBytes; copied == 0 || price < bus/2+partLaunch || price >= last {
			t.Errorf("%d bytes of room: %d came, priced at %g, with less room at %g", room, copied, price, last)
		}
		if o := d.Expect(m.Graph, m.Plan); o.Device < price {
			t.Errorf("%+v, and %g for the parts", o, price)
		}
		last = price
		d.options.tripleRoom = 1
		if none := d.partsCost(m.Graph, m.Plan.Steps[1].Links[0].Label.Constant); none != 0 {
			t.Errorf("%g with no room", none)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPagesArePricedByWhatComes: of a partition in pages, what is not there, but no more than the lists that are looked at.
func TestPagesArePricedByWhatComes(t *testing.T) {
	t.Parallel()
	m := ring(t, 300)
	d := open(t, Options{tuning: tuning{inPages: true, page: 512, swept: true, Tuning: match.Tuning{AnyCost: true}}})
	defer d.Close()
	part := m.Graph.Partition(m.Plan.Steps[1].Links[0].Label.Constant, m.Plan.Steps[1].Links[0].Dir)
	if cold := d.Price(m.Graph, m.Plan); cold < float64(part.Bytes())/bgp.GPUCopyBytes {
		t.Errorf("%g before anything is there", cold)
	}
	if err := d.bring(t.Context(), needsOf(m.Graph, m.Plan)); err != nil {
		t.Fatal(err)
	}
	there, pages := d.partitions.paged(part)
	if !there || pages == nil {
		t.Fatal("it is not read in pages")
	}
	all, sweep := d.partitions.price(part, everyList, 1), float64(4*part.Edges())/bgp.GPUPageBytes
	if all < sweep || all > 1.5*sweep+1000 {
		t.Errorf("all pages at %g, %d edges", all, part.Edges())
	}
	if three := d.partitions.price(part, everyList, 3); math.Abs(three-3*all) > 1e-6 {
		t.Errorf("three times at %g, once %g", three, all)
	}
	if few := d.partitions.price(part, looks{2, 10}, 1); few >= all || few != 2*pages.lookBytes(5)/bgp.GPUPageBytes {
		t.Errorf("two lists at %g, all at %g", few, all)
	}
	was := d.lanes.most
	d.lanes.most = 1 // a sweep for each row
	once := d.Price(m.Graph, m.Plan)
	d.options.buffers = 1
	if swept := d.Price(m.Graph, m.Plan); once > 2*all || swept <= 2*all {
		t.Errorf("the plan at %g where all pages find room together, at %g where they do not; all pages at %g", once, swept, all)
	}
	d.lanes.most, d.options.buffers = was, 0
	count(t, d, m, 300*8*8*8)
	if warm := d.partitions.price(part, everyList, 1); warm != 0 {
		t.Errorf("%g with all pages there", warm)
	}
}

// TestPagesStayWhereListsAreShort: L7 with room for a part of its pages copies none once those wanted most are there; it sweeps over them where it must, and
// beside others.
func TestPagesStayWhereListsAreShort(t *testing.T) {
	t.Parallel()
	u := &universities{scale: 3}
	g := u.graph(t)
	p := lubmPlan(t, u, g, "L7")
	for _, way := range []string{"stay", "swept", "crowd"} {
		swept := way == "swept"
		d := open(t, Options{tuning: tuning{inPages: true, page: 4 << 10, buffers: 40, scattered: 1 << 20, swept: swept, Tuning: match.Tuning{AnyCost: true}}})
		m := &match.Match{Graph: g, Plan: p, Trace: &match.Trace{}}
		var copied []int64
		var want uint64
		for i := range 6 {
			before := d.pages.loaded
			if way == "crowd" {
				d.lanes.mu.Lock()
				d.lanes.crowded = time.Now().Add(time.Hour)
				d.lanes.mu.Unlock()
			}
			n, err := d.Count(t.Context(), m)
			if err != nil || i > 0 && n != want {
				t.Fatalf("%d, %v; before %d", n, err, want)
			}
			want, copied = n, append(copied, d.pages.loaded-before)
		}
		last := copied[len(copied)-1]
		if stays := way == "stay"; !stays && last == 0 || stays && (last > 0 || slices.Max(copied) == 0) {
			t.Errorf("%s: the counts copied %d bytes: %s", way, copied, m.Trace.Steps[2].Variant)
		}
		unpinned(t, d)
	}
}

// choiceOf is what auto chooses where the device is open, by what was seen: that, or the processor (internal/backend).
func choiceOf(d *Device, g *pcsr.Graph, p *bgp.MatchPlan) func(Seen) bool {
	o, price := d.Expect(g, p), d.Price(g, p)
	return func(seen Seen) bool {
		if seen == (Seen{}) && p.Cost <= bgp.GPUCost {
			return false
		}
		_, now := o.Pays(seen, func() float64 { return price })
		return now
	}
}

// atFirst tells what a count takes as auto chooses where nothing was seen of it, in milliseconds, from what both sides take: the processor, or the device and, when the
// patience with it is over, the processor besides; and whether it begins on the device.
func atFirst(d *Device, g *pcsr.Graph, p *bgp.MatchPlan) (takes func(device, processor float64) float64, there bool) {
	if !choiceOf(d, g, p)(Seen{}) {
		return func(_, processor float64) float64 { return processor }, false
	}
	patience := matchtest.Milliseconds(d.Expect(g, p).Patience(Seen{}, d.Price(g, p)))
	return func(device, processor float64) float64 { return min(device, patience+processor) }, true
}

// paysAtLast is what auto chooses once it has seen what the sides that it tried took, in milliseconds: there chooses.
func paysAtLast(there func(Seen) bool, device, processor float64) bool {
	seen := Seen{}
	for range 3 {
		if there(seen) {
			seen.Device = time.Duration(device * float64(time.Millisecond))
		} else {
			seen.Processor = time.Duration(processor * float64(time.Millisecond))
		}
	}
	return there(seen)
}

// TestWhatWasSeenIsBelieved: of two sides that were seen the quicker one is taken, whatever is expected, and what is wrong by less than surprise changes nothing.
func TestWhatWasSeenIsBelieved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cost := func(name string) float64 { return rapid.Float64Range(1, 1e7).Draw(t, name) }
		o, price := Outlook{Processor: cost("processor"), Device: bgp.GPUCost + cost("device")}, rapid.SampledFrom([]float64{0, 1e3, 1e6}).Draw(t, "price")
		pays := func(s Seen) bool {
			_, now := o.Pays(s, func() float64 { return price })
			return now
		}
		in := func(cost float64) time.Duration { return time.Duration(cost) * candidateTime }
		here, there := in(cost("processor took")), in(cost("device took"))
		if both := pays(Seen{here, there}); both != (here > there && (price <= float64(there/candidateTime) || here > there+in(price))) {
			t.Fatalf("%v and %v, price %g: %v", here, there, price, both)
		}
		if chosen := pays(Seen{}); chosen != (o.Processor > o.Device+price) {
			t.Fatalf("%+v, price %g: %v", o, price, chosen)
		} else if !chosen && here < surprise*in(o.Device-bgp.GPUCost+bgp.GPULaunchCost+price) && pays(Seen{Processor: here}) || chosen && price == 0 && there < surprise*in(o.Processor) && !pays(Seen{Device: there}) {
			t.Fatalf("%+v: another side is tried after %v here, %v there", o, here, there)
		}
	})
}

// TestRowsThatDifferArePricedAsRows: where nearly all rows of two columns differ, combining them is not expected to spare their copy; where few can, it is.
func TestRowsThatDifferArePricedAsRows(t *testing.T) {
	t.Parallel()
	const rows = 10_000
	for _, c := range []struct {
		name       string
		kinds      int
		none, most float64 // of the groups
	}{{"as many kinds as rows", rows, 0.99 * rows, rows}, {"ten kinds", 10, 0.8 * rows, rows}} {
		for _, pair := range []bool{true, false} {
			g, plan := stars(t, rows, c.kinds, pair)
			groups := plan.Groups(g)
			if pair && (groups < c.none || groups > c.most) || !pair && (groups > float64(c.kinds) || groups < 0.6*float64(c.kinds)) {
				t.Errorf("%s, both columns %v: %g groups of %g rows", c.name, pair, groups, plan.Rows())
			}
			separate := Expect(g, plan.Separate())
			if o := Expect(g, plan); pair && o.Device < separate.Device || o.Processor <= separate.Processor {
				t.Errorf("%s, both columns %v: %+v, without combining %+v", c.name, pair, o, separate)
			}
		}
	}
}

// stars is a plan of vertices that each have a kind and a value of their own, of which the kind, or both, are read.
func stars(t *testing.T, rows, kinds int, pair bool) (*pcsr.Graph, *bgp.MatchPlan) {
	t.Helper()
	output := []string{"v1"}
	if pair {
		output = append(output, "v2")
	}
	c := matchtest.Case{Vertices: 3 * rows, Labels: 2, TypeLabel: -1, Combine: true, Options: bgp.Options{Output: output}}
	for v := range rows {
		c.Edges = append(c.Edges,
			pcsr.Edge{From: pcsr.Vertex(v), Label: 0, To: pcsr.Vertex(rows + v%kinds)}, pcsr.Edge{From: pcsr.Vertex(v), Label: 1, To: pcsr.Vertex(2*rows + v)})
	}
	c.Patterns = []parser.TriplePattern{matchtest.Edge(0, 1, 0), matchtest.Edge(0, 2, 1)}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	return m.Graph, m.Plan
}

// TestWhatIsFoldedOrSelectedIsPriced: less than rows that come back, unless the device knows that it cannot.
func TestWhatIsFoldedOrSelectedIsPriced(t *testing.T) {
	t.Parallel()
	g, plan := stars(t, 10_000, 10, true)
	plan.Combine = false
	rows := Expect(g, plan)
	fold, top := *plan, *plan
	fold.Fold = &bgp.Fold{Keys: []bgp.FoldKey{{Column: 0}}, Value: 1, Sums: true}
	top.Top = &bgp.Top{Column: 1, Rows: 10}
	d := open(t, Options{})
	defer d.Close()
	for name, p := range map[string]*bgp.MatchPlan{"folded": &fold, "selected": &top} {
		o := d.Expect(g, p)
		if o.Device >= rows.Device || o.Processor <= rows.Processor {
			t.Errorf("%s: %+v, rows %+v", name, o, rows)
		}
	}
	d.numbers.refuse(summed(&fold))
	d.numbers.refuse(selectedBy(&top))
	for name, p := range map[string]*bgp.MatchPlan{"folded": &fold, "selected": &top} {
		if o := d.Expect(g, p); o.Device != rows.Device || o.Processor != rows.Processor {
			t.Errorf("%s, which is not possible: %+v, rows %+v", name, o, rows)
		}
	}
}
