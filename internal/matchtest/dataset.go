package matchtest

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Dataset is a real graph with queries and the number of solutions they have.
type Dataset struct {
	Graph   *pcsr.Graph
	Lookup  bgp.Lookup
	Queries []Query
}

// Query is one basic graph pattern of a dataset.
type Query struct {
	Name     string
	Patterns []parser.TriplePattern
	// Variables are what the query selects.
	Variables []string
	// Count and IsoCount are the solutions under homomorphism and isomorphism, -1 where nobody has computed them.
	Count, IsoCount int64
}

// Open reads the dataset in dir: data.nt.zst, queries/*.rq, expected.tsv.
func Open(dir string) (*Dataset, error) {
	d := &Dataset{}
	if err := d.readQueries(dir); err != nil {
		return nil, err
	}
	t := &terms{ids: make(map[rdf.Term]uint32)}
	edges, err := t.read(filepath.Join(dir, "data.nt.zst"))
	if err != nil {
		return nil, err
	}
	labels := t.renumber(edges)
	var options []pcsr.Option
	if id, ok := t.ids[rdf.NewIRI(rdf.RDFType)]; ok && int(id) < labels {
		options = append(options, pcsr.WithTypeLabel(id))
	}
	d.Graph, err = pcsr.Build(len(t.ids), labels, edges, options...)
	d.Lookup = func(term rdf.Term) (dictionary.ID, bool) {
		id, ok := t.ids[term]
		return id, ok
	}
	return d, err
}

// readQueries reads the queries and what is expected of them.
func (d *Dataset) readQueries(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(fields) < 3 {
			continue
		}
		q := Query{Name: fields[0], Count: number(fields[1]), IsoCount: number(fields[2])}
		if err := q.parse(filepath.Join(dir, "queries", q.Name+".rq")); err != nil {
			return err
		}
		d.Queries = append(d.Queries, q)
	}
	return nil
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// parse reads the pattern out of a query file.
func (q *Query) parse(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	query, err := parser.Parse(string(text), parser.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	q.Variables = query.Variables
	for node := query.Where; ; {
		switch n := node.(type) {
		case *parser.Project:
			node = n.Input
		case *parser.BGP:
			q.Patterns = n.Patterns
			return nil
		default:
			return fmt.Errorf("%s is more than a basic graph pattern", file)
		}
	}
}

// terms numbers terms as they come.
type terms struct {
	ids map[rdf.Term]uint32
}

func (t *terms) id(term rdf.Term) uint32 {
	id, ok := t.ids[term]
	if !ok {
		id = uint32(len(t.ids))
		t.ids[term] = id
	}
	return id
}

func (t *terms) read(file string) ([]pcsr.Edge, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var edges []pcsr.Edge
	err = loader.Read(bufio.NewReaderSize(z, 1<<20), loader.NTriples, "", func(q loader.Quad) error {
		edges = append(edges, pcsr.Edge{From: t.id(q.Subject), Label: t.id(q.Predicate), To: t.id(q.Object)})
		return nil
	})
	return edges, err
}

// renumber gives predicates the first IDs and lets the vertices of one class lie together, as a store does. It
// returns the number of predicates.
func (t *terms) renumber(edges []pcsr.Edge) (labels int) {
	type sortKey struct {
		kind  int // 0 predicate, 1 other resources, 2 literals
		class uint32
		old   uint32
	}
	order := make([]sortKey, len(t.ids))
	for term, id := range t.ids {
		order[id].old = id
		order[id].kind = 1
		if term.Kind == rdf.Literal {
			order[id].kind = 2
		}
	}
	rdfType, typed := t.ids[rdf.NewIRI(rdf.RDFType)]
	for _, e := range edges {
		order[e.Label].kind = 0
		if typed && e.Label == rdfType {
			order[e.From].class = max(order[e.From].class, e.To)
		}
	}
	slices.SortFunc(order, func(a, b sortKey) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.class, b.class), cmp.Compare(a.old, b.old))
	})
	final := make([]uint32, len(order))
	for id, k := range order {
		final[k.old] = uint32(id)
		if k.kind == 0 {
			labels++
		}
	}
	for term, id := range t.ids {
		t.ids[term] = final[id]
	}
	for i, e := range edges {
		edges[i] = pcsr.Edge{From: final[e.From], Label: final[e.Label], To: final[e.To]}
	}
	return labels
}
