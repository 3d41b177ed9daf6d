package gpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// needs are the partitions that a plan reads.
type needs struct {
	graph *pcsr.Graph
	parts []need
	// everything: all partitions with the lists of their row vertices; sets: what tells the labels of a vertex's edges.
	everything, sets bool
}

// need is a partition that a plan reads; incident: Graph.Incident of the direction.
type need struct {
	label    pcsr.Label
	dir      pcsr.Direction
	incident bool
	vertices bool
}

func needsOf(g *pcsr.Graph, plan *bgp.MatchPlan) *needs {
	n := &needs{graph: g}
	for i := range plan.Steps {
		s := &plan.Steps[i]
		for k := range s.Links {
			n.link(&s.Links[k])
		}
		if label, ok := g.TypeLabel(); ok && len(s.Classes) > 0 {
			n.add(need{label: label, dir: pcsr.In})
		}
		for _, c := range s.Checks {
			n.check(c.Label)
		}
	}
	for _, c := range plan.InputChecks {
		n.check(c.Label)
	}
	if label, ok := g.TypeLabel(); ok && len(plan.InputClasses) > 0 {
		n.check(bgp.Const(label))
	}
	return n
}

func (n *needs) link(l *bgp.Link) {
	switch l.Kind {
	case bgp.EdgeLabels:
		n.sets = true
	case bgp.AllVertices:
		n.add(need{dir: l.Dir, incident: true, vertices: true})
	case bgp.Neighbours, bgp.Rows:
		if l.Label.IsConstant() {
			n.add(need{label: l.Label.Constant, dir: l.Dir, vertices: l.Kind == bgp.Rows})
		} else {
			n.everything = true
		}
	}
}

// check needs both directions of the label of an edge that is tested.
func (n *needs) check(label bgp.Operand) {
	if !label.IsConstant() {
		n.everything = true
		return
	}
	n.add(need{label: label.Constant, dir: pcsr.Out})
	n.add(need{label: label.Constant, dir: pcsr.In})
}

func (n *needs) add(part need) {
	if !slices.Contains(n.parts, part) {
		n.parts = append(n.parts, part)
	}
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

// Price is what bringing what a plan reads of a graph, and is not there, to the device costs, in the unit of plans' costs.
func (d *Device) Price(g *pcsr.Graph, plan *bgp.MatchPlan) float64 {
	price := 0.0
	err := section.Guard(func() error {
		n := needsOf(g, plan)
		for _, of := range n.all() {
			part := n.part(of)
			if _, paged := d.partitions.paged(part); paged {
				price += d.sweeps(plan) * float64(part.Bytes()) / bgp.GPUCopyBytes
			} else {
				price += d.partitions.price(part)
			}
		}
		if n.everything || n.sets {
			for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
				price += d.partitions.price(g.Incident(dir)) + d.partitions.price(g.EdgeLabelSets(dir))
			}
		}
		return nil
	})
	if err != nil {
		return math.Inf(1) // who reads it will say so
	}
	return price
}

// rowEstimate is about how many bytes a row of a query's tables takes.
const rowEstimate = 64

// sweeps is how often a plan is expected to read what is in pages: once for each table.
func (d *Device) sweeps(plan *bgp.MatchPlan) float64 {
	rows := 0.0
	for i := range plan.Steps {
		rows = max(rows, plan.Steps[i].EstimatedRows)
	}
	return 1 + rows*rowEstimate/float64(d.lanes.most)
}

// price is what a partition costs that is not there.
func (p *partitions) price(part *pcsr.Partition) float64 {
	if part.Rows() == 0 || p.has(part) {
		return 0
	}
	if part.Layer() != pcsr.Patched {
		return float64(part.Bytes()) / bgp.GPUCopyBytes
	}
	price := bgp.GPUPatchCost + float64(8*(part.Edges()+part.Rows()))/bgp.GPUMoveBytes
	if ground := part.Ground(); !p.has(ground) {
		price += float64(ground.Bytes()) / bgp.GPUCopyBytes
	}
	return price
}

func (p *partitions) has(part *pcsr.Partition) bool {
	there, _ := p.paged(part)
	return there
}

// paged reports whether a partition is there, and in pages.
func (p *partitions) paged(part *pcsr.Partition) (there, paged bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.all[part.Identity()]
	return l != nil, l != nil && l.pages != nil
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
	ctx, done, ok := d.ahead.begin(g.Ground())
	if !ok {
		return
	}
	go func() {
		defer close(done)
		defer d.ahead.end()
		_ = d.use(func() error { return d.bring(ctx, needsOf(g, plan)) })
	}()
}

// bring brings what is needed to the device.
func (d *Device) bring(ctx context.Context, n *needs) error {
	r, err := d.read(n.graph)
	if err != nil {
		return err
	}
	if n.everything {
		err = r.all(ctx)
	}
	for _, of := range n.parts {
		at, used := r.place(of.label, of.dir)
		if of.incident {
			at, used = r.incident(of.dir), true
		}
		if used && err == nil {
			_, err = r.load(ctx, at, of.vertices)
		}
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
