package gpu

import (
	"errors"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// weighing is a step whose numbers are made for all vertices of the slot that it reads before the join begins, or one number where it
// reads none (kernels.Weighing).
type weighing struct {
	*match.Group
	// source is the list of the step whose members are added up: the one that depends on a slot, else the shortest.
	source int
}

// newWeighing prepares a group that is weighable and no leaf.
func newWeighing(g *match.Group) weighing {
	w := weighing{Group: g}
	for i := range g.Step.Lists {
		l, best := &g.Step.Lists[i], &g.Step.Lists[w.source]
		if l.Kind == match.Dynamic || best.Kind != match.Dynamic && l.Len() < best.Len() {
			w.source = i
		}
	}
	return w
}

// lists are the link whose lists are added up; nil where it is one list.
func (w *weighing) lists() *bgp.Link {
	if l := &w.Step.Lists[w.source]; l.Kind == match.Dynamic {
		return &l.Link
	}
	return nil
}

// rows is how many numbers there are.
func (w *weighing) rows(g *pcsr.Graph) int64 {
	if l := w.lists(); l != nil {
		return int64(g.Partition(l.Label.Constant, l.Dir).Rows())
	}
	return 1
}

// isWeighable reports whether the device can tell a group's number: it is a list's length, the plan wants it as a weight and
// all that hangs on the step too, or it is a branch of such, and of steps that count what lists have in common.
func isWeighable(g *match.Group) bool {
	if g.Step == nil {
		return !slices.ContainsFunc(g.Children, func(c *match.Group) bool { return c.Step == nil || !isMeet(c) && !isWeighable(c) })
	}
	if g.IsLeaf() {
		return true
	}
	for i := range g.Step.Lists {
		l := &g.Step.Lists[i]
		unread := l.Kind == match.Dynamic && (l.Link.Kind != bgp.Neighbours || !l.Link.Label.IsConstant())
		if unread || l.Kind == match.Fixed && l.Link.Kind == bgp.EdgeLabels {
			return false
		}
	}
	return g.Weighed && areWeighable(g.Children)
}

// isMeet reports whether a group is a step of which a thread counts what its lists have in common. Of the plan's own steps all threads share that (bound.cuh).
func isMeet(g *match.Group) bool {
	return !g.Weighed && len(g.Children) == 0 && g.Step.IsMeet(1+kernels.MostOthers)
}

func areWeighable(groups []*match.Group) bool {
	return !slices.ContainsFunc(groups, func(g *match.Group) bool { return !isWeighable(g) })
}

// unweighed is how many of the plan's own steps, of so many, come before those whose numbers are weights or lengths.
func (s *shape) unweighed(joined int) int {
	if !slices.ContainsFunc(s.Plan.Steps[:joined], func(step bgp.Step) bool { return step.Weighed }) {
		return joined
	}
	for joined > 0 && (s.count || s.Plan.Steps[joined-1].Weighed || s.Plan.Steps[joined-1].Counted) && areWeighable(s.Groups(s.Steps[joined-1:])) {
		joined--
	}
	return joined
}

// hang takes over the groups that hang on the joined steps.
func (s *shape) hang(groups []*match.Group) {
	for _, g := range groups {
		if g.Step == nil {
			s.branches = append(s.branches, g)
		} else {
			s.factors = append(s.factors, g)
		}
	}
	s.addWeighings(groups)
}

// addWeighings adds what is to be made for groups, each behind what it is made of.
func (s *shape) addWeighings(groups []*match.Group) {
	for _, g := range groups {
		s.addWeighings(g.Children)
		if g.Step != nil && !g.IsLeaf() && isWeighable(g) {
			s.made = append(s.made, newWeighing(g))
		}
	}
}

// weighsAll reports whether all weights that the plan wants are made.
func (s *shape) weighsAll() bool {
	byRows := func(step *match.Step) bool { return step.Plan.Weighed }
	return !slices.ContainsFunc(s.steps, byRows) && areWeighable(s.branches)
}

// numbers is the device's memory for the numbers that weighings make.
type numbers struct {
	d     *Device
	of    []kernels.Address
	ready bool // they are made
}

// weights takes memory for the numbers of a shape; where there is not enough, the match is cut anew to run without.
func (d *Device) weights(m *match.Match, count bool, s *shape) (*numbers, *shape, error) {
	n, err := d.takeNumbers(s)
	if !errors.Is(err, ErrOutOfMemory) {
		return n, s, err
	}
	byRows := *m
	byRows.Plan = m.Plan.ByRows()
	if !Fits(&byRows, count) {
		return nil, s, err
	}
	s = newShape(&byRows, count, &d.options)
	n, err = d.takeNumbers(s)
	return n, s, err
}

func (d *Device) takeNumbers(s *shape) (*numbers, error) {
	n := &numbers{d: d}
	for i := range s.made {
		at, err := d.partitions.alloc(max(8*s.made[i].rows(s.Graph), 8), d.memory.take)
		if err != nil {
			return nil, errors.Join(err, n.give())
		}
		n.of = append(n.of, at)
	}
	return n, nil
}

func (n *numbers) give() error {
	var errs []error
	for _, at := range n.of {
		errs = append(errs, n.d.memory.give(at))
	}
	n.of = nil
	return errors.Join(errs...)
}

// layWeighings translates the weighings. They are numbered as device steps behind those that are joined.
func (j *join) layWeighings() error {
	all := make([]kernels.Weighing, len(j.made))
	for i := range all {
		if err := j.layWeighing(i, &all[i]); err != nil {
			return err
		}
	}
	j.weighings = all
	j.weighingsAt = put(j.image, all)
	return nil
}

func (j *join) layWeighing(i int, out *kernels.Weighing) error {
	w, k, s := &j.made[i], j.deviceSteps()+i, &out.Step
	out.Weights = j.numbers.of[i]
	if err := j.laySource(k, w, out); err != nil {
		return err
	}
	out.Tile = j.memberTile(out.Edges)
	var links []kernels.Link
	for i := range w.Step.Lists {
		if i == w.source {
			continue
		}
		link, err := j.link(k, &w.Step.Lists[i], true)
		if err != nil {
			return err
		}
		links = append(links, link)
		j.variants[k] += linkName(&link) + " "
	}
	s.Links, s.LinkCount = put(j.image, links), uint32(len(links))
	s.Low, s.High = j.bounds(k, w.Step)
	if err := j.layConditions(k, w.Step, w.Step.Distinct, s); err != nil {
		return err
	}
	return j.layGroups(k, w.Children, s)
}

// laySource says which lists a weighing adds up.
func (j *join) laySource(k int, w *weighing, out *kernels.Weighing) error {
	link := w.lists()
	if link == nil {
		return j.layOneList(k, &w.Step.Lists[w.source], out)
	}
	at, used := j.r.place(link.Label.Constant, link.Dir)
	if !used {
		return nil
	}
	e, err := j.r.load(j.ctx, at, false)
	out.Offsets, out.Members, out.Rows, out.Edges = e.Offsets, e.Neighbours, e.Rows, e.Edges
	return err
}

// layOneList has a weighing add up one list, which depends on nothing.
func (j *join) layOneList(k int, list *match.List, out *kernels.Weighing) error {
	out.Rows, out.Edges = 1, uint32(list.Len())
	out.Offsets = put(j.image, []uint32{0, out.Edges})
	if list.Kind != match.Rows {
		link, err := j.link(k, list, false)
		if out.Members = link.ListAt; kernels.LinkKind(link.Kind) == kernels.Numbers {
			out.Members |= kernels.Virtual
		}
		return err
	}
	at := j.r.incident(list.Link.Dir)
	if list.Link.Kind != bgp.AllVertices {
		at, _ = j.r.place(list.Link.Label.Constant, list.Link.Dir) // it has rows, so it is in use
	}
	e, err := j.r.load(j.ctx, at, true)
	if out.Members = e.Vertices; e.Layer == kernels.LayerRange {
		out.Members = kernels.Virtual | kernels.Address(e.Base)
	}
	return err
}

// memberTile is how many of so many members a warp takes at a time: few enough to keep all blocks busy, and no fewer than leastTile.
func (j *join) memberTile(members uint32) uint32 {
	const warps, rounds, leastTile = kernels.Block / 32, 4, 128
	fair := int(members) / (warps * rounds * j.d.blocks)
	return uint32(max(fair/32*32+32, leastTile))
}

// layGroups gives a device step the groups that weigh its rows and candidates.
func (j *join) layGroups(k int, groups []*match.Group, s *kernels.Step) error {
	var factors []kernels.Link
	var branches []kernels.Branch
	for _, g := range groups {
		if g.Step == nil {
			b, err := j.layBranch(k, g)
			if err != nil {
				return err
			}
			branches = append(branches, b)
			j.variants[k] += g.Branch.Weight.String() + " "
			continue
		}
		factor, err := j.layGroup(k, g)
		if err != nil {
			return err
		}
		factors = append(factors, factor)
	}
	s.Factors, s.FactorCount = put(j.image, factors), uint32(len(factors))
	s.Branches, s.BranchCount = put(j.image, branches), uint32(len(branches))
	return nil
}

// layGroup translates a group of steps as device step k sees it: the length of a list, or a weight.
func (j *join) layGroup(k int, g *match.Group) (kernels.Link, error) {
	i := slices.IndexFunc(j.made, func(w weighing) bool { return w.Group == g })
	if i < 0 {
		return j.layFactor(k, g.Step)
	}
	j.variants[k] += "weights "
	out := kernels.Link{Kind: uint32(kernels.Weights), ListAt: j.numbers.of[i]}
	l := j.made[i].lists()
	if l == nil {
		return out, nil
	}
	at, used := j.r.place(l.Label.Constant, l.Dir)
	if !used {
		return empty(), nil
	}
	out.Partition = j.r.address(at)
	var err error
	out.From, err = j.operand(k, l.From)
	return out, err
}

// weigh makes the numbers, on the query's stream, unless they are made.
func (q *query) weigh() error {
	if q.numbers.ready {
		return nil
	}
	q.numbers.ready = true
	size := kernels.Address(kernels.Size[kernels.Weighing]())
	for i := range q.weighings {
		w := &q.weighings[i]
		if w.Edges == 0 {
			continue
		}
		if err := q.lane.stream.Zero(w.Weights, max(8*int64(w.Rows), 8)); err != nil {
			return err
		}
		tiles := int64(w.Edges)/(int64(w.Tile)*kernels.Block/32) + 1
		if w.Offsets == 0 {
			tiles = int64(w.Edges)/kernels.Block + 1
		}
		blocks := int(min(int64(q.d.blocks), tiles))
		if err := q.lane.stream.Launch(kernels.WeighLists, blocks, 0, q.image.base, q.weighingsAt+kernels.Address(i)*size); err != nil {
			return err
		}
	}
	return nil
}
