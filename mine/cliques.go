package mine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrSize: cliques and motifs of such a size are not looked for.
var ErrSize = errors.New("mine: the size is out of range")

// next is the extension by which a clique becomes a larger one, each in one order only: by ascending vertices, so that every vertex
// is followed by neighbours of no lower degree than its own.
func next(width int) Extension {
	return Extension{Adjacent: First(width), Above: Positions(width - 1)}
}

// Triangles counts the triangles, each once.
func Triangles(ctx context.Context, g *Graph, options Options) (uint64, error) {
	return Cliques(ctx, g, 3, options)
}

// Cliques counts the sets of size vertices, 2 to 32, that are all adjacent to each other. The time goes with the number of
// cliques of one vertex less, each times the lists of its vertices above themselves. The error is ErrSize, or the cause of ctx.
func Cliques(ctx context.Context, g *Graph, size int, options Options) (uint64, error) {
	if err := checkSize(size, 2, maxColumns); err != nil {
		return 0, err
	}
	var sum atomic.Uint64
	var extend func(t *Table) error
	extend = func(t *Table) error {
		if t.Width() < size-1 {
			return t.Extend(next(t.Width()), extend)
		}
		n, err := t.Count(next(t.Width()))
		sum.Add(n)
		return err
	}
	err := Run(ctx, g, options, extend)
	return sum.Load(), err
}

// EachClique calls each with every clique of a size, its vertices ascending, from several goroutines at once and in no order. The slice
// is valid during the call. An error of each ends it.
func EachClique(ctx context.Context, g *Graph, size int, options Options, each func([]Vertex) error) error {
	if err := checkSize(size, 2, maxColumns); err != nil {
		return err
	}
	var extend func(t *Table) error
	extend = func(t *Table) error {
		if t.Width() < size {
			return t.Extend(next(t.Width()), extend)
		}
		for row := range t.Len() {
			if err := each(t.Row(row)); err != nil {
				return err
			}
		}
		return nil
	}
	return Run(ctx, g, options, extend)
}

func checkSize(size, least, most int) error {
	if size < least || size > most {
		return fmt.Errorf("%w: %d is not between %d and %d", ErrSize, size, least, most)
	}
	return nil
}
