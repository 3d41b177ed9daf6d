package generate

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"
)

// TestNumberedEdgesAreThoseOfTheText: line by line, with one number for one term, and one term for one number but for large numbers.
func TestNumberedEdgesAreThoseOfTheText(t *testing.T) {
	g := Commerce{Scale: 3, Seed: 5}
	var text bytes.Buffer
	if _, err := g.WriteNTriples(context.Background(), &text); err != nil {
		t.Fatal(err)
	}
	n := g.Numbers()
	var edges []Edge
	for b := range n.Blocks() {
		n.Block(b, func(e Edge) { edges = append(edges, e) })
	}
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	if len(lines) != len(edges) {
		t.Fatalf("%d lines, %d edges", len(lines), len(edges))
	}
	numbers, terms := map[string]uint64{}, map[uint64]string{}
	for i, line := range lines {
		fields := strings.SplitN(strings.TrimSuffix(line, " ."), " ", 3)
		if got := "<" + n.Predicates()[edges[i].Predicate] + ">"; got != fields[1] {
			t.Fatalf("%s: %s", line, got)
		}
		for _, end := range []struct {
			term   string
			number uint64
		}{{fields[0], edges[i].From}, {fields[2], edges[i].To}} {
			if end.number >= n.Vertices() {
				t.Fatalf("%s: %d of %d", line, end.number, n.Vertices())
			}
			if was, known := numbers[end.term]; known && was != end.number {
				t.Fatalf("%s: %s is %d and %d", line, end.term, was, end.number)
			}
			numbers[end.term] = end.number
			value, err := strconv.Atoi(strings.Trim(end.term, `"`))
			if was, known := terms[end.number]; known && was != end.term && (err != nil || value < smallRange) {
				t.Fatalf("%s: %d is %s and %s", line, end.number, was, end.term)
			}
			terms[end.number] = end.term
		}
	}
}
