package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/blanks"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/patch"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// DiffOptions are the settings of a comparison.
type DiffOptions struct {
	// MaxBlank is up to how many quads with blank nodes, of each store, blank nodes are matched by what surrounds them; beyond, they
	// are the same where their labels are. 0 means 100,000; less than 0, that labels always count.
	MaxBlank int
}

// DiffReport is how two stores differ.
type DiffReport struct {
	// Removed are the quads that only the first has, Added those that only the second has.
	Removed uint64 `json:"removed"`
	Added   uint64 `json:"added"`
	// ByLabel reports that blank nodes were taken for the same where their labels are: a difference may be one of labels alone.
	ByLabel bool `json:"byLabel,omitempty"`
	// Unsure reports that too many blank nodes look alike: the patch is right, but the stores may be the same.
	Unsure bool `json:"unsure,omitempty"`
}

// Same reports that there is no difference.
func (r DiffReport) Same() bool { return r.Added == 0 && r.Removed == 0 }

// String sums the difference up in a line.
func (r DiffReport) String() string {
	text := "the stores are the same"
	if !r.Same() {
		text = fmt.Sprintf("the stores differ: %s removed, %d added", counted(r.Removed, "quad"), r.Added)
	}
	if r.ByLabel {
		text += "; blank nodes were compared by their labels, because there are many"
	}
	if r.Unsure {
		text += "; too many blank nodes look alike to be sure of the least difference"
	}
	return text
}

// Diff writes, as RDF Patch, what makes the data of a those of b: one transaction, empty where they are the same up to labels of blank
// nodes. Labels in it are a's, so that it can be applied to a; nodes that only b has get labels that a does not have. It reads a
// snapshot of each. Memory is 4 bytes for each term of both, and the quads with blank nodes that are matched.
func Diff(ctx context.Context, a, b *Store, w io.Writer, options DiffOptions) (report DiffReport, err error) {
	if options.MaxBlank == 0 {
		options.MaxBlank = 100_000
	}
	from, to := a.live.Snapshot(), b.live.Snapshot()
	defer from.Release()
	defer to.Release()
	d := &comparison{ctx: ctx, out: patch.NewWriter(w), report: &report}
	err = section.Guard(func() error { return d.run(newSide(from), newSide(to), options.MaxBlank) })
	return report, err
}

// comparison is one at work.
type comparison struct {
	ctx    context.Context
	out    *patch.Writer
	report *DiffReport
	looked int // quads
}

// side is one of the two data sets.
type side struct {
	*live.Snapshot
	terms *dictionary.Dictionary
	// other has, for each term, two more than its ID on the other side, 1 where that has not the term, 0 before it was looked up.
	other []uint32
	blank []rdf.Quad // that are matched
}

func newSide(s *live.Snapshot) *side {
	return &side{Snapshot: s, terms: s.Dictionary(), other: make([]uint32, s.Dictionary().Len())}
}

// translate is the ID of a term on the other side.
func (s *side) translate(id ID, other *side) (ID, bool) {
	if s.other[id] == 0 {
		s.other[id] = 1
		if found, ok := other.terms.Lookup(s.terms.Term(id)); ok {
			s.other[id] = found + 2
		}
	}
	return s.other[id] - 2, s.other[id] > 1
}

func (d *comparison) run(a, b *side, maxBlank int) error {
	d.report.ByLabel = maxBlank < 0
	for _, s := range []*side{a, b} {
		n, err := s.countBlank(maxBlank)
		if err != nil {
			return err
		}
		d.report.ByLabel = d.report.ByLabel || n > maxBlank
	}
	if err := d.out.Write(patch.Row{Operation: patch.Begin}); err != nil {
		return err
	}
	if err := d.missing(a, b, d.remove); err != nil {
		return err
	}
	fresh := d.newLabels(a)
	if err := d.missing(b, a, func(q rdf.Quad) error { return d.add(relabelled(q, fresh)) }); err != nil {
		return err
	}
	if err := d.blanks(a, b, fresh); err != nil {
		return err
	}
	if err := d.out.Write(patch.Row{Operation: patch.Commit}); err != nil {
		return err
	}
	return d.out.Flush()
}

func (d *comparison) remove(q rdf.Quad) error {
	d.report.Removed++
	return d.row(patch.Delete, q)
}

func (d *comparison) add(q rdf.Quad) error {
	d.report.Added++
	return d.row(patch.Insert, q)
}

func (d *comparison) row(operation patch.Operation, q rdf.Quad) error {
	return d.out.Write(patch.Row{Operation: operation, Subject: q.Subject, Predicate: q.Predicate, Object: q.Object, Graph: q.Graph})
}

// newLabels names blank nodes that only the second side has: with labels that the first has not. By label, they keep their own.
func (d *comparison) newLabels(a *side) func(string) string {
	given, taken := map[string]string{}, map[string]bool{}
	return func(label string) string {
		if d.report.ByLabel {
			return label
		}
		if given[label] == "" {
			fresh := label
			for a.hasLabel(fresh) || taken[fresh] {
				fresh = "n_" + fresh
			}
			given[label], taken[fresh] = fresh, true
		}
		return given[label]
	}
}

func (s *side) hasLabel(label string) bool {
	_, ok := s.terms.Lookup(rdf.NewBlank(label))
	return ok
}

// relabelled is a quad with its blank nodes' labels changed.
func relabelled(q rdf.Quad, label func(string) string) rdf.Quad {
	for _, t := range []*rdf.Term{&q.Subject, &q.Object, &q.Graph} {
		if t.Kind == rdf.BlankNode {
			t.Value = label(t.Value)
		}
	}
	return q
}

// graphs are the names of all graphs of a side, dictionary.None for the default graph.
func (s *side) graphs() []ID { return append([]ID{dictionary.None}, s.NamedGraphs()...) }

func (s *side) isBlank(id ID) bool { return id != dictionary.None && s.terms.Kind(id) == rdf.BlankNode }

// errEnough ends a visit early.
var errEnough = errors.New("enough")

// countBlank counts the quads with blank nodes, until there are more than most.
func (s *side) countBlank(most int) (n int, err error) {
	for _, name := range s.graphs() {
		err := s.eachTriple(name, func(from ID, _ pcsr.Label, to ID) error {
			if s.isBlank(name) || s.isBlank(from) || s.isBlank(to) {
				n++
			}
			if n > most {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return n, err
		}
	}
	return n, nil
}

// eachTriple visits the triples of a graph.
func (s *side) eachTriple(name ID, visit func(from ID, label pcsr.Label, to ID) error) error {
	g, err := s.Graph(name)
	if err != nil {
		return err
	}
	for _, label := range g.UsedLabels() {
		for from, list := range g.Partition(label, pcsr.Out).Lists() {
			for _, to := range list {
				if err := visit(from, label, to); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// missing calls found for each quad of a that b has not; those with blank nodes are kept for later, unless labels count.
func (d *comparison) missing(a, b *side, found func(rdf.Quad) error) error {
	for _, name := range a.graphs() {
		there, err := a.counterpart(name, b)
		if err != nil {
			return err
		}
		err = a.eachTriple(name, func(from ID, label pcsr.Label, to ID) error {
			if err := d.look(); err != nil {
				return err
			}
			blank := a.isBlank(name) || a.isBlank(from) || a.isBlank(to)
			if (!blank || d.report.ByLabel) && there != nil && a.has(b, there, from, label, to) {
				return nil
			}
			q := rdf.Quad{Subject: a.terms.Term(from), Predicate: a.terms.Term(label), Object: a.terms.Term(to), Graph: a.terms.Term(name)}
			if blank && !d.report.ByLabel {
				a.blank = append(a.blank, q)
				return nil
			}
			return found(q)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// look ends the comparison with its context.
func (d *comparison) look() error {
	if d.looked++; d.looked%dumpStep == 0 && d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	return nil
}

// counterpart is the graph of the same name on the other side; nil where there is none.
func (s *side) counterpart(name ID, other *side) (*pcsr.Graph, error) {
	if name == dictionary.None {
		return other.Graph(name)
	}
	id, ok := s.translate(name, other)
	if !ok {
		return nil, nil
	}
	return other.Named(id)
}

// has reports whether the graph of the other side has the triple.
func (s *side) has(other *side, g *pcsr.Graph, from ID, label pcsr.Label, to ID) bool {
	subject, ok := s.translate(from, other)
	if !ok {
		return false
	}
	predicate, ok := s.translate(label, other)
	if !ok || !g.HasLabel(predicate) {
		return false
	}
	object, ok := s.translate(to, other)
	return ok && g.HasEdge(subject, predicate, object)
}

// blanks compares the quads with blank nodes.
func (d *comparison) blanks(a, b *side, fresh func(string) string) error {
	pairs, exact := blanks.Match(b.blank, a.blank)
	d.report.Unsure = !exact
	there := make(map[rdf.Quad]bool, len(a.blank))
	for _, q := range a.blank {
		there[q] = true
	}
	var added []rdf.Quad
	for _, q := range b.blank {
		q = relabelled(q, func(label string) string {
			if known, ok := pairs[label]; ok {
				return known
			}
			return fresh(label)
		})
		if !there[q] {
			added = append(added, q)
		}
		delete(there, q)
	}
	for _, q := range a.blank {
		if there[q] {
			if err := d.remove(q); err != nil {
				return err
			}
		}
	}
	for _, q := range added {
		if err := d.add(q); err != nil {
			return err
		}
	}
	return nil
}
