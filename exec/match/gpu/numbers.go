package gpu

import (
	"context"
	"errors"
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// numberTables are what the numbers of dictionaries' segments stand for, on the device, and parts of their dates and times: each comes when a plan first computes with
// some, and stays until nobody has used it from one call of Device.Forget to the next.
type numberTables struct {
	d *Device

	work sync.Mutex // held while a table is made
	mu   sync.Mutex
	all  map[figuresOf]*numberTable
	// others are values of which some are no exact numbers, or in no order.
	others map[values]bool
	rounds uint64
}

// figuresOf are the numbers of a segment or, where part is not 0, parts of its dates and times.
type figuresOf struct {
	segment *dictionary.Segment
	part    dictionary.Part
}

// section is where their IDs are.
func (f figuresOf) section() dictionary.Section {
	if f.part != 0 {
		return dictionary.Temporals
	}
	return dictionary.Numbers
}

// numberTable is that of one segment.
type numberTable struct {
	at    kernels.Address
	bytes int64
	// own is the most decimals that a number of the segment has, up to mostScale; scale is that of the table.
	own, scale uint8
	// ranks is u32[], the place that each number has in the order of MIN and MAX, and places which has each; 0 and nil where they are as the IDs are.
	ranks   kernels.Address
	places  []uint32
	queries int
	round   uint64
}

const (
	// mostScale is how many decimals numbers may have that are added up on the device.
	mostScale = 6
	// mostScaled is the bound of numbers, times ten to the scale.
	mostScaled = 1 << 61
	// numbersShare is the share of the memory that tables of numbers may take.
	numbersShare = 16
)

// errUnfolded: the device does not fold the rows of a plan; nothing was emitted.
var errUnfolded = errors.New("gpu: the rows have to be folded by the processor")

// heldNumbers are the tables that a query uses.
type heldNumbers struct {
	of     *numberTables
	tables []*numberTable
	// ranges are those of the numbers, of a scale, parts those of parts of dates.
	ranges []kernels.NumberRange
	scale  uint8
	parts  map[dictionary.Part][]kernels.NumberRange
}

// ranked reports whether the numbers have places in the order of MIN and MAX: they are in one segment.
func (h *heldNumbers) ranked() bool { return len(h.ranges) <= 1 }

// ranks are their places; 0: those of their IDs.
func (h *heldNumbers) ranks() kernels.Address {
	if len(h.tables) != 1 {
		return 0
	}
	return h.tables[0].ranks
}

// at is the number that has the place of an ID.
func (h *heldNumbers) at(place dictionary.ID) dictionary.ID {
	if h.ranks() == 0 {
		return place
	}
	return h.ranges[0].First + h.tables[0].places[place-h.ranges[0].First]
}

// hold returns the tables of a dictionary that are asked for, those of parts of dates and, as part 0, of numbers, made where they are not there, until they are let go.
// Without room for them the error is errUnfolded or ErrOutOfMemory.
func (n *numberTables) hold(ctx context.Context, stream kernels.Stream, dict *dictionary.Dictionary, parts ...dictionary.Part) (h *heldNumbers, err error) {
	n.work.Lock()
	defer n.work.Unlock()
	h = &heldNumbers{of: n, parts: map[dictionary.Part][]kernels.NumberRange{}}
	defer func() {
		if err != nil {
			h.letGo()
		}
	}()
	for _, part := range parts {
		if part == 0 {
			h.ranges, err = n.ofNumbers(ctx, stream, dict, h)
		} else {
			h.parts[part], err = n.ranges(ctx, stream, dict, h, part, 0, nil)
		}
		if err != nil {
			return h, err
		}
	}
	return h, nil
}

// ofNumbers are ranges of numbers, whose scale it finds.
func (n *numberTables) ofNumbers(ctx context.Context, stream kernels.Stream, dict *dictionary.Dictionary, h *heldNumbers) ([]kernels.NumberRange, error) {
	found := map[*dictionary.Segment]*exactNumbers{}
	for i, s := range dict.Segments() {
		r := dict.Section(i, dictionary.Numbers)
		if r.Len() == 0 {
			continue
		}
		own, known := n.scaleOf(s)
		if !known {
			var err error
			if found[s], err = readNumbers(ctx, dict, r); err != nil {
				return nil, err
			}
			own = found[s].scale
		}
		h.scale = max(h.scale, own)
	}
	return n.ranges(ctx, stream, dict, h, 0, h.scale, found)
}

// ranges holds tables of a dictionary's segments, and returns what IDs they are of.
func (n *numberTables) ranges(
	ctx context.Context, stream kernels.Stream, dict *dictionary.Dictionary, h *heldNumbers, part dictionary.Part, scale uint8, found map[*dictionary.Segment]*exactNumbers,
) (ranges []kernels.NumberRange, err error) {
	for i, s := range dict.Segments() {
		of := figuresOf{s, part}
		r := dict.Section(i, of.section())
		if r.Len() == 0 {
			continue
		}
		if len(ranges) == kernels.MostNumbers {
			return nil, errUnfolded
		}
		t, err := n.table(ctx, stream, dict, of, r, found[s], scale)
		if err != nil {
			return nil, err
		}
		h.tables = append(h.tables, t)
		ranges = append(ranges, kernels.NumberRange{Doubles: t.at, First: r.From, Count: uint32(r.Len())})
	}
	return ranges, nil
}

// letGo ends what hold began.
func (h *heldNumbers) letGo() {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	for _, t := range h.tables {
		t.queries--
	}
	h.tables = nil
}

// scaleOf is the most decimals that a segment's numbers have, where that is known.
func (n *numberTables) scaleOf(s *dictionary.Segment) (scale uint8, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if t := n.all[figuresOf{segment: s}]; t != nil {
		return t.own, true
	}
	return 0, false
}

// scales are the least and the most decimals that the numbers of a dictionary may have, as far as is known.
func (n *numberTables) scales(dict *dictionary.Dictionary) (least, most uint8) {
	for i, s := range dict.Segments() {
		if dict.Section(i, dictionary.Numbers).Len() == 0 {
			continue
		}
		scale, known := n.scaleOf(s)
		if least = max(least, scale); !known {
			most = mostScale
		}
	}
	return least, max(least, most)
}

// find holds a table that is there.
func (n *numberTables) find(of figuresOf, scale uint8) (t *numberTable, busy bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	t = n.all[of]
	if t == nil || t.scale != scale {
		return nil, t != nil && t.queries > 0
	}
	t.queries++
	t.round = n.rounds
	return t, false
}

// table holds a table, of which numbers are those that were read; nil: they have not been.
func (n *numberTables) table(
	ctx context.Context, stream kernels.Stream, dict *dictionary.Dictionary, of figuresOf, r dictionary.Range, numbers *exactNumbers, scale uint8,
) (*numberTable, error) {
	t, busy := n.find(of, scale)
	if t != nil {
		return t, nil
	}
	if busy {
		return nil, errUnfolded
	}
	if numbers == nil {
		var err error
		if of.part != 0 {
			numbers, err = readParts(ctx, dict, r, of.part)
		} else {
			numbers, err = readNumbers(ctx, dict, r)
		}
		if err != nil {
			return nil, err
		}
	}
	words := numbers.doubled(scale)
	t = &numberTable{own: numbers.scale, scale: scale, bytes: 8*int64(len(words)) + 4*int64(len(numbers.ranks)), places: places(numbers.ranks), queries: 1}
	if err := n.room(of, t.bytes); err != nil {
		return nil, err
	}
	var err error
	if t.at, err = n.d.alloc(t.bytes); err != nil {
		return nil, err
	}
	err = stream.Upload(t.at, kernels.Bytes(words))
	if err == nil && numbers.ranks != nil {
		t.ranks = t.at + kernels.Address(8*len(words))
		err = stream.Upload(t.ranks, kernels.Bytes(numbers.ranks))
	}
	if err == nil {
		err = stream.Synchronize()
	}
	if err != nil {
		return nil, errors.Join(err, n.d.give(t.at))
	}
	n.mu.Lock()
	n.all[of], t.round = t, n.rounds
	n.mu.Unlock()
	return t, nil
}

// room drops the table that some have, and all that nobody uses where there is no room for one of so many bytes.
func (n *numberTables) room(own figuresOf, bytes int64) error {
	most := n.d.memory.limit / numbersShare
	err := n.drop(func(of figuresOf, _ *numberTable) bool { return of == own })
	if n.bytes()+bytes > most && err == nil {
		err = n.drop(func(figuresOf, *numberTable) bool { return true })
	}
	if n.bytes()+bytes > most && err == nil {
		err = ErrOutOfMemory
	}
	return err
}

// drop gives back the tables that nobody uses and that which names.
func (n *numberTables) drop(which func(figuresOf, *numberTable) bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var errs []error
	for s, t := range n.all {
		if t.queries == 0 && which(s, t) {
			delete(n.all, s)
			errs = append(errs, n.d.give(t.at))
		}
	}
	return errors.Join(errs...)
}

// bytes is what the tables take.
func (n *numberTables) bytes() (sum int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.all {
		sum += t.bytes
	}
	return sum
}

// forget gives back the tables that nobody has used since the call before.
func (n *numberTables) forget() error {
	n.mu.Lock()
	rounds := n.rounds
	n.rounds++
	clear(n.others)
	n.mu.Unlock()
	return n.drop(func(_ figuresOf, t *numberTable) bool { return t.round < rounds })
}

// values are those that one label or two lead to, or from, and what they are asked for.
type values struct {
	labels [2]pcsr.Label
	use    numbersUse
}

// numbersUse is what numbers are asked for.
type numbersUse uint8

const (
	asSummed numbersUse = iota
	asComputed
	asSelected
	asOrdered
	asSifted
)

// summed are the values of a plan's fold.
func summed(plan *bgp.MatchPlan) (values, bool) {
	if plan.Fold.Computes() {
		return valuesOf(plan, asComputed, numbersOf(plan)...)
	}
	return valuesOf(plan, asSummed, numbersOf(plan)...)
}

// selectedBy are the values by which a plan's first rows are found.
func selectedBy(plan *bgp.MatchPlan) (values, bool) {
	if of := plan.Top.Of; of != nil {
		return valuesOf(plan, asOrdered, of.Columns(nil)...)
	}
	return valuesOf(plan, asSelected, plan.Top.Column)
}

// valuesOf are the values of columns of a plan's output, of the first two, where labels lead to them.
func valuesOf(plan *bgp.MatchPlan, use numbersUse, columns ...int) (v values, ok bool) {
	v.use = use
	for i, c := range columns[:min(len(columns), len(v.labels))] {
		if v.labels[i], ok = labelOf(plan, plan.Output[c]); !ok {
			return v, false
		}
	}
	return v, ok
}

// labelOf is a label that leads to a slot, or from it.
func labelOf(plan *bgp.MatchPlan, slot int) (label pcsr.Label, ok bool) {
	for k := range plan.Steps {
		for _, l := range plan.Steps[k].Links {
			if (plan.Inputs+k == slot || l.From.Slot == slot) && l.Kind != bgp.EdgeLabels && l.Label.IsConstant() {
				return l.Label.Constant, true
			}
		}
	}
	return label, false
}

// may reports whether values may be what is asked of them, as far as is known.
func (n *numberTables) may(v values, ok bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !ok || !n.others[v]
}

// refuse remembers that some of them are not.
func (n *numberTables) refuse(v values, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if ok {
		n.others[v] = true
	}
}

// known is a plan without what is known not to be done on the device.
func (n *numberTables) known(plan *bgp.MatchPlan) *bgp.MatchPlan {
	if plan.Fold != nil && !n.may(summed(plan)) {
		plan = plan.Unfolded()
	}
	if plan.Top != nil && !n.may(selectedBy(plan)) {
		plan = plan.Unordered()
	}
	if plan.Where != nil && !n.may(siftedBy(plan)) {
		whole := *plan
		whole.Where = nil
		plan = &whole
	}
	return plan
}
