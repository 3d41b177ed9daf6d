//go:build unix

package bgp_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"golang.org/x/sys/unix"
)

// TestRegret measures how far plans are from the best vertex order that a search finds: all connected orders of up to
// 6 variables, else random ones and what swapping makes of the best of them. It needs a store in RDFGPU_STORE and a
// folder of queries in RDFGPU_QUERIES; RDFGPU_ISO=1 counts under isomorphism instead of listing rows.
func TestRegret(t *testing.T) {
	dir := os.Getenv("RDFGPU_STORE")
	if dir == "" {
		t.Skip("RDFGPU_STORE names no store")
	}
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	files, err := filepath.Glob(filepath.Join(os.Getenv("RDFGPU_QUERIES"), os.Getenv("RDFGPU_ONLY")+"*.rq"))
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var sum regretSummary
	for _, file := range files {
		r := regretQuery{t: t, store: s, matcher: cpu.New(), budget: 300 * time.Millisecond}
		if text := os.Getenv("RDFGPU_BUDGET"); text != "" {
			if r.budget, err = time.ParseDuration(text); err != nil {
				t.Fatal(err)
			}
		}
		r.read(file)
		r.measure(&sum)
	}
	sum.print(t)
}

type regretSummary struct {
	queries, compared   int
	regret              []float64
	errors              []float64
	planned, best, plan float64
}

func (s *regretSummary) print(t *testing.T) {
	slices.Sort(s.errors)
	slices.Sort(s.regret)
	quantile := func(list []float64, q float64) float64 {
		if len(list) == 0 {
			return 1
		}
		return list[min(len(list)-1, int(q*float64(len(list))))]
	}
	t.Logf("%d queries, %d compared: regret geometric mean %.3f, 90%% %.2f, worst %.2f; matched %.1f ms, best order %.1f ms, planning %.1f ms",
		s.queries, s.compared, geometric(s.regret), quantile(s.regret, 0.9), quantile(s.regret, 1), s.planned*1e3, s.best*1e3, s.plan*1e3)
	t.Logf("q-error of %d steps: geometric mean %.2f, 90%% %.1f, 99%% %.1f, worst %.0f", len(s.errors), geometric(s.errors),
		quantile(s.errors, 0.9), quantile(s.errors, 0.99), quantile(s.errors, 1))
}

func geometric(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / max(1, float64(len(list))))
}

// regretQuery is one query whose orders are compared.
type regretQuery struct {
	t        *testing.T
	store    *store.Store
	matcher  *cpu.Matcher
	budget   time.Duration
	name     string
	patterns []parser.TriplePattern
	options  bgp.Options
	deadline time.Time
	solution uint64
}

func (r *regretQuery) read(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	query, err := parser.Parse(string(text), parser.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.name = strings.TrimSuffix(filepath.Base(file), ".rq")
	r.options.Output = query.Variables
	if os.Getenv("RDFGPU_ISO") != "" {
		r.options = bgp.Options{Semantics: bgp.Isomorphism, CountOnly: true}
	}
	for node := query.Where; ; {
		switch n := node.(type) {
		case *parser.Project:
			node = n.Input
		case *parser.BGP:
			r.patterns = n.Patterns
			return
		default:
			r.t.Fatalf("%s is more than a basic graph pattern", file)
		}
	}
}

func (r *regretQuery) lookup(term rdf.Term) (uint32, bool) { return r.store.Dictionary.Lookup(term) }

// measure compares the planner's order with others.
func (r *regretQuery) measure(sum *regretSummary) {
	sum.queries++
	start := threadTime()
	plan, err := bgp.Plan(context.Background(), r.patterns, r.store.Default, r.lookup, r.options)
	planning := threadTime() - start
	if err != nil {
		r.t.Fatal(err)
	}
	sum.plan += planning
	if plan.Empty || len(plan.Steps) == 0 {
		return
	}
	first, ok := r.run(plan, time.Minute)
	if !ok {
		r.t.Logf("%-16s took too long", r.name)
		return
	}
	qerror := r.qerrors(plan, sum)
	chosen := r.repeat(plan, first)
	sum.planned += chosen
	best, order, tried := chosen, []string(nil), 0
	if len(plan.Steps) > 1 {
		best, order, tried = r.search(plan, chosen)
	}
	if order != nil { // alternate, for a fair comparison
		if p := r.inOrder(order); p != nil {
			for range 5 {
				a, _ := r.run(plan, time.Minute)
				b, _ := r.run(p, time.Minute)
				chosen, best = min(chosen, a), min(best, b)
			}
		}
		best = min(best, chosen)
	}
	sum.best += best
	const noise = 20e-6
	if chosen > noise {
		sum.compared++
		sum.regret = append(sum.regret, chosen/best)
	}
	if chosen > 1.2*best && chosen > noise || planning > 0.1*chosen && planning > 1e-3 || os.Getenv("RDFGPU_ALL") != "" {
		r.t.Logf("%-16s plan %8.3f ms, match %8.3f ms, best %8.3f of %d: regret %.2f, q %.1f, order %v, best %v", r.name, planning*1e3, chosen*1e3,
			best*1e3, tried, chosen/best, qerror, names(plan), order)
	}
}

func names(p *bgp.MatchPlan) (out []string) {
	for _, s := range p.Slots {
		out = append(out, s.Variable)
	}
	return out
}

// qerrors runs a plan with a trace and compares the rows of the enumerated steps with the estimates.
func (r *regretQuery) qerrors(plan *bgp.MatchPlan, sum *regretSummary) float64 {
	trace := &match.Trace{}
	m := &match.Match{Graph: r.store.Default, Plan: plan, Trace: trace}
	var err error
	if r.options.CountOnly {
		_, err = r.matcher.Count(context.Background(), m)
	} else {
		err = r.matcher.Match(context.Background(), m, func(*vector.Batch) error { return nil })
	}
	if err != nil {
		r.t.Fatal(err)
	}
	worst := 1.0
	for i, s := range trace.Steps {
		if plan.Steps[i].Counted || s.Candidates == 0 {
			break
		}
		a, b := max(1, float64(s.RowsOut)), max(1, plan.Steps[i].EstimatedRows)
		q := max(a/b, b/a)
		sum.errors = append(sum.errors, q)
		worst = max(worst, q)
	}
	return worst
}

// run returns the processor time of one run, false where it was cut short.
func (r *regretQuery) run(plan *bgp.MatchPlan, limit time.Duration) (float64, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	m := &match.Match{Graph: r.store.Default, Plan: plan}
	start := threadTime()
	n, err := uint64(0), error(nil)
	if r.options.CountOnly {
		n, err = r.matcher.Count(ctx, m)
	} else {
		err = r.matcher.Match(ctx, m, func(b *vector.Batch) error {
			n += uint64(b.N)
			return nil
		})
	}
	took := threadTime() - start
	if err == nil && r.solution != 0 && n+1 != r.solution {
		r.t.Errorf("%s: %d solutions by order %v, %d before", r.name, n, names(plan), r.solution-1)
	}
	if err == nil {
		r.solution = n + 1
	}
	return took, err == nil
}

func (r *regretQuery) repeat(plan *bgp.MatchPlan, first float64) float64 {
	best := first
	for k := 0; k < 5 && (k < 1 || best < 0.05); k++ {
		if took, ok := r.run(plan, time.Minute); ok {
			best = min(best, took)
		}
	}
	return best
}

func threadTime() float64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return float64(t.Nano()) / 1e9
}

func (r *regretQuery) inOrder(order []string) *bgp.MatchPlan {
	p, err := bgp.InOrder(r.patterns, r.store.Default, r.lookup, r.options, order)
	if err != nil {
		return nil
	}
	return p
}

// search looks for the best order.
func (r *regretQuery) search(plan *bgp.MatchPlan, chosen float64) (best float64, order []string, tried int) {
	best = chosen
	adjacent := adjacency(plan)
	r.deadline = time.Now().Add(max(r.budget, time.Duration(20*chosen*1e9)))
	try := func(o []string) bool {
		if time.Now().After(r.deadline) {
			return false
		}
		p := r.inOrder(o)
		if p == nil {
			return true
		}
		tried++
		limit := time.Duration(best*2*1e9) + 200*time.Microsecond
		took, ok := r.run(p, limit)
		for k := 0; ok && k < 2 && took < 1.5*best; k++ {
			again, fine := r.run(p, limit)
			if fine {
				took = min(took, again)
			}
		}
		if ok && took < best {
			best, order = took, slices.Clone(o)
		}
		return true
	}
	current := names(plan)
	if len(current) <= 6 {
		permute(current, adjacent, nil, try)
		return best, order, tried
	}
	r.climb(current, adjacent, try, &order)
	random := rand.New(rand.NewPCG(3, 4))
	for k := 0; !time.Now().After(r.deadline) && k < 400; k++ {
		old := best
		try(randomOrder(current, adjacent, random))
		if best < old {
			r.climb(order, adjacent, try, &order)
		}
	}
	return best, order, tried
}

// climb moves one variable at a time while that helps.
func (r *regretQuery) climb(from []string, adjacent map[string][]string, try func([]string) bool, best *[]string) {
	for again := true; again; {
		again = false
		before := fmt.Sprint(*best)
		for i := range from {
			for j := range from {
				if i == j {
					continue
				}
				next := slices.Delete(slices.Clone(from), i, i+1)
				next = slices.Insert(next, j, from[i])
				if connectedOrder(next, adjacent) && !try(next) {
					return
				}
			}
		}
		if *best != nil && fmt.Sprint(*best) != before {
			from, again = slices.Clone(*best), true
		}
	}
}

func connectedOrder(order []string, adjacent map[string][]string) bool {
	for i := 1; i < len(order); i++ {
		if !slices.ContainsFunc(order[:i], func(v string) bool { return slices.Contains(adjacent[order[i]], v) }) {
			return false
		}
	}
	return true
}

func randomOrder(vars []string, adjacent map[string][]string, random *rand.Rand) []string {
	rest := slices.Clone(vars)
	slices.Sort(rest)
	var out []string
	for len(rest) > 0 {
		var next []string
		for _, v := range rest {
			if slices.ContainsFunc(out, func(o string) bool { return slices.Contains(adjacent[o], v) }) {
				next = append(next, v)
			}
		}
		if len(next) == 0 {
			next = rest
		}
		v := next[random.IntN(len(next))]
		out = append(out, v)
		rest = slices.DeleteFunc(rest, func(x string) bool { return x == v })
	}
	return out
}

// permute visits the orders in which every variable but the first of a component is next to an earlier one.
func permute(rest []string, adjacent map[string][]string, prefix []string, visit func([]string) bool) bool {
	if len(rest) == 0 {
		return visit(prefix)
	}
	var next []string
	for _, v := range rest {
		if slices.ContainsFunc(prefix, func(o string) bool { return slices.Contains(adjacent[o], v) }) {
			next = append(next, v)
		}
	}
	if len(next) == 0 {
		next = rest
	}
	for _, v := range next {
		left := slices.DeleteFunc(slices.Clone(rest), func(x string) bool { return x == v })
		if !permute(left, adjacent, append(prefix[:len(prefix):len(prefix)], v), visit) {
			return false
		}
	}
	return true
}

// adjacency tells which variables share a pattern.
func adjacency(p *bgp.MatchPlan) map[string][]string {
	out := map[string][]string{}
	add := func(ends ...int) {
		for _, i := range ends {
			for _, j := range ends {
				if i >= 0 && j >= 0 && i != j && p.Query.Vertices[i].Variable != "" && p.Query.Vertices[j].Variable != "" {
					a, b := p.Query.Vertices[i].Variable, p.Query.Vertices[j].Variable
					out[a] = append(out[a], b)
				}
			}
		}
	}
	for _, e := range p.Query.Edges {
		add(e.From, e.To, e.LabelVertex)
	}
	return out
}
