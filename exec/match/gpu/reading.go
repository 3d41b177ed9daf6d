package gpu

import (
	"context"
	"errors"
	"time"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// reading is a graph on the device while a query reads it: the partitions that it asked for stay until it ends.
type reading struct {
	*resident
	held    []*loaded
	paged   map[int]*loaded // of those held, by place, what is read in pages
	views   []*view
	whole   bool          // it holds all of them
	reached bool          // all pages that can be wanted are pinned (reach.go)
	brought int64         // bytes that were copied for that
	waiting time.Duration // for what was not there
}

// read begins a reading. The graph is the state of it that the next queries are expected to read: what was kept for another
// one, and nobody reads, is freed.
func (d *Device) read(g *pcsr.Graph) (*reading, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.graphs[g]
	if r == nil {
		var err error
		if r, err = newResident(d, g); err != nil {
			return nil, err
		}
		d.graphs[g] = r
	}
	r.queries++
	r.round = d.rounds
	was := d.current[r.ground]
	d.current[r.ground] = r
	if was != nil && was != r && was.queries == 0 {
		delete(d.graphs, was.graph)
		return &reading{resident: r}, was.free()
	}
	return &reading{resident: r}, nil
}

// end ends the reading.
func (r *reading) end() error {
	err := errors.Join(r.closeViews(), r.d.partitions.letGo(r.held...))
	r.held = nil
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.queries--; r.queries == 0 && d.current[r.ground] != r.resident {
		delete(d.graphs, r.graph)
		err = errors.Join(err, r.free())
	}
	return err
}

// hold keeps the partition at a place on the device until the reading ends, brings it there first where it is not, and returns what
// is to stand in the table.
func (r *reading) hold(ctx context.Context, at int, vertices bool) (kernels.Partition, error) {
	part, p := r.part(at), r.d.partitions
	l, entry := p.find(part.Identity(), vertices)
	if l == nil {
		begun := time.Now()
		var err error
		if l, entry, err = p.hold(ctx, r.ground, part, vertices); err != nil {
			return entry, err
		}
		r.waiting += time.Since(begun)
	}
	r.held = append(r.held, l)
	if l.pages != nil {
		if r.paged == nil {
			r.paged = map[int]*loaded{}
		}
		r.paged[at] = l
	}
	return entry, nil
}

// load brings a partition into the table, with the list of its row vertices if that is asked for.
func (r *reading) load(ctx context.Context, at int, vertices bool) (kernels.Partition, error) {
	entry, err := r.hold(ctx, at, vertices)
	if err != nil {
		return entry, err
	}
	return entry, r.publish(placed{at, []kernels.Partition{entry}})
}

// all loads every partition, with the lists of row vertices.
func (r *reading) all(ctx context.Context) error {
	if r.whole {
		return nil
	}
	entries := make([]kernels.Partition, 2*len(r.labels))
	for at := range entries {
		var err error
		if entries[at], err = r.hold(ctx, at, true); err != nil {
			return err
		}
	}
	if err := r.publish(placed{0, entries}); err != nil {
		return err
	}
	r.whole = true
	return r.labelSets(ctx)
}

// labelSets loads what tells the labels of a vertex's edges.
func (r *reading) labelSets(ctx context.Context) error {
	for n := range 4 {
		if _, err := r.load(ctx, 2*len(r.labels)+n, n < 2); err != nil {
			return err
		}
	}
	return nil
}
