package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/bench"
	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

// known is an ordinary query and its answer: how many lines, and a sum of their hashes, whatever their order.
type known struct {
	Name  string
	query *hostile.Query
	sum
}

// sum is a checksum of lines that does not depend on their order.
type sum struct {
	Lines int64
	Hash  uint64
}

// summer computes a sum of what is written to it.
type summer struct {
	sum
	rest []byte // of a line whose end has not come
}

// Write takes a part of a text.
func (s *summer) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			s.rest = append(s.rest, p...)
			return n, nil
		}
		h := fnv.New64a()
		h.Write(s.rest)
		h.Write(p[:end])
		s.Lines++
		s.Hash += h.Sum64()
		s.rest, p = s.rest[:0], p[end+1:]
	}
}

// ordinary are queries for any store; %p are its predicates.
var ordinary = []string{
	"SELECT (COUNT(*) AS ?n) { ?a ?p ?b }", "SELECT ?c (COUNT(*) AS ?n) { ?a a ?c } GROUP BY ?c", "SELECT ?p (COUNT(*) AS ?n) { ?a ?p ?b } GROUP BY ?p",
	"SELECT (COUNT(*) AS ?n) { ?a %p ?b }", "SELECT (COUNT(DISTINCT ?b) AS ?n) { ?a %p ?b }", "SELECT ?p ?b { %t ?p ?b }", "SELECT ?a ?p { ?a ?p %t }", "ASK { ?a %p ?a }",
	"SELECT ?b ?c { %t ?p ?b OPTIONAL { ?b %p ?c } }", "SELECT DISTINCT ?p { { %t ?p ?b } UNION { ?b ?p %t } }", "SELECT (COUNT(*) AS ?n) { ?a %p ?b FILTER NOT EXISTS { ?b %p ?c } }",
	"SELECT ?b { %t (%p|%p) ?b MINUS { ?b a ?c } }", "SELECT DISTINCT ?g { GRAPH ?g { ?a ?p ?b } }", "SELECT (MIN(?b) AS ?m) (MAX(?b) AS ?n) { ?a %p ?b }",
}

// ordinaryEach is how often each of the ordinary queries is drawn, with other terms; maxLines bounds their answers.
const (
	ordinaryEach = 4
	maxLines     = 60_000
)

// learnKnown collects ordinary queries and asks the idle server for their answers. Where a count is known from elsewhere,
// it is compared.
func (t *trial) learnKnown(ctx context.Context) ([]*known, error) {
	list, err := t.published()
	if err != nil {
		return nil, err
	}
	for i, template := range ordinary {
		for j := range ordinaryEach {
			text := hostile.New(hostile.Random(t.settings.Seed, uint64(i*ordinaryEach+j)), t.vocabulary).Fill(template)
			list = append(list, &known{Name: fmt.Sprintf("ordinary %d.%d", i, j), query: plain(text), sum: sum{Lines: -1}})
		}
	}
	c := newConnection(t.server, "")
	defer c.close()
	var kept []*known
	for _, k := range list {
		var s summer
		a := c.send(ctx, k.query, &s)
		switch {
		case a.Status != 200 || a.Err != "" || s.Lines > maxLines:
			fmt.Fprintf(os.Stderr, "%s: left out: %s: status %d %s, %d lines\n", t.server.name, k.Name, a.Status, a.Err, s.Lines)
			continue
		case k.Lines >= 0 && k.Lines != s.Lines-1:
			t.add(violation{Kind: wrong, Detail: fmt.Sprintf("%s: %d solutions instead of %d, at rest", k.Name, s.Lines-1, k.Lines)})
		}
		k.sum = s.sum
		kept = append(kept, k)
	}
	return kept, nil
}

// published are the queries of the repository's data set whose number of solutions is written down there.
func (t *trial) published() (list []*known, err error) {
	dir := filepath.Join(t.settings.Data, "nomisma", "queries")
	if t.server.name != "nomisma" {
		return nil, nil
	}
	cases, err := bench.Cases(dir, []bench.Form{bench.TSV}, nil)
	for _, c := range cases {
		list = append(list, &known{Name: c.Query, query: plain(c.Text), sum: sum{Lines: c.Expected}})
	}
	return list, err
}

// differs says how an answer is not the known one: "" where it is.
func (k *known) differs(s *summer) string {
	if s.sum == k.sum && len(s.rest) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d lines (%x) instead of %d (%x): %s", k.Name, s.Lines, s.Hash, k.Lines, k.Hash, strings.Join(strings.Fields(k.query.Text()), " "))
}
