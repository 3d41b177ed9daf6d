package loader

import (
	"errors"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// oldStore is the store that a load adds to or makes anew.
type oldStore struct {
	Snapshot
	manifest *store.Manifest
	opened   *store.Store // nil where the snapshot is the caller's
	// keep is how many of its segments stay as they are, start the number of their terms: the IDs below stay.
	keep  int
	start uint32

	// known are the IDs plus one, by provisional ID, of the inputs' terms that the store has; labels likewise by
	// predicate number, without the plus one (None).
	known  []uint32
	labels []uint32

	// Of the terms that get new IDs: a bit for each that is used, and the provisional IDs of these, both by ID less start.
	// Of those that do not, and which triples that are taken over name: their IDs, ascending, with provisional IDs from
	// borrowedFrom on.
	numbers      map[pcsr.Label]uint32 // of the predicates in what is taken over
	used         []uint64
	taken        []uint32
	borrowed     []uint32
	borrowedFrom uint32
}

// openOld opens the store in dir; nil when there is none yet.
func openOld(dir string) (*oldStore, error) {
	s, err := store.Open(dir)
	if errors.Is(err, store.ErrNotStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := newOld(stored{s}, s.Manifest())
	o.opened = s
	return o, nil
}

// newOld is the store of a manifest as a snapshot has it; all its segments stay.
func newOld(s Snapshot, m *store.Manifest) *oldStore {
	o := &oldStore{Snapshot: s, manifest: m}
	o.keepFirst(len(m.Segments))
	return o
}

func (o *oldStore) close() error {
	if o == nil || o.opened == nil {
		return nil
	}
	return o.opened.Close()
}

func (o *oldStore) keepFirst(n int) {
	o.keep, o.start = n, 0
	for _, s := range o.manifest.Segments[:n] {
		o.start += uint32(s.Terms)
	}
}

// log is the store's log as it is when the snapshot is in the segments.
func (o *oldStore) log() store.Log {
	if o == nil {
		return store.Log{} // a load that replaces a store ends its log
	}
	return store.Log{ID: o.manifest.Log.ID, Sequence: o.Sequence()}
}

// skips reports whether a term needs no new ID. A nil store skips nothing.
func (o *oldStore) skips(id uint32) bool {
	return o != nil && uint64(id) < uint64(len(o.known)) && o.known[id] != 0 && o.known[id]-1 < o.start
}

// first is the ID of the first new term.
func (o *oldStore) first() uint32 {
	if o == nil {
		return 0
	}
	return o.start
}

// label is the label that a predicate keeps.
func (o *oldStore) label(number int) (label uint32, ok bool) {
	if o == nil || number >= len(o.labels) || o.labels[number] >= o.start {
		return 0, false
	}
	return o.labels[number], true
}

// isPredicate reports whether a term is an edge label in the segments that stay.
func (o *oldStore) isPredicate(id uint32) bool {
	start := uint32(0)
	for _, s := range o.manifest.Segments[:o.keep] {
		if id >= start && id-start < uint32(s.Predicates) {
			return true
		}
		if _, late := slices.BinarySearch(s.LatePredicates, dictionary.ID(id)); late {
			return true
		}
		start += uint32(s.Terms)
	}
	return false
}

// typeLabel is the label of rdf:type where the segments that stay have it.
func (o *oldStore) typeLabel() (label uint32, ok bool) {
	if o == nil {
		return 0, false
	}
	label, ok = o.label(typeNumber)
	return label, ok && o.isPredicate(label)
}

// latePredicates are the labels that were no predicates in the segments that stay, ascending.
func (o *oldStore) latePredicates(labels []uint32) (late []dictionary.ID) {
	for _, label := range labels {
		if o != nil && label < o.start && !o.isPredicate(label) {
			late = append(late, label)
		}
	}
	slices.Sort(late)
	return late
}

// settle gives the terms that the store has their ranks.
func (l *load) settle(order *termOrder) {
	o := l.old
	if o == nil {
		return
	}
	n := uint32(order.size())
	order.first = o.start
	l.memory.inRanges(len(o.known), func(from, to int) {
		for id := from; id < to; id++ {
			switch k := o.known[id]; {
			case k == 0:
			case k-1 < o.start:
				order.rank[id] = n + k - 1
			default:
				if taken := o.taken[k-1-o.start]; taken != uint32(id) {
					order.rank[id] = order.rank[taken]
				}
			}
		}
	})
	for i, id := range o.borrowed {
		order.rank[int(o.borrowedFrom)+i] = n + id
	}
	release(l.memory, o.known)
	release(l.memory, o.taken)
	release(l.memory, o.used)
	o.known, o.taken, o.used, o.borrowed = nil, nil, nil, nil
}
