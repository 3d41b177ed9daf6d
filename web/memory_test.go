package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// memoryEngine is a store of graphs in memory, which can be changed. Its updates are few:
//
//	INSERT DATA { … }, DELETE DATA { … }   triples in Turtle, also in GRAPH <…> { … }
//	CLEAR ALL, DROP ALL, DROP GRAPH <…>
//	WAIT                                   nothing until the context is done
//	BAD, PANIC, FAIL x                     as the queries of a fakeEngine
//
// several of them with ; in between. It answers the query that reads a graph; other queries as a fakeEngine.
type memoryEngine struct {
	fakeEngine
	waiting atomic.Int64 // updates that wait
	mu      sync.Mutex
	graphs  map[string]graph
	commits uint64
	failed  string
	scopes  atomic.Int64
}

// graph is a set of triples.
type graph map[[3]rdf.Term]bool

func newMemoryEngine() *memoryEngine { return &memoryEngine{graphs: map[string]graph{}} }

// newMemoryServer serves a store in memory that may be changed.
func newMemoryServer(t testing.TB, options Options) (*Server, *memoryEngine) {
	t.Helper()
	engine := newMemoryEngine()
	options.Writable = true
	if options.Log == nil {
		options.Log = quiet
	}
	s, err := New(engine, options)
	if err != nil {
		t.Fatal(err)
	}
	return s, engine
}

func (e *memoryEngine) Sequence() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.commits
}

func (e *memoryEngine) WaitFor(ctx context.Context, sequence uint64) error {
	if e.Sequence() >= sequence {
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func (e *memoryEngine) Live() (rdfgpu.LiveInfo, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return rdfgpu.LiveInfo{Sequence: e.commits, Added: 5, LogBytes: 77, DeltaBytes: 88, Flushes: 3, Compactions: 2, Failed: e.failed}, true
}

func (e *memoryEngine) HasGraph(name string) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return name == "" || len(e.graphs[name]) > 0, nil
}

// change runs f over a copy of the graphs, and commits what it made of them.
func (e *memoryEngine) change(ifSequence *uint64, dryRun bool, f func(map[string]graph) error) (report rdfgpu.UpdateReport, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	report.Sequence = e.commits
	if e.failed != "" {
		return report, fmt.Errorf("engine: /secret/path: %w: %s", rdfgpu.ErrFailed, e.failed)
	}
	if ifSequence != nil && *ifSequence != e.commits {
		return report, fmt.Errorf("engine: %w", rdfgpu.ErrConflict)
	}
	next := map[string]graph{}
	for name, g := range e.graphs {
		next[name] = maps.Clone(g)
	}
	if err := f(next); err != nil {
		return report, err
	}
	names := slices.Sorted(maps.Keys(next))
	for name := range e.graphs {
		if _, kept := next[name]; !kept {
			names = append(names, name)
		}
	}
	for _, name := range names {
		change := rdfgpu.GraphChange{Graph: name, Added: missing(next[name], e.graphs[name]), Removed: missing(e.graphs[name], next[name])}
		if change.Added+change.Removed > 0 {
			report.Graphs = append(report.Graphs, change)
			report.Added, report.Removed = report.Added+change.Added, report.Removed+change.Removed
		}
	}
	if !dryRun && len(report.Graphs) > 0 {
		e.graphs, e.commits = next, e.commits+1
		report.Sequence = e.commits
	}
	return report, nil
}

// missing counts the triples of one graph that another does not have.
func missing(a, b graph) (n uint64) {
	for t := range a {
		if !b[t] {
			n++
		}
	}
	return n
}

func into(graphs map[string]graph, name string) graph {
	if graphs[name] == nil {
		graphs[name] = graph{}
	}
	return graphs[name]
}

// read reads a document; its blank nodes are its own.
func (e *memoryEngine) read(body io.Reader, format, base string) (g graph, err error) {
	g = graph{}
	scope := strconv.FormatInt(e.scopes.Add(1), 10)
	own := func(t rdf.Term) rdf.Term {
		if t.Kind == rdf.BlankNode {
			t.Value += "s" + scope
		}
		return t
	}
	err = loader.Read(body, loader.Format(format), base, func(q loader.Quad) error {
		g[[3]rdf.Term{own(q.Subject), q.Predicate, own(q.Object)}] = true
		return nil
	})
	return g, err
}

var (
	dataForm  = regexp.MustCompile(`(?s)^(INSERT|DELETE) DATA \{(.*)\}$`)
	graphForm = regexp.MustCompile(`(?s)^\s*GRAPH <([^>]*)> \{(.*)\}\s*$`)
	dropForm  = regexp.MustCompile(`^DROP GRAPH <([^>]*)>$`)
)

func (e *memoryEngine) Update(ctx context.Context, text string, options rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error) {
	if text == "WAIT" {
		e.waiting.Add(1)
		defer e.waiting.Add(-1)
		<-ctx.Done()
		return rdfgpu.UpdateReport{}, context.Cause(ctx)
	}
	return e.change(options.IfSequence, options.DryRun, func(graphs map[string]graph) error {
		for part := range strings.SplitSeq(text, ";") {
			if err := e.operation(strings.TrimSpace(part), graphs, options); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *memoryEngine) operation(text string, graphs map[string]graph, options rdfgpu.UpdateOptions) error {
	if rest, fails := strings.CutPrefix(text, "FAIL "); fails {
		return fmt.Errorf("engine: %w", fakeErrors[rest])
	}
	if text == "PANIC" {
		panic("as asked")
	}
	if text == "CLEAR ALL" || text == "DROP ALL" {
		clear(graphs)
		return nil
	}
	if drop := dropForm.FindStringSubmatch(text); drop != nil {
		if len(graphs[drop[1]]) == 0 {
			return fmt.Errorf("engine: <%s>: %w", drop[1], rdfgpu.ErrNoGraph)
		}
		delete(graphs, drop[1])
		return nil
	}
	data := dataForm.FindStringSubmatch(text)
	if data == nil || len(options.UsingGraphs)+len(options.UsingNamedGraphs) > 0 {
		return &rdfgpu.SyntaxError{Line: 1, Column: 7, Message: "unexpected text", Expected: []string{"INSERT DATA"}}
	}
	name, body := "", data[2]
	if inner := graphForm.FindStringSubmatch(body); inner != nil {
		name, body = inner[1], inner[2]
	}
	g, err := e.read(strings.NewReader(body+" ."), "turtle", options.Base)
	if err != nil {
		return &rdfgpu.SyntaxError{Line: 1, Column: 1, Message: err.Error()}
	}
	for t := range g {
		if data[1] == "INSERT" {
			into(graphs, name)[t] = true
		} else {
			delete(graphs[name], t)
		}
	}
	return nil
}

func (e *memoryEngine) PutGraph(ctx context.Context, name string, body io.Reader, options rdfgpu.GraphOptions) (report rdfgpu.UpdateReport, existed bool, err error) {
	all := graph{}
	document := rdfgpu.Document{Body: body, Format: options.Format}
	for err == nil {
		var g graph
		if g, err = e.read(document.Body, document.Format, options.Base); err != nil {
			return report, false, fmt.Errorf("engine: %w", err)
		}
		maps.Copy(all, g)
		if options.Next == nil {
			break
		}
		if document, err = options.Next(); err == io.EOF {
			break
		}
	}
	if err != nil && err != io.EOF {
		return report, false, err
	}
	report, err = e.change(options.IfSequence, false, func(graphs map[string]graph) error {
		existed = name == "" || len(graphs[name]) > 0
		if options.Replace {
			delete(graphs, name)
		}
		maps.Copy(into(graphs, name), all)
		return nil
	})
	return report, existed, err
}

func (e *memoryEngine) DropGraph(ctx context.Context, name string, options rdfgpu.GraphOptions) (rdfgpu.UpdateReport, error) {
	return e.change(options.IfSequence, false, func(graphs map[string]graph) error {
		if name != "" && len(graphs[name]) == 0 {
			return fmt.Errorf("engine: %w", rdfgpu.ErrNoGraph)
		}
		delete(graphs, name)
		return nil
	})
}

func (e *memoryEngine) Patch(ctx context.Context, body io.Reader, options rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error) {
	var quads []loader.Quad
	var adds []bool
	for lines := bufio.NewScanner(body); lines.Scan(); {
		code, rest, _ := strings.Cut(lines.Text(), " ")
		if code != "A" && code != "D" {
			continue
		}
		err := loader.Read(strings.NewReader(rest+"\n"), loader.NQuads, "", func(q loader.Quad) error {
			quads, adds = append(quads, q), append(adds, code == "A")
			return nil
		})
		if err != nil {
			return rdfgpu.UpdateReport{}, fmt.Errorf("engine: %w", err)
		}
	}
	return e.change(options.IfSequence, options.DryRun, func(graphs map[string]graph) error {
		for i, q := range quads {
			if t := [3]rdf.Term{q.Subject, q.Predicate, q.Object}; adds[i] {
				into(graphs, q.Graph.Value)[t] = true
			} else {
				delete(graphs[q.Graph.Value], t)
			}
		}
		return nil
	})
}

// lines are the triples of a graph, or its quads, sorted.
func (g graph) lines(name string) (list []string) {
	for t := range g {
		line := rdf.AppendNTriples(nil, t[0])
		for _, term := range t[1:] {
			line = rdf.AppendNTriples(append(line, ' '), term)
		}
		if name != "" {
			line = rdf.AppendNTriples(append(line, ' '), rdf.NewIRI(name))
		}
		list = append(list, string(line)+" .\n")
	}
	slices.Sort(list)
	return list
}

func (e *memoryEngine) Dump(ctx context.Context, w io.Writer, options rdfgpu.DumpOptions) (rdfgpu.DumpReport, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	report := rdfgpu.DumpReport{Sequence: e.commits}
	for _, name := range slices.Sorted(maps.Keys(e.graphs)) {
		for _, line := range e.graphs[name].lines(name) {
			report.Quads++
			if _, err := io.WriteString(w, line); err != nil {
				return report, err
			}
		}
	}
	return report, nil
}

func (e *memoryEngine) Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error) {
	inner := graphForm.FindStringSubmatch(strings.TrimSuffix(strings.TrimPrefix(text, "CONSTRUCT { ?s ?p ?o } WHERE {"), " }"))
	if inner == nil && text != (target{}).query() {
		return e.fakeEngine.Query(ctx, text, options)
	}
	name := ""
	if inner != nil {
		name = inner[1]
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	a := &memoryAnswer{sequence: e.commits}
	for t := range e.graphs[name] {
		a.terms = append(a.terms, t[:]...)
	}
	return a, nil
}

// memoryAnswer is the triples of a graph.
type memoryAnswer struct {
	terms    []rdf.Term // three for each triple
	sequence uint64
}

func (a *memoryAnswer) Kind() rdfgpu.Kind          { return rdfgpu.Triples }
func (a *memoryAnswer) Variables() []string        { return []string{"s", "p", "o"} }
func (a *memoryAnswer) Boolean() (bool, error)     { return len(a.terms) > 0, nil }
func (a *memoryAnswer) Term(id rdfgpu.ID) rdf.Term { return a.terms[id] }
func (a *memoryAnswer) Err() error                 { return nil }
func (a *memoryAnswer) Timings() rdfgpu.Timings    { return rdfgpu.Timings{Total: 1} }
func (a *memoryAnswer) Sequence() uint64           { return a.sequence }
func (a *memoryAnswer) Repeatable() bool           { return true }
func (a *memoryAnswer) Close() error               { return nil }
func (a *memoryAnswer) Batches() iter.Seq2[*rdfgpu.Batch, error] {
	return func(yield func(*rdfgpu.Batch, error) bool) {
		b := &rdfgpu.Batch{N: len(a.terms) / 3, Cols: make([][]rdfgpu.ID, 3)}
		for i := range a.terms {
			b.Cols[i%3] = append(b.Cols[i%3], rdfgpu.ID(i))
		}
		yield(b, nil)
	}
}

func (a *memoryAnswer) AppendNTriples(dst []byte, id rdfgpu.ID) []byte {
	return rdf.AppendNTriples(dst, a.terms[id])
}

func (a *memoryAnswer) AppendText(dst []byte, id rdfgpu.ID) ([]byte, string) {
	return append(dst, a.terms[id].Value...), a.terms[id].Sort()
}

func (a *memoryAnswer) Write(w io.Writer, format rdfgpu.Format) (uint64, error) {
	return a.WritePart(w, format, math.MaxUint64)
}

func (a *memoryAnswer) WritePart(w io.Writer, format rdfgpu.Format, send uint64) (uint64, error) {
	return writeFake(w, format, a, send)
}

// content is a graph as sorted N-Triples.
func (e *memoryEngine) content(name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.graphs[name].lines(""), "")
}

// dumped is the whole store as N-Quads.
func (e *memoryEngine) dumped(t testing.TB) string {
	var text bytes.Buffer
	if _, err := e.Dump(t.Context(), &text, rdfgpu.DumpOptions{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
