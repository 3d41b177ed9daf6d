package backend

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// processor is a matcher that does nothing.
type processor struct{ match.Matcher }

func (processor) Count(context.Context, *match.Match) (uint64, error) { return 7, nil }

func TestTheProcessorMatchesWhatIsCheapOrAskedOfIt(t *testing.T) {
	b := New(processor{}, Options{})
	defer b.Close()
	for device, cost := range map[Device]float64{CPU: 1e300, Auto: 1, "": 1} {
		choice, err := b.Choose(device)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := choice.Matcher(&bgp.MatchPlan{Cost: cost}, nil).(processor); !ok || choice.String() != "cpu" || choice.Speed() != 1 {
			t.Errorf("%q at cost %g: %v at speed %g", device, cost, choice, choice.Speed())
		}
	}
	if b.opened != nil || b.failed != nil {
		t.Error("a GPU was opened")
	}
}

func TestTheStoresDeviceIsForQueriesWithoutAWish(t *testing.T) {
	b := New(processor{}, Options{Device: CPU})
	defer b.Close()
	if choice, err := b.Choose(Auto); err != nil || choice.device != CPU {
		t.Errorf("choice %+v, error %v", choice, err)
	}
	if _, err := b.Choose("tpu"); err == nil || !strings.Contains(err.Error(), "expected auto, cpu or gpu") {
		t.Errorf("error %v", err)
	}
}

// emulated are backends with an emulated GPU that is warm.
func emulated(t *testing.T) *Backends {
	t.Helper()
	b := New(processor{}, Options{Open: func(gpu.Options) (*gpu.Device, error) {
		return gpu.Open(gpu.Options{Driver: kernels.Emulate(64 << 20)})
	}})
	if _, err := b.open(); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGraphsOfListsAreTheProcessors: also where a GPU is asked for.
func TestGraphsOfListsAreTheProcessors(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	path := filepath.Join(t.TempDir(), "lists")
	w, err := pcsr.CreateLists(path, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	w.Next()
	if err := errors.Join(w.Append(1, []uint64{2<<32 | 3}), w.Finish()); err != nil {
		t.Fatal(err)
	}
	lists, err := pcsr.OpenLists(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lists.Close()
	graph, err := lists.Graph(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range []Device{GPU, Auto} {
		choice, plan := &Choice{backends: b, device: device}, &bgp.MatchPlan{Cost: 1e300}
		if _, here := choice.Matcher(plan, graph).(processor); !here {
			t.Errorf("%s: the GPU matches a list", device)
		}
		if _, here := choice.Together([]*bgp.MatchPlan{plan}, graph, 2).(processor); !here {
			t.Errorf("%s: the GPU matches patterns of a list", device)
		}
		if choice.Searcher(&match.Closure{Graph: graph}, 1, 1e300) != nil || choice.String() != "cpu" {
			t.Errorf("%s: the GPU searches a list", device)
		}
	}
	if _, there := (&Choice{backends: b, device: GPU}).Matcher(&bgp.MatchPlan{}, &pcsr.Graph{}).(gpuMatcher); !there {
		t.Error("the GPU does not match what it is asked to")
	}
}

// TestAutoPricesThePlanThatEachDeviceRuns: what weights save is not to be had on a GPU that does not make them.
func TestAutoPricesThePlanThatEachDeviceRuns(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	choice := &Choice{backends: b, device: Auto}
	steps := []bgp.Step{{EstimatedCandidates: 1e5}, {EstimatedCandidates: 2e9, Counted: true, Weighed: true}}
	byWeights := &bgp.MatchPlan{Steps: steps, Cost: 1e6}
	if _, there := choice.Matcher(byWeights, nil).(gpuMatcher); there {
		t.Error("a plan that weights make cheap goes to the GPU, which does not make them")
	}
	byRows := byWeights.ByRows()
	if byRows.Cost != 1e5+2e9 || byRows.Steps[1].Weighed || !steps[1].Weighed {
		t.Errorf("by rows the plan is %+v", byRows)
	}
	m, ok := choice.Matcher(byRows, nil).(gpuMatcher)
	if !ok {
		t.Fatal("a plan of as many candidates stays on the processor")
	}
	if runs := m.Runs(byWeights, nil); runs.Cost != byRows.Cost || runs.Steps[1].Weighed {
		t.Errorf("the GPU runs %+v", runs)
	}
	dear := &bgp.MatchPlan{Steps: steps, Cost: 1e8}
	if _, ok := choice.Matcher(dear, nil).(gpuMatcher); !ok {
		t.Error("a plan whose weights cost more than its rows on the GPU stays on the processor")
	}
}

// TestAutoPricesWeightsOnTheGPU: a plan whose weights the GPU makes goes there with them.
func TestAutoPricesWeightsOnTheGPU(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	m := chains(t, 8)
	choice := &Choice{backends: b, device: Auto}
	if _, there := choice.Matcher(m.Plan, m.Graph).(gpuMatcher); there {
		t.Errorf("a plan of cost %g goes to the GPU", m.Plan.Cost)
	}
	m.Plan.Cost = 1e6 // as of a larger graph
	if o := gpu.Expect(m.Graph, m.Plan); o.Runs != m.Plan || o.Device > 4e5 {
		t.Errorf("the GPU runs %+v at %g", o.Runs, o.Device)
	}
	on, ok := choice.Matcher(m.Plan, m.Graph).(gpuMatcher)
	if !ok {
		t.Fatal("the plan stays on the processor")
	}
	if on.Runs(m.Plan, m.Graph) != m.Plan {
		t.Error("the GPU runs another plan")
	}
	if n, err := on.Count(context.Background(), m); err != nil || n != 1953125000000000 {
		t.Errorf("counted %d (error %v)", n, err)
	}
}

func TestAGPUThatIsMissingIsAnErrorOnlyWhereItIsAskedFor(t *testing.T) {
	b := New(processor{}, Options{})
	defer b.Close()
	if b.Describe().Available {
		t.Skip("there is a GPU")
	}
	if _, err := b.Choose(GPU); !errors.Is(err, gpu.ErrNoDevice) {
		t.Errorf("error %v, want ErrNoDevice", err)
	}
	choice, err := b.Choose(Auto)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := choice.Matcher(&bgp.MatchPlan{Cost: 1e300}, nil).(processor); !ok {
		t.Errorf("an expensive pattern goes to %v", choice)
	}
	if choice.chooses() {
		t.Error("what a GPU would take is still looked at")
	}
}

func TestAMatchGoesOnOnTheProcessorWhenTheGPUIsLost(t *testing.T) {
	b := New(processor{}, Options{})
	b.once.Do(func() { b.opened = &gpu.Device{} })
	choice := &Choice{backends: b, device: GPU}
	choice.used.Store(true)
	fail := func(on match.Matcher, _ *match.Match) error {
		if _, ok := on.(processor); ok {
			return nil
		}
		return gpu.ErrDeviceLost
	}
	m := gpuMatcher{choice, watch{}, trial{}}
	if _, err := m.runs(&match.Match{Plan: &bgp.MatchPlan{}}, false, func() bool { return false }, fail); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("behind the first solution: error %v", err)
	}
	if _, err := m.runs(&match.Match{Plan: &bgp.MatchPlan{}}, false, func() bool { return true }, fail); err != nil || choice.String() != "cpu (the GPU failed)" {
		t.Errorf("error %v, matched on %v", err, choice)
	}
}

// TestAutoPricesCombining: rows that come cheaply out of a match and are grouped then are the GPU's, if there are many and it can combine them.
func TestAutoPricesCombining(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	choice := &Choice{backends: b, device: Auto}
	for _, c := range []struct {
		name    string
		rows    float64
		output  []int
		combine bool
		again   bool
		there   bool
	}{
		{"many rows of one column", 1e6, []int{0}, true, false, true},
		{"many rows of two columns", 1e6, []int{1, 2}, true, false, true},
		{"many rows, maybe all different, that are grouped by one of their columns", 1e6, []int{1, 2}, true, true, false},
		{"few rows", 1e3, []int{0}, true, false, false},
		{"rows of three columns, which are copied", 1e6, []int{0, 1, 2}, true, false, false},
		{"rows that are not grouped", 1e6, []int{0}, false, false, false},
	} {
		plan := &bgp.MatchPlan{Steps: make([]bgp.Step, 4), Output: c.output, Cost: 1e5, Combine: c.combine, Whole: !c.again}
		plan.Steps[3].EstimatedRows = c.rows
		m, there := choice.Matcher(plan, nil).(gpuMatcher)
		if there != c.there {
			t.Errorf("%s: on the GPU %v, want %v", c.name, there, c.there)
		}
		if there && !m.Runs(plan, nil).Combine {
			t.Errorf("%s: the GPU does not combine them", c.name)
		}
	}
}

// TestAutoPricesJoins: rows are looked up by the GPU where what the join costs the processor is more than the table and the match cost there; and conditions on numbers
// count.
func TestAutoPricesJoins(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	choice := &Choice{backends: b, device: Auto}
	for _, c := range []struct {
		name             string
		table, otherwise float64
		conditions       int
		there            bool
	}{
		{"a costly join", 3e5, 4e7, 0, true},
		{"a join that finds few rows", 3e5, -9e4, 0, false},
		{"a costly table", 1e8, 4e7, 0, false},
		{"a join that costs about as much", 3e5, 1e6, 0, false},
		{"conditions on its rows", 3e5, 1e6, 1, true},
	} {
		plan := &bgp.MatchPlan{Steps: make([]bgp.Step, 4), Output: []int{1, 2}, Cost: 1e5, Lookups: []bgp.TableLookup{{Columns: []int{0}, Table: c.table, Otherwise: c.otherwise}}}
		plan.Where = make([]*bgp.Formula, c.conditions)
		plan.Steps[3].EstimatedRows = 1e6
		if _, there := choice.Matcher(plan, nil).(gpuMatcher); there != c.there {
			t.Errorf("%s: on the GPU %v, want %v", c.name, there, c.there)
		}
	}
}

// TestLargePlansArePricedTogether: by what all threads would take for all of them, and with what they read brought to the GPU once.
func TestLargePlansArePricedTogether(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	c := &matchtest.Case{Vertices: 400, Labels: 1, TypeLabel: -1, Patterns: []parser.TriplePattern{matchtest.Edge(0, 1, 0), matchtest.Edge(1, 2, 0)}}
	for v := range 400 * 400 {
		c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(v / 400), To: pcsr.Vertex(v % 400)})
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	choice := &Choice{backends: b, device: Auto}
	for _, of := range []struct {
		name           string
		plans, threads int
		cost           float64
		there          bool
	}{
		{"one thread", 1, 1, 1e6, true}, {"as many as make it cheap", 1, 16, 1e6, false}, {"several that are dear together", 4, 4, 4e5, true},
		{"one that costs more than a launch and bringing", 1, 1, 2.15e5, true}, {"many that cost less each", 40, 4, 3e4, false}, {"cheap ones", 4, 16, 1e4, false},
	} {
		var plans []*bgp.MatchPlan
		for range of.plans {
			p := *m.Plan
			p.Cost = of.cost
			plans = append(plans, &p)
		}
		if _, there := choice.Together(plans, m.Graph, of.threads).(gpuMatcher); there != of.there {
			t.Errorf("%s: on the GPU: %v", of.name, there)
		}
	}
	if one, all := b.opened.Price(m.Graph, m.Plan), b.opened.Price(m.Graph, m.Plan, m.Plan, m.Plan); one == 0 || one != all {
		t.Errorf("what a plan reads costs %g, of three alike %g", one, all)
	}
}
