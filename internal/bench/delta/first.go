package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// first measures how much longer a query takes that comes first after an update, which inserts a triple of each
// predicate that the data have, so that it touches all that any query reads.
func (s *settings) first(ctx context.Context, queries []query) error {
	predicates, err := predicatesOf(s.data)
	if err != nil {
		return err
	}
	dir, err := s.load(ctx, "first.store", s.data)
	if err != nil {
		return err
	}
	store, err := openWritable(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	var dearer []time.Duration
	names := map[time.Duration]string{}
	number := 0
	for _, q := range queries {
		var more []time.Duration
		for range s.updates {
			number++
			if _, err := store.Update(ctx, touching(predicates, number), rdfgpu.UpdateOptions{}); err != nil {
				return err
			}
			first, _, err := ask(ctx, store, q)
			if err != nil {
				return err
			}
			second, _, err := ask(ctx, store, q)
			if err != nil {
				return err
			}
			more = append(more, first-second)
		}
		m := median(more)
		dearer = append(dearer, m)
		names[m] = q.name
	}
	slices.Sort(dearer)
	worst := dearer[len(dearer)-1]
	fmt.Fprintf(s.out, "\nThe first query after an update that touches all %d predicates takes %.3f ms more than the second (median of %d updates, the median of %d queries), %.3f ms at the most (%s).\n",
		len(predicates), milliseconds(dearer[len(dearer)/2]), s.updates, len(queries), milliseconds(worst), names[worst])
	return nil
}

// touching is an update that inserts a triple of each predicate.
func touching(predicates []string, number int) string {
	var text strings.Builder
	text.WriteString("INSERT DATA {\n")
	for _, p := range predicates {
		fmt.Fprintf(&text, "<http://rdfgpu.example/bench/first/%d> %s <http://rdfgpu.example/bench/first/o> .\n", number, p)
	}
	text.WriteString("}")
	return text.String()
}

// predicatesOf are the predicates of a file, in order.
func predicatesOf(file string) ([]string, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	seen := map[string]bool{}
	var predicates []string
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if terms := bytes.SplitN(lines.Bytes(), []byte{' '}, 3); len(terms) == 3 && !seen[string(terms[1])] {
			seen[string(terms[1])] = true
			predicates = append(predicates, string(terms[1]))
		}
	}
	slices.Sort(predicates)
	return predicates, lines.Err()
}
