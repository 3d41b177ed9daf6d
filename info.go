package rdfgpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/backend"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Info describes a store.
type Info struct {
	Path          string `json:"path"`
	FormatVersion int    `json:"formatVersion"`
	// Triples counts the default graph and all named graphs.
	Triples     uint64 `json:"triples"`
	NamedGraphs int    `json:"namedGraphs"`
	Terms       int    `json:"terms"`
	IRIs        int    `json:"iris"`
	BlankNodes  int    `json:"blankNodes"`
	Literals    int    `json:"literals"`
	Predicates  int    `json:"predicates"`
	Classes     int    `json:"classes"`
	// Bytes is the size on disk, by part.
	Bytes      map[string]int64 `json:"bytes"`
	TotalBytes int64            `json:"totalBytes"`
	// Segments are the base and what was added to it, in this order; Advice says when Compact would help.
	Segments []SegmentInfo `json:"segments"`
	Advice   string        `json:"advice,omitempty"`
}

// SegmentInfo is one segment of a store: the terms that no segment before it has, the triples that it adds to those which are
// there after these, and how many of them are gone with it.
type SegmentInfo struct {
	Folder  string    `json:"folder"`
	Created time.Time `json:"created"`
	Triples uint64    `json:"triples"`
	Removed uint64    `json:"removed,omitempty"`
	Terms   int       `json:"terms"`
	Bytes   int64     `json:"bytes"`
}

// DeviceInfo describes a GPU.
type DeviceInfo = backend.Info

// Device describes the GPU and what of the store is resident there.
func (s *Store) Device() DeviceInfo { return s.backends.Describe() }

// DescribeDevice describes the GPU.
func DescribeDevice() DeviceInfo {
	b := backend.New(nil, backend.Options{})
	defer b.Close()
	return b.Describe()
}

// Schema is the data set at a glance.
type Schema struct {
	Classes    []ClassInfo     `json:"classes"`
	Predicates []PredicateInfo `json:"predicates"`
	// Links are the predicates that lead from members of one class to members of another.
	Links []LinkInfo `json:"links"`
}

// ClassInfo is a class and how many members it has.
type ClassInfo struct {
	IRI     string `json:"iri"`
	Members uint64 `json:"members"`
}

// PredicateInfo is a predicate with its triples, distinct subjects and distinct objects.
type PredicateInfo struct {
	IRI      string `json:"iri"`
	Triples  uint64 `json:"triples"`
	Subjects uint64 `json:"subjects"`
	Objects  uint64 `json:"objects"`
}

// LinkInfo says that about Triples triples of Predicate lead from class From to class To.
type LinkInfo struct {
	From      string `json:"from"`
	Predicate string `json:"predicate"`
	To        string `json:"to"`
	Triples   uint64 `json:"triples"`
}

// Example is a query that comes with a store.
type Example struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Info describes the store as it is now. The first call, and the first after the files have changed, read the kind of every
// term. The error wraps ErrDamaged where the terms or the classes cannot be read.
func (s *Store) Info() (i Info, err error) {
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	err = section.Guard(func() error {
		i = s.describe(snapshot)
		return nil
	})
	return i, err
}

func (s *Store) describe(of *live.Snapshot) (i Info) {
	d, m := of.Dictionary(), of.Files().Manifest()
	i = Info{
		Path: s.dir, FormatVersion: m.Version, Triples: of.Triples(), NamedGraphs: len(of.NamedGraphs()), Terms: d.Len(),
		Predicates: m.Predicates, Classes: len(classes(of.Default())), TotalBytes: m.Bytes(), Bytes: map[string]int64{},
	}
	removed := m.Removed()
	for n, segment := range m.Segments {
		i.Segments = append(i.Segments, SegmentInfo{segment.Folder, segment.Created, segment.Triples, removed[n], segment.Terms, segment.Bytes()})
		for _, f := range segment.Files {
			i.Bytes[f.Name] += f.Bytes
		}
		if g := segment.Default; g != nil {
			i.Bytes[g.Name] += g.Bytes
		}
		if n := segment.NamedBytes(); n > 0 {
			i.Bytes["named graphs"] += n
		}
		for _, g := range segment.Removed {
			i.Bytes["removed triples"] += g.Bytes
		}
	}
	i.IRIs, i.BlankNodes, i.Literals = s.kinds.of(of)
	i.advise()
	return i
}

// kindCounts remembers how many terms of each kind the files of a store have.
type kindCounts struct {
	mu     sync.Mutex
	files  *store.Store
	counts [3]int
}

// of counts the IRIs, blank nodes and literals of a snapshot.
func (k *kindCounts) of(snapshot *live.Snapshot) (iris, blanks, literals int) {
	d := snapshot.Dictionary()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files != snapshot.Files() {
		k.files, k.counts = snapshot.Files(), [3]int{}
		countKinds(d, 0, d.Ordered(), &k.counts)
	}
	counts := k.counts
	countKinds(d, d.Ordered(), ID(d.Len()), &counts)
	return counts[0], counts[1], counts[2]
}

func countKinds(d *dictionary.Dictionary, from, to ID, counts *[3]int) {
	for id := from; id < to; id++ {
		switch d.Kind(id) {
		case rdf.IRI:
			counts[0]++
		case rdf.BlankNode:
			counts[1]++
		default:
			counts[2]++
		}
	}
}

// Compacting is advised where there are more segments, or a larger share of the triples is in added ones or removed.
const (
	manySegments = 24
	muchAdded    = 0.05
	muchRemoved  = 0.1
)

func (i *Info) advise() {
	written, added, removed := uint64(0), uint64(0), uint64(0)
	for n, s := range i.Segments {
		written, removed = written+s.Triples, removed+s.Removed
		if n > 0 {
			added += s.Triples
		}
	}
	share := func(of uint64) float64 { return float64(of) / float64(max(written, 1)) }
	switch {
	case len(i.Segments) > manySegments:
		i.Advice = fmt.Sprintf("there are %d segments: rdfgpu compact would make queries faster", len(i.Segments))
	case share(removed) > muchRemoved:
		i.Advice = fmt.Sprintf("%.0f %% of the triples are removed: rdfgpu compact would make the store smaller and queries faster", 100*share(removed))
	case share(added) > muchAdded:
		i.Advice = fmt.Sprintf("%.0f %% of the triples are in added segments: rdfgpu compact would make queries faster", 100*share(added))
	}
}

// Schema describes the classes and predicates of the default graph, largest first, and the links between classes,
// at most limit of each (0: all). The error wraps ErrDamaged.
func (s *Store) Schema(limit int) (schema Schema, err error) {
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	err = section.Guard(func() error {
		schema = sketch{snapshot.Default(), snapshot.Dictionary()}.schema(limit)
		return nil
	})
	return schema, err
}

// sketch looks at one graph.
type sketch struct {
	graph *pcsr.Graph
	terms *dictionary.Dictionary
}

func (s sketch) schema(limit int) Schema {
	g := s.graph
	schema := Schema{Classes: []ClassInfo{}, Predicates: []PredicateInfo{}, Links: s.links(limit)}
	typeLabel, _ := g.TypeLabel()
	for _, class := range classes(g) {
		schema.Classes = append(schema.Classes, ClassInfo{IRI: s.iri(class), Members: uint64(g.Degree(class, typeLabel, pcsr.In))})
	}
	for _, label := range g.UsedLabels() {
		triples, subjects, objects := g.Counts(label)
		schema.Predicates = append(schema.Predicates, PredicateInfo{
			IRI: s.iri(label), Triples: uint64(triples), Subjects: uint64(subjects), Objects: uint64(objects),
		})
	}
	slices.SortFunc(schema.Classes, func(a, b ClassInfo) int {
		return cmp.Or(cmp.Compare(b.Members, a.Members), cmp.Compare(a.IRI, b.IRI))
	})
	slices.SortFunc(schema.Predicates, func(a, b PredicateInfo) int {
		return cmp.Or(cmp.Compare(b.Triples, a.Triples), cmp.Compare(a.IRI, b.IRI))
	})
	schema.Classes, schema.Predicates = atMost(schema.Classes, limit), atMost(schema.Predicates, limit)
	return schema
}

func atMost[T any](list []T, limit int) []T {
	if limit > 0 && len(list) > limit {
		return list[:limit]
	}
	return list
}

// classes are the objects of rdf:type in a graph.
func classes(g *pcsr.Graph) []ID {
	label, ok := g.TypeLabel()
	if !ok {
		return nil
	}
	return g.Outline(label, pcsr.In).Vertices()
}

func (s sketch) iri(id ID) string { return s.terms.Term(id).Value }

// linkSamples is how many edges of a predicate are looked at to find the classes it links.
const linkSamples = 256

// links finds out, from a sample of each predicate's edges, which classes the predicates lead from and to.
func (s sketch) links(limit int) []LinkInfo {
	g := s.graph
	typeLabel, _ := g.TypeLabel()
	found := map[LinkInfo]float64{}
	for _, label := range g.UsedLabels() {
		if label != typeLabel {
			s.sampleLinks(label, g.Outline(label, pcsr.Out), found)
		}
	}
	links := make([]LinkInfo, 0, len(found))
	for link, triples := range found {
		link.Triples = uint64(triples + 0.5)
		links = append(links, link)
	}
	slices.SortFunc(links, func(a, b LinkInfo) int {
		return cmp.Or(cmp.Compare(b.Triples, a.Triples), cmp.Compare(a.From, b.From),
			cmp.Compare(a.Predicate, b.Predicate), cmp.Compare(a.To, b.To))
	})
	return atMost(links, limit)
}

func (s sketch) sampleLinks(label pcsr.Label, out pcsr.Outline, found map[LinkInfo]float64) {
	g := s.graph
	samples := min(linkSamples, out.Rows())
	for i := range samples {
		v := out.Vertex(i * out.Rows() / samples)
		from, list := g.Classes(v), g.Neighbours(v, label, pcsr.Out)
		if len(from) == 0 || len(list) == 0 {
			continue
		}
		to := g.Classes(list[i%len(list)])
		share := float64(out.Edges()) / float64(samples*len(from)*max(len(to), 1))
		for _, f := range from {
			for _, t := range to {
				found[LinkInfo{From: s.iri(f), Predicate: s.iri(label), To: s.iri(t)}] += share
			}
		}
	}
}

// String describes the store in a few lines.
func (i Info) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: format version %d\n", i.Path, i.FormatVersion)
	fmt.Fprintf(&b, "%14d triples, %d named graphs\n", i.Triples, i.NamedGraphs)
	fmt.Fprintf(&b, "%14d terms (%d IRIs, %d blank nodes, %d literals)\n", i.Terms, i.IRIs, i.BlankNodes, i.Literals)
	fmt.Fprintf(&b, "%14d predicates, %d classes\n", i.Predicates, i.Classes)
	fmt.Fprintf(&b, "%14d bytes", i.TotalBytes)
	if i.Triples > tinyStore {
		fmt.Fprintf(&b, ", %.1f for each triple", float64(i.TotalBytes)/float64(i.Triples))
	}
	for _, part := range sortedKeys(i.Bytes) {
		fmt.Fprintf(&b, "\n%14d   %s", i.Bytes[part], part)
	}
	if len(i.Segments) > 1 {
		fmt.Fprintf(&b, "\n%14d segments", len(i.Segments))
		for _, s := range i.Segments {
			fmt.Fprintf(&b, "\n%14d   bytes of %s: %d triples and %d terms that none before it has, %s",
				s.Bytes, s.Folder, s.Triples, s.Terms, s.Created.Format(time.DateTime))
			if s.Removed > 0 {
				fmt.Fprintf(&b, "; %d triples removed", s.Removed)
			}
		}
	}
	if i.Advice != "" {
		fmt.Fprintf(&b, "\n%s", i.Advice)
	}
	return b.String()
}
