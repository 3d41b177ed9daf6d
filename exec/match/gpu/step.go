package gpu

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// layStep translates device step k.
func (j *join) layStep(k int, s *kernels.Step) (err error) {
	from := j.steps[k]
	lists, distinct := from.Lists, from.Distinct
	if sharing := j.sharing[k]; sharing != nil {
		lists, distinct = sharing.Lists, sharing.Distinct
		if err := j.laySiblings(k, s); err != nil {
			return err
		}
	}
	if err := j.layLists(k, from, lists, s); err != nil {
		return err
	}
	if err := j.layConditions(k, from, distinct, s); err != nil {
		return err
	}
	if err := j.layCopies(k, s); err != nil {
		return err
	}
	if err := j.layScratch(k, s); err != nil {
		return err
	}
	s.Tile = uint32(j.tile)
	s.Capacity, s.Strategy = uint64(j.capacity), j.d.options.strategy
	if k+1 < len(j.tables) {
		s.Capacity = uint64(j.rows(k+1, j.capacity))
	}
	if k == j.deviceSteps()-1 {
		err = j.layEnd(k, s)
		j.lengths = j.count && s.LinkCount == 1 && s.DistinctCount+s.CheckCount+s.PairCount+s.FactorCount+s.BranchCount == 0 && s.Bitmap == 0 && s.Siblings == 0
	}
	j.tiles = append(j.tiles, s.Tile)
	return err
}

// layLists translates the lists that a step's candidates are in, with memory for where they lie.
func (j *join) layLists(k int, from *match.Step, lists []match.List, s *kernels.Step) error {
	links, err := j.layLinks(k, lists)
	if err != nil {
		return err
	}
	s.Low, s.High = j.bounds(k, from)
	s.LinkCount = uint32(len(links))
	if s.Siblings != 0 {
		links = append(links, kernels.Link{Kind: uint32(kernels.List)}) // for its columns
	}
	for i := range links {
		if err := j.listColumns(&links[i], j.rows(k, j.capacity)); err != nil {
			return err
		}
	}
	s.Links = put(j.image, links)
	j.linked = append(j.linked, links[:s.LinkCount])
	return nil
}

// layScratch gives a step its memory for each row, the bitmap of those that its signature leaves, and the table by which repeats are dropped.
func (j *join) layScratch(k int, s *kernels.Step) (err error) {
	rows := j.rows(k, j.capacity)
	for _, column := range []struct {
		at   *kernels.Address
		size int64
	}{{&s.Item, 4 * rows}, {&s.Prefix, 8 * (rows + 1)}, {&s.Choice, 2 * rows}} {
		if *column.at, err = j.lane.arena.take(column.size); err != nil {
			return err
		}
	}
	if signature := j.signatureOf(k); !signature.IsZero() {
		if s.Bitmap, err = j.r.filter(j.ctx, signature); err != nil {
			return err
		}
		j.variants[k] += "signature "
	}
	if !slices.Contains(j.lossy, k) || j.seenWords == 0 {
		return nil
	}
	if s.Seen, err = j.lane.arena.take(8 * j.seenWords); err != nil {
		return err
	}
	s.SeenMask = uint32(j.seenWords - 1)
	j.variants[k] += "once "
	return j.lane.stream.Zero(s.Seen, 8*j.seenWords)
}

// laySiblings says where the candidates' siblings are.
func (j *join) laySiblings(k int, s *kernels.Step) (err error) {
	sharing := j.sharing[k]
	s.OwnLinks, s.OwnDistinct = uint32(sharing.OwnLists), uint32(sharing.OwnDistinct)
	if s.Siblings, err = j.column(j.first+sharing.From+1, j.Steps[sharing.From].Slot); err != nil {
		return err
	}
	if s.SiblingsFirst, err = j.column(k, j.firstSibling(sharing.From)); err != nil {
		return err
	}
	s.SiblingsEnd, err = j.column(k, j.endSibling(sharing.From))
	j.variants[k] += "siblings "
	return err
}

// layEnd makes the last step count, where it should, and gives it its factors.
func (j *join) layEnd(k int, s *kernels.Step) error {
	if j.count {
		s.Mode, s.Tile = kernels.Count, uint32(j.d.options.tile) // there is no table to be filled
	} else if len(j.out) == 0 {
		s.Capacity = math.MaxInt64 // rows without columns are only counted
	}
	return j.layGroups(k, j.groups(), s)
}

// branchWeights are the device's names of weights.
var branchWeights = [...]kernels.Weight{bgp.AtLeastOne: kernels.AtLeastOne, bgp.Some: kernels.Some, bgp.None: kernels.NoSolution}

// layBranch translates a branch whose weight is a matter of lengths and weights.
func (j *join) layBranch(k int, g *match.Group) (b kernels.Branch, err error) {
	b.Weight = branchWeights[g.Branch.Weight]
	factors := make([]kernels.Link, 0, len(g.Children)+1)
	if g.Never {
		factors = append(factors, empty())
	}
	for _, child := range g.Children {
		factor, err := j.layGroup(k, child)
		if err != nil {
			return b, err
		}
		factors = append(factors, factor)
	}
	b.Factors, b.FactorCount = put(j.image, factors), uint32(len(factors))
	if g.Test == nil {
		return b, nil
	}
	checks, pairs, err := j.layChecks(k, g.Test)
	b.Checks, b.CheckCount = put(j.image, checks), uint32(len(checks))
	b.Pairs, b.PairCount = put(j.image, pairs), uint32(len(pairs))
	return b, err
}

// layFactor translates a step whose candidates are counted by the length of their list, or of which is counted what its lists have in common.
func (j *join) layFactor(k int, s *match.Step) (kernels.Link, error) {
	links, err := j.layLinks(k, s.Lists)
	if err != nil {
		return kernels.Link{}, err
	}
	var except []kernels.Operand
	for i, o := range s.Distinct {
		if slices.Contains(s.Distinct[:i], o) {
			continue
		}
		operand, err := j.operand(k, o)
		if err != nil {
			return kernels.Link{}, err
		}
		except = append(except, operand)
	}
	factor := links[0]
	factor.Others, factor.OtherCount = put(j.image, links[1:]), uint32(len(links)-1)
	factor.Low, factor.High = j.bounds(k, s)
	factor.Except, factor.ExceptCount = put(j.image, except), uint32(len(except))
	return factor, nil
}

// layCopies hands on the slots that the next table holds.
func (j *join) layCopies(k int, s *kernels.Step) error {
	next, to := j.output, j.out
	if k+1 < j.deviceSteps() {
		next, to = j.tables[k+1], j.columns[k+1]
	}
	var copies []kernels.Copy
	for i, slot := range next {
		switch plan := k - j.first; {
		case slot == j.slot(k):
			s.Store = to[i]
			continue
		case slot == j.weightLow():
			s.WeightLow = to[i]
			continue
		case slot == j.weightHigh():
			s.WeightHigh = to[i]
			continue
		case plan >= 0 && slot == j.firstSibling(plan):
			s.GroupFirst = to[i]
			continue
		case plan >= 0 && slot == j.endSibling(plan):
			s.GroupEnd = to[i]
			continue
		}
		from, err := j.column(k, slot)
		if err != nil {
			return err
		}
		copies = append(copies, kernels.Copy{From: from, To: to[i]})
	}
	s.Copies, s.CopyCount = put(j.image, copies), uint32(len(copies))
	return nil
}
