package rdfgpu

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// DumpOptions are the settings of a dump.
type DumpOptions struct {
	// Graph, where it is not nil, is the IRI of the one graph to write, "" the default graph.
	Graph *string
	// Triples leaves the names of graphs out: N-Triples.
	Triples bool
	// Progress, when not nil, is called several times a second with the number of quads written.
	Progress func(written, total uint64)
}

// DumpReport is what a dump wrote.
type DumpReport struct {
	Sequence uint64 `json:"sequence"`
	Quads    uint64 `json:"quads"`
}

// Dump writes a snapshot as N-Quads, or as N-Triples: whatever is committed meanwhile is not in it. Loading what it wrote gives the
// same data set, blank nodes renamed.
func (s *Store) Dump(ctx context.Context, w io.Writer, options DumpOptions) (report DumpReport, err error) {
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	d := &dumper{ctx: ctx, out: bufio.NewWriterSize(w, 1<<20), terms: snapshot.Dictionary(), options: options, told: time.Now()}
	err = section.Guard(func() error { return d.dump(snapshot) })
	return DumpReport{Sequence: snapshot.Sequence(), Quads: d.written}, err
}

// dumper writes quads.
type dumper struct {
	ctx            context.Context
	out            *bufio.Writer
	terms          *dictionary.Dictionary
	options        DumpOptions
	line           []byte
	written, total uint64
	told           time.Time
}

// dumpInterval is the time between two calls of DumpOptions.Progress, dumpStep how many quads are written between looks at the clock.
const (
	dumpInterval = 200 * time.Millisecond
	dumpStep     = 1 << 12
)

func (d *dumper) dump(snapshot *live.Snapshot) (err error) {
	names := append([]ID{dictionary.None}, snapshot.NamedGraphs()...)
	if only := d.options.Graph; only != nil {
		if names, err = d.only(snapshot, graphTerm(*only)); err != nil {
			return err
		}
	}
	for _, name := range names {
		g, err := snapshot.Graph(name)
		if err != nil {
			return err
		}
		d.total += g.Edges()
	}
	for _, name := range names {
		g, err := snapshot.Graph(name)
		if err == nil {
			err = d.graph(name, g)
		}
		if err != nil {
			return err
		}
	}
	return d.out.Flush()
}

// only is the one graph to be written.
func (d *dumper) only(snapshot *live.Snapshot, name Term) ([]ID, error) {
	if name.IsZero() {
		return []ID{dictionary.None}, nil
	}
	if exists, err := hasGraph(snapshot.State, name); err != nil || !exists {
		return nil, fmt.Errorf("%w: %s", ErrNoGraph, name)
	}
	id, _ := d.terms.Lookup(name)
	return []ID{id}, nil
}

func (d *dumper) graph(name ID, g *pcsr.Graph) error {
	var end []byte
	if name != dictionary.None && !d.options.Triples {
		end = append(d.terms.AppendNTriples(end, name), ' ')
	}
	end = append(end, ".\n"...)
	for _, label := range g.UsedLabels() {
		predicate := append(d.terms.AppendNTriples([]byte{' '}, label), ' ')
		for from, list := range g.Partition(label, pcsr.Out).Lists() {
			d.line = append(d.terms.AppendNTriples(d.line[:0], from), predicate...)
			subject := len(d.line)
			for _, to := range list {
				d.line = append(d.terms.AppendNTriples(d.line[:subject], to), ' ')
				d.line = append(d.line, end...)
				if _, err := d.out.Write(d.line); err != nil {
					return err
				}
				if d.written++; d.written%dumpStep == 0 {
					if err := d.look(); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// look ends the dump with its context, and tells how far it is.
func (d *dumper) look() error {
	if d.options.Progress != nil && time.Since(d.told) > dumpInterval {
		d.options.Progress(d.written, d.total)
		d.told = time.Now()
	}
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	return nil
}
