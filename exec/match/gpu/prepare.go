package gpu

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// needs are the partitions that a plan reads. A class or a constant's list without gaps is a range of numbers, which reads none.
type needs struct {
	graph *pcsr.Graph
	parts []need
	// looks are how often lists are expected to be looked up in each of parts.
	looks []looks
	// everything: all partitions with the lists of their row vertices; sets: what tells the labels of a vertex's edges.
	everything, sets bool
}

// looks are so many rows that look a list up each, and how many candidates they have in all.
type looks struct{ rows, candidates float64 }

// need is a partition that a plan reads; incident: Graph.Incident of the direction.
type need struct {
	label    pcsr.Label
	dir      pcsr.Direction
	incident bool
	vertices bool
}

// needsOf are the partitions that plans read, all of them.
func needsOf(g *pcsr.Graph, plans ...*bgp.MatchPlan) *needs {
	n := &needs{graph: g}
	for _, plan := range plans {
		n.plan(plan)
	}
	return n
}

// plan needs what a plan reads.
func (n *needs) plan(plan *bgp.MatchPlan) {
	g, rows := n.graph, 1.0
	typeLabel, typed := g.TypeLabel()
	for i := range plan.Steps {
		s := &plan.Steps[i]
		for k := range s.Links {
			n.link(&s.Links[k], looks{rows, max(s.EstimatedCandidates, s.EstimatedRows)})
		}
		for _, c := range s.Classes {
			if typed && !isGapless(g.Members(c)) {
				n.add(need{label: typeLabel, dir: pcsr.In}, looks{1, 1})
			}
		}
		for _, c := range s.Checks {
			n.check(c.Label, s.EstimatedCandidates)
		}
		if !s.Counted {
			rows = s.EstimatedRows
		}
	}
	for _, c := range plan.InputChecks {
		n.check(c.Label, 1)
	}
	if typed && len(plan.InputClasses) > 0 {
		n.check(bgp.Const(typeLabel), 1)
	}
}

// isGapless reports whether a sorted list is a range of numbers.
func isGapless(list []pcsr.Vertex) bool {
	return len(list) > 0 && int(list[len(list)-1]-list[0])+1 == len(list)
}

// link needs what a link reads.
func (n *needs) link(l *bgp.Link, by looks) {
	switch l.Kind {
	case bgp.EdgeLabels:
		n.sets = true
	case bgp.AllVertices:
		n.add(need{dir: l.Dir, incident: true, vertices: true}, by)
	case bgp.Neighbours, bgp.Rows:
		switch {
		case !l.Label.IsConstant():
			n.everything = true
		case l.Kind == bgp.Neighbours && l.From.IsConstant():
			if !isGapless(n.graph.Neighbours(l.From.Constant, l.Label.Constant, l.Dir)) {
				n.add(need{label: l.Label.Constant, dir: l.Dir}, looks{1, 1})
			}
		default:
			n.add(need{label: l.Label.Constant, dir: l.Dir, vertices: l.Kind == bgp.Rows}, by)
		}
	}
}

// check needs both directions of the label of an edge that is tested, so many times.
func (n *needs) check(label bgp.Operand, times float64) {
	if !label.IsConstant() {
		n.everything = true
		return
	}
	n.add(need{label: label.Constant, dir: pcsr.Out}, looks{times, times})
	n.add(need{label: label.Constant, dir: pcsr.In}, looks{times, times})
}

func (n *needs) add(part need, by looks) {
	i := slices.Index(n.parts, part)
	if i < 0 {
		i = len(n.parts)
		n.parts, n.looks = append(n.parts, part), append(n.looks, looks{})
	}
	n.looks[i].rows += by.rows
	n.looks[i].candidates += by.candidates
}

// all are the partitions of the graph that are needed.
func (n *needs) all() []need {
	if !n.everything {
		return n.parts
	}
	var parts []need
	for _, l := range n.graph.UsedLabels() {
		for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
			parts = append(parts, need{label: l, dir: dir, vertices: true})
		}
	}
	return parts
}

// part is a partition that is needed.
func (n *needs) part(of need) *pcsr.Partition {
	if of.incident {
		return n.graph.Incident(of.dir)
	}
	return n.graph.Partition(of.label, of.dir)
}

func (p *partitions) has(part *pcsr.Partition) bool {
	there, _ := p.paged(part)
	return there
}

// paged reports whether a partition is there, and its pages if it is read in some.
func (p *partitions) paged(part *pcsr.Partition) (there bool, pages *paging) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.all[part.Identity()]; l != nil {
		return true, l.pages
	}
	return false, nil
}

// away is how many bytes are needed of partitions that are not there, and whether one is there in pages.
func (p *partitions) away(n *needs) (bytes int64, paged bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, of := range n.all() {
		part := n.part(of)
		if l := p.all[part.Identity()]; l == nil {
			bytes += int64(part.Bytes())
		} else if l.pages != nil {
			return 0, true
		}
	}
	return bytes, false
}

// preparation is what is brought to the device before a query waits for it: for one plan at a time.
type preparation struct {
	mu     sync.Mutex
	ground *pcsr.Graph // nil where nothing is
	cancel context.CancelFunc
	done   chan struct{}
}

// Prepare begins to bring what a plan reads of a graph to the device, and does not wait for it. While it is at work for another
// plan it does nothing. An error is left to who matches the plan there.
func (d *Device) Prepare(g *pcsr.Graph, plan *bgp.MatchPlan) {
	d.begin(g, func(ctx context.Context) error {
		if l := d.listingOf(&match.Match{Graph: g, Plan: plan}); l != nil {
			return d.list(ctx, g, l)
		}
		return d.bring(ctx, needsOf(g, plan))
	})
}

// PrepareLabels is Prepare for some labels of a graph, where the device has a partition of one already. What it makes itself of another state
// (patch) waits until it is asked for, because that state is to be held then.
func (d *Device) PrepareLabels(g *pcsr.Graph, labels ...pcsr.Label) {
	n, there := &needs{graph: g}, 0
	for _, l := range labels {
		for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
			switch part := g.Partition(l, dir); {
			case part.Rows() == 0:
				continue
			case d.partitions.has(part):
				there++
			case part.Layer() == pcsr.Patched:
				return
			}
			n.add(need{label: l, dir: dir}, looks{})
		}
	}
	if typeLabel, typed := g.TypeLabel(); typed && there > 0 { // classes will be read, too
		for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
			if d.partitions.has(g.Partition(typeLabel, dir)) {
				n.add(need{label: typeLabel, dir: dir}, looks{})
			}
		}
	}
	if there > 0 {
		d.begin(g, func(ctx context.Context) error { return d.bring(ctx, n) })
	}
}

// begin has something brought that is of a graph, unless something is being brought.
func (d *Device) begin(g *pcsr.Graph, bring func(context.Context) error) {
	ctx, done, ok := d.ahead.begin(g.Ground())
	if !ok {
		return
	}
	machine.Beside(func() {
		defer close(done)
		defer d.ahead.end()
		_ = d.use(func() error { return bring(ctx) })
	})
}

// list has lists made in host memory.
func (d *Device) list(ctx context.Context, g *pcsr.Graph, l *listing) error {
	r, err := d.read(g)
	if err != nil {
		return err
	}
	return errors.Join(l.make(ctx, r), r.end())
}

// bring brings what is needed to the device, partitions first.
func (d *Device) bring(ctx context.Context, n *needs) error {
	held, err := d.holdParts(ctx, n.graph, n.parts)
	defer func() { _ = d.partitions.letGo(held...) }() // who fails to give memory back has lost the device
	if err != nil {
		return err
	}
	r, err := d.read(n.graph)
	if err != nil {
		return err
	}
	if n.everything {
		err = r.all(ctx)
	}
	var found []placed
	for _, of := range n.parts {
		at, used := r.place(of.label, of.dir)
		if of.incident {
			at, used = r.incident(of.dir), true
		}
		if used && err == nil {
			var entry kernels.Partition
			entry, err = r.hold(ctx, at, of.vertices)
			found = append(found, placed{at, []kernels.Partition{entry}})
		}
	}
	if err == nil {
		err = r.publish(found...)
	}
	if n.sets && err == nil {
		err = r.labelSets(ctx)
	}
	return errors.Join(err, r.end())
}

func (p *preparation) begin(ground *pcsr.Graph) (ctx context.Context, done chan struct{}, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ground != nil {
		return nil, nil, false
	}
	p.ground, p.done = ground, make(chan struct{})
	ctx, p.cancel = context.WithCancel(context.Background())
	return ctx, p.done, true
}

func (p *preparation) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel()
	p.ground = nil
}

// stop ends what is done for some graphs, and waits for it; nil are all.
func (p *preparation) stop(graphs []*pcsr.Graph) {
	p.mu.Lock()
	done := p.done
	mine := p.ground != nil && (graphs == nil || slices.Contains(graphs, p.ground))
	if mine {
		p.cancel()
	}
	p.mu.Unlock()
	if mine {
		<-done
	}
}
