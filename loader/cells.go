package loader

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// graphNames finds the graphs that have triples: the default graph, which is always there, and the named ones by ID.
type graphNames struct {
	ids    []uint32
	number map[uint32]int // by ID; the default graph has number 0 and no ID
}

// cellKey is a graph's ID, or defaultGraph, and a label.
type cellKey struct{ graph, label uint32 }

// countCells finds the cells of the list, in order.
func countCells(ctx context.Context, l *tripleList, final, labels []uint32, uses []uint64) ([]cell, *graphNames, error) {
	counts := map[cellKey]uint64{}
	if l.width == 3 {
		graph := graphID(final, l.graph)
		for n, used := range uses {
			if used > 0 {
				counts[cellKey{graph, labels[n]}] += used
			}
		}
	} else if err := countQuads(ctx, l, final, labels, counts); err != nil {
		return nil, nil, err
	}
	names := &graphNames{number: map[uint32]int{}}
	for key := range counts {
		if _, ok := names.number[key.graph]; !ok && key.graph != defaultGraph {
			names.number[key.graph] = 0
			names.ids = append(names.ids, key.graph)
		}
	}
	slices.Sort(names.ids)
	for i, id := range names.ids {
		names.number[id] = i + 1
	}
	var cells []cell
	for key, n := range counts {
		cells = append(cells, cell{names.number[key.graph], key.label, n})
	}
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Or(cmp.Compare(a.graph, b.graph), cmp.Compare(a.label, b.label)) })
	return cells, names, nil
}

func countQuads(ctx context.Context, l *tripleList, final, labels []uint32, counts map[cellKey]uint64) error {
	var mu sync.Mutex
	return l.each(ctx, func(_ int, rows []uint32) error {
		local := map[cellKey]uint64{}
		for ; len(rows) > 0; rows = rows[4:] {
			local[cellKey{graphID(final, rows[rowGraph]), labels[rows[rowPredicate]]}]++
		}
		mu.Lock()
		defer mu.Unlock()
		for key, n := range local {
			counts[key] += n
		}
		return nil
	})
}

func graphID(final []uint32, provisional uint32) uint32 {
	if provisional == defaultGraph {
		return defaultGraph
	}
	return final[provisional]
}
