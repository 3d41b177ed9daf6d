package gpu

import (
	"context"
	"errors"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// listsPrice is how much a plan must cost, in candidates an edge of its lists, for these being made in host memory by the processor the first time that they are
// wanted; of a lesser one the first count is joined in pages, as making them takes longer: some 25 ns an edge of 16 cores, by reckoning.
const listsPrice = 40

// paysLists reports whether a plan costs so much.
func (d *Device) paysLists(m *match.Match, keys ...match.PartitionKey) bool {
	edges := 0.0
	for _, key := range keys {
		edges += float64(m.Graph.Outline(key.Label, key.Direction).Edges())
	}
	return d.options.AnyCost || m.Plan.Cost >= listsPrice*edges
}

// hostLists returns lists that are kept in pinned host memory by a key, and has them made where they are not there; errNotDense where they do not pay and are wanted
// for the first time, or where there is no memory. They are given back with the graph. make makes them in a storage that they have then; it is left to
// itself where the context ends.
func hostLists[K comparable, V any](ctx context.Context, r *reading, kept map[K]*V, key K, pays bool, make func(s *storage) (*V, error)) (*V, error) {
	if v := look(r, kept, key); v != nil {
		return v, nil
	}
	var v *V
	err := r.d.apart(ctx, func() (err error) {
		r.making.Lock()
		defer r.making.Unlock()
		if v = look(r, kept, key); v != nil {
			return nil
		}
		if !ask(r, kept, key) && !pays {
			return errNotDense
		}
		var made *V
		var s storage
		err = section.Guard(func() (err error) {
			made, err = make(&s)
			return err
		})
		if errors.Is(err, ErrOutOfMemory) {
			err = errNotDense
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case err == nil && r.stream != nil:
			v, kept[key] = made, made
			return nil
		case err == nil: // the graph was forgotten
			err = context.Canceled
		}
		return errors.Join(err, s.release(r.d, r.d.memory.give))
	}, func() error { return nil })
	if err != nil {
		return nil, err
	}
	return v, nil
}

// look returns what is kept by a key; nil where it is not there.
func look[K comparable, V any](r *reading, kept map[K]*V, key K) *V {
	r.mu.Lock()
	defer r.mu.Unlock()
	return kept[key]
}

// ask reports whether it was asked for before.
func ask[K comparable, V any](r *reading, kept map[K]*V, key K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, asked := kept[key]
	if !asked {
		kept[key] = nil
	}
	return asked
}

// hostRoom makes room in pinned host memory that belongs to s.
func (d *Device) hostRoom(s *storage, words int) ([]uint32, kernels.Address, error) {
	m, err := d.partitions.pinned(4 * int64(words))
	if err != nil {
		return nil, 0, err
	}
	s.host = append(s.host, m)
	return unsafe.Slice((*uint32)(unsafe.Pointer(&m.Data[0])), words), m.Device, nil
}

// listsMaking is about how many candidates the processor could look at in the time in which it makes lists in host memory, an edge of them.
const listsMaking = 5

// listing is by which lists in host memory a plan is counted.
type listing struct {
	edges float64
	made  func(r *resident) bool // with mu held
	make  func(ctx context.Context, r *reading) error
}

// listingOf returns it; nil where a plan is not counted so.
func (d *Device) listingOf(m *match.Match) *listing {
	if m.Graph == nil || m.Plan.Empty || m.Plan.Query == nil || !countsAlone(m) || !d.readsPages(m) {
		return nil
	}
	l := match.Lower(m, true, d.options.Tuning)
	keys, out := []match.PartitionKey(nil), &listing{}
	switch {
	case l.Triangle != nil && d.paysTriples(m, &shape{Lowering: l}, &d.options):
		label := l.Triangle.Label
		keys = match.BothWays(label)[:1]
		out.made = func(r *resident) bool { return r.hostTriples[label] != nil }
		out.make = func(ctx context.Context, r *reading) error { return failed(r.tripleLists(ctx, label, true)) }
	case l.Dense != nil:
		label := l.Dense.Label
		keys = match.BothWays(label)[:1]
		out.made = func(r *resident) bool { return r.hostCores[label] != nil }
		out.make = func(ctx context.Context, r *reading) error { return failed(r.hostCore(ctx, label, true)) }
	case l.Squares != nil:
		keys = l.Squares.Lists
		out.made = func(r *resident) bool { return r.hostOrders[keyOf(keys)] != nil }
		out.make = func(ctx context.Context, r *reading) error { return failed(r.orderedAway(ctx, keys, true)) }
	default:
		return nil
	}
	for _, key := range keys {
		out.edges += float64(m.Graph.Outline(key.Label, key.Direction).Edges())
	}
	return out
}

func failed[T any](_ *T, err error) error { return err }

// price is what having the lists made costs, in the unit of plans' costs; 0 where they are there.
func (l *listing) price(d *Device, g *pcsr.Graph) float64 {
	d.mu.Lock()
	r := d.graphs[g]
	d.mu.Unlock()
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if l.made(r) {
			return 0
		}
	}
	return listsMaking * l.edges
}
