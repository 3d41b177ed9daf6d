package loader

import (
	"context"
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// Triple is a triple of a snapshot, by the IDs of its dictionary; the graph dictionary.None is the default graph.
type Triple struct {
	Graph, Subject, Predicate, Object dictionary.ID
}

// metTriples are the triples that a snapshot had already of what an intake has read: in memory, and beyond a part of the intake's in a file.
type metTriples struct{ rows *tripleList }

// metShare is the part of an intake's memory that they take.
const metShare = 16

func newMetTriples(l *load) *metTriples {
	return &metTriples{&tripleList{memory: newMemory(l.options.Threads), width: 4, budget: l.options.Memory / metShare, files: l.files}}
}

func (m *metTriples) release() error {
	if m == nil {
		return nil
	}
	err := m.rows.release()
	m.rows.memory.releaseAll()
	return err
}

// metWriter adds to them. One worker owns it; without a list it does nothing.
type metWriter struct {
	list *metTriples
	rows []uint32
}

func (w *metWriter) add(t Triple) (err error) {
	if w.list == nil {
		return nil
	}
	if len(w.rows) == cap(w.rows) {
		if err := w.end(); err != nil {
			return err
		}
		if w.rows, err = w.list.rows.fresh(); err != nil {
			return err
		}
	}
	w.rows = append(w.rows, t.Graph, t.Subject, t.Predicate, t.Object)
	return nil
}

// end adds the last ones.
func (w *metWriter) end() error {
	if w.rows == nil {
		return nil
	}
	rows := w.rows
	w.rows = nil
	return w.list.rows.add(rows)
}

// Met tells which of some triples of the snapshot were read, after Stage that remembers them.
func (in *Intake) Met(ctx context.Context, wanted map[Triple]bool) (map[Triple]bool, error) {
	found := map[Triple]bool{}
	if len(wanted) == 0 {
		return found, nil
	}
	var mu sync.Mutex
	err := in.l.met.rows.each(ctx, func(_ int, rows []uint32) error {
		for ; len(rows) > 0; rows = rows[4:] {
			if t := (Triple{rows[0], rows[1], rows[2], rows[3]}); wanted[t] {
				mu.Lock()
				found[t] = true
				mu.Unlock()
			}
		}
		return nil
	})
	return found, err
}
