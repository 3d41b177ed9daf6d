package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/parser"
)

const (
	manifestNS = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	queryNS    = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	resultNS   = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
	dawgNS     = "http://www.w3.org/2001/sw/DataAccess/tests/test-dawg#"
)

// w3cFolders are the query evaluation suites. Entailment regimes, updates, the protocols and the graph store are other
// subjects; syntax suites are the parser's.
var w3cFolders = map[string][]string{
	"sparql10": {
		"algebra", "ask", "basic", "bnode-coreference", "boolean-effective-value", "bound", "cast", "construct", "dataset",
		"distinct", "expr-builtin", "expr-equals", "expr-ops", "graph", "i18n", "open-world", "optional", "optional-filter",
		"reduced", "regex", "solution-seq", "sort", "triple-match", "type-promotion",
	},
	"sparql11": {
		"aggregates", "bind", "bindings", "cast", "construct", "csv-tsv-res", "exists", "functions", "grouping", "json-res",
		"negation", "project-expression", "property-path", "service", "subquery",
	},
}

// w3cSkipped are tests that are deliberately not passed, with the reason.
var w3cSkipped = map[string]string{}

// document is an RDF document, indexed by subject and predicate.
type document map[rdf.Term]map[string][]rdf.Term

func (d document) one(s rdf.Term, p string) rdf.Term {
	if list := d[s][p]; len(list) > 0 {
		return list[0]
	}
	return rdf.Term{}
}

func (d document) list(head rdf.Term) []rdf.Term {
	var out []rdf.Term
	for !head.IsZero() && head.Value != rdf.RDFNil {
		out = append(out, d.one(head, rdf.RDFFirst))
		head = d.one(head, rdf.RDFRest)
	}
	return out
}

// readTriples reads an RDF file; blank nodes get labels of their own under prefix.
func readTriples(path, prefix string) ([]quad, error) {
	format, _, err := loader.Detect(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []quad
	own := func(t rdf.Term) rdf.Term {
		if t.Kind == rdf.BlankNode {
			t.Value = prefix + t.Value
		}
		return t
	}
	err = loader.Read(f, format, "file://"+path, func(q loader.Quad) error {
		out = append(out, quad{subject: own(q.Subject), predicate: q.Predicate, object: own(q.Object)})
		return nil
	})
	return out, err
}

func readDocument(path string) (document, error) {
	triples, err := readTriples(path, "")
	d := document{}
	for _, t := range triples {
		if d[t.subject] == nil {
			d[t.subject] = map[string][]rdf.Term{}
		}
		d[t.subject][t.predicate.Value] = append(d[t.subject][t.predicate.Value], t.object)
	}
	return d, err
}

func filePath(iri string) string { return strings.TrimPrefix(iri, "file://") }

// w3cTest is one evaluation test.
type w3cTest struct {
	name, query, data, result string
	graphs                    []string
	services                  map[string]string
	lax                       bool
}

func readManifest(path string) ([]w3cTest, error) {
	d, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	var tests []w3cTest
	var entries []rdf.Term
	for s := range d {
		entries = append(entries, d.list(d.one(s, manifestNS+"entries"))...)
	}
	for _, entry := range entries {
		kind := d.one(entry, rdf.RDFType).Value
		if kind != manifestNS+"QueryEvaluationTest" && kind != manifestNS+"CSVResultFormatTest" {
			continue
		}
		if d.one(entry, dawgNS+"approval").Value == dawgNS+"Withdrawn" {
			continue
		}
		action := d.one(entry, manifestNS+"action")
		test := w3cTest{
			name:   d.one(entry, manifestNS+"name").Value,
			query:  filePath(d.one(action, queryNS+"query").Value),
			data:   filePath(d.one(action, queryNS+"data").Value),
			result: filePath(d.one(entry, manifestNS+"result").Value),
			lax:    d.one(entry, manifestNS+"resultCardinality").Value == manifestNS+"LaxCardinality",
		}
		for _, g := range d[action][queryNS+"graphData"] {
			test.graphs = append(test.graphs, g.Value)
		}
		for _, s := range d[action][queryNS+"serviceData"] {
			if test.services == nil {
				test.services = map[string]string{}
			}
			test.services[d.one(s, queryNS+"endpoint").Value] = filePath(d.one(s, queryNS+"data").Value)
		}
		tests = append(tests, test)
	}
	return tests, nil
}

// TestW3C runs the query evaluation suites of the W3C (RDFGPU_W3C names the folder) and prints a table per folder.
func TestW3C(t *testing.T) {
	root := os.Getenv("RDFGPU_W3C")
	if root == "" {
		t.Skip("RDFGPU_W3C does not name the folder of the W3C tests")
	}
	var table strings.Builder
	total, totalPassed := 0, 0
	for _, version := range []string{"sparql10", "sparql11"} {
		for _, folder := range w3cFolders[version] {
			passed, skipped, count := 0, 0, 0
			t.Run(version+"/"+folder, func(t *testing.T) {
				tests, err := readManifest(filepath.Join(root, "sparql", version, folder, "manifest.ttl"))
				if err != nil {
					t.Fatal(err)
				}
				count = len(tests)
				for _, test := range tests {
					t.Run(test.name, func(t *testing.T) {
						if reason := w3cSkipped[folder+"/"+test.name]; reason != "" {
							skipped++
							t.Skip(reason)
						}
						if err := test.run(); err != nil {
							t.Error(err)
							return
						}
						passed++
					})
				}
			})
			fmt.Fprintf(&table, "%-10s %-26s %4d of %4d", version, folder, passed, count)
			if skipped > 0 {
				fmt.Fprintf(&table, ", %d skipped", skipped)
			}
			table.WriteString("\n")
			total, totalPassed = total+count, totalPassed+passed
		}
	}
	fmt.Printf("%s%-37s %4d of %4d\n", table.String(), "all", totalPassed, total)
}

func (w *w3cTest) run() error {
	text, err := os.ReadFile(w.query)
	if err != nil {
		return err
	}
	q, err := parser.Parse(string(text), parser.Options{Base: "file://" + w.query})
	if err != nil {
		return err
	}
	m, err := w.dataset(q)
	if err != nil {
		return err
	}
	o := onProcessor()
	o.Service = w.service
	o.Base = "file://" + w.query
	got, err := m.run(q, o)
	if err != nil {
		return err
	}
	return w.compare(q, got)
}

// dataset loads the test's data, and the files that the query's FROM clauses name.
func (w *w3cTest) dataset(q *parser.Query) (*memory, error) {
	var quads []quad
	var names []rdf.Term
	if w.data != "" {
		triples, err := readTriples(w.data, "d")
		if err != nil {
			return nil, err
		}
		quads = triples
	}
	graphs := slices.Concat(w.graphs, q.From, q.FromNamed)
	slices.Sort(graphs)
	for i, g := range slices.Compact(graphs) {
		triples, err := readTriples(filePath(g), fmt.Sprintf("g%d", i))
		if err != nil {
			return nil, err
		}
		names = append(names, rdf.NewIRI(g))
		for _, t := range triples {
			t.graph = rdf.NewIRI(g)
			quads = append(quads, t)
		}
	}
	return newMemory(quads, names...)
}

// service answers SERVICE from the test's own data.
func (w *w3cTest) service(ctx context.Context, endpoint, query string, variables []string, row func([]rdf.Term) error) error {
	file, ok := w.services[endpoint]
	if !ok {
		return errors.New("no such endpoint")
	}
	triples, err := readTriples(file, "s")
	if err != nil {
		return err
	}
	m, err := newMemory(triples)
	if err != nil {
		return err
	}
	q, err := parser.Parse(query, parser.Options{})
	if err != nil {
		return fmt.Errorf("%w in %s", err, query)
	}
	o := onProcessor()
	o.Service = w.service
	a, err := m.run(q, o)
	if err != nil {
		return err
	}
	for _, terms := range a.rows {
		out := make([]rdf.Term, len(variables))
		for i, v := range variables {
			if c := slices.Index(a.variables, v); c >= 0 {
				out[i] = terms[c]
			}
		}
		if err := row(out); err != nil {
			return err
		}
	}
	return nil
}

// compare checks an answer against the test's result file.
func (w *w3cTest) compare(q *parser.Query, got *answer) error {
	if q.Form == parser.Construct || q.Form == parser.Describe {
		triples, err := readTriples(w.result, "r")
		if err != nil {
			return err
		}
		var want [][]rdf.Term
		for _, t := range triples {
			want = append(want, []rdf.Term{t.subject, t.predicate, t.object})
		}
		return sameRows(want, got.rows, false)
	}
	want, ordered, err := readResult(w.result)
	if err != nil {
		return err
	}
	if got.isBoolean {
		if want.isBoolean != got.isBoolean || want.boolean != got.boolean {
			return fmt.Errorf("answer %v, want %v", got.boolean, want.boolean)
		}
		return nil
	}
	rows, err := align(want, got, strings.HasSuffix(w.result, ".csv"))
	if err != nil {
		return err
	}
	if w.lax {
		return laxlySame(want.rows, rows)
	}
	if strings.HasSuffix(w.result, ".csv") {
		return sameRows(asCSV(want.rows), asCSV(rows), false)
	}
	return sameRows(want.rows, rows, ordered || isOrdered(q.Where) && !strings.HasSuffix(w.result, ".ttl") && !strings.HasSuffix(w.result, ".rdf"))
}

func isOrdered(n parser.Node) bool {
	switch n := n.(type) {
	case *parser.OrderBy:
		return true
	case *parser.Project:
		return isOrdered(n.Input)
	case *parser.Distinct:
		return isOrdered(n.Input)
	case *parser.Reduced:
		return isOrdered(n.Input)
	case *parser.Slice:
		return isOrdered(n.Input)
	}
	return false
}

// align brings the columns of got into the order of want's.
func align(want, got *answer, csv bool) ([][]rdf.Term, error) {
	if len(want.variables) != len(got.variables) && !(len(want.rows) == 0 && len(want.variables) == 0) {
		a, b := slices.Sorted(slices.Values(want.variables)), slices.Sorted(slices.Values(got.variables))
		if len(a) > len(b) || csv {
			return nil, fmt.Errorf("variables %v, want %v", b, a)
		}
	}
	var rows [][]rdf.Term
	for _, row := range got.rows {
		var out []rdf.Term
		for _, v := range want.variables {
			i := slices.Index(got.variables, v)
			if i < 0 {
				return nil, fmt.Errorf("variables %v, want %v", got.variables, want.variables)
			}
			out = append(out, row[i])
		}
		rows = append(rows, out)
	}
	return rows, nil
}

// asCSV forgets what CSV does not carry.
func asCSV(rows [][]rdf.Term) [][]rdf.Term {
	for _, row := range rows {
		for i, t := range row {
			if t.Kind != rdf.BlankNode && !t.IsZero() {
				row[i] = rdf.NewString(t.Value)
			}
			if t.Kind == rdf.Literal && t.Value == "" {
				row[i] = rdf.Term{}
			}
		}
	}
	return rows
}

// readResult reads an expected answer; ordered says that its rows are numbered.
func readResult(path string) (a *answer, ordered bool, err error) {
	var format results.Format
	switch filepath.Ext(path) {
	case ".srx":
		format = results.XML
	case ".srj":
		format = results.JSON
	case ".csv":
		format = results.CSV
	case ".tsv":
		format = results.TSV
	default:
		return readResultGraph(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	table, err := results.Read(f, format)
	if err != nil {
		return nil, false, err
	}
	return &answer{variables: table.Variables, rows: table.Rows, isBoolean: table.IsBoolean, boolean: table.Boolean}, false, nil
}

// readResultGraph reads an answer in the result set vocabulary.
func readResultGraph(path string) (*answer, bool, error) {
	d, err := readDocument(path)
	if err != nil {
		return nil, false, err
	}
	for set := range d {
		if d.one(set, rdf.RDFType).Value != resultNS+"ResultSet" {
			continue
		}
		a := &answer{}
		if b := d.one(set, resultNS+"boolean"); !b.IsZero() {
			a.isBoolean, a.boolean = true, b.Value == "true"
			return a, false, nil
		}
		for _, v := range d[set][resultNS+"resultVariable"] {
			a.variables = append(a.variables, v.Value)
		}
		ordered := false
		index := map[int]int{}
		for _, solution := range d[set][resultNS+"solution"] {
			row := make([]rdf.Term, len(a.variables))
			for _, b := range d[solution][resultNS+"binding"] {
				c := slices.Index(a.variables, d.one(b, resultNS+"variable").Value)
				row[c] = d.one(b, resultNS+"value")
			}
			at := len(a.rows)
			if i := d.one(solution, resultNS+"index"); !i.IsZero() {
				ordered = true
				fmt.Sscan(i.Value, &at)
			}
			index[len(a.rows)] = at
			a.rows = append(a.rows, row)
		}
		order := make([]int, len(a.rows))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(x, y int) int { return index[x] - index[y] })
		var rows [][]rdf.Term
		for _, i := range order {
			rows = append(rows, a.rows[i])
		}
		a.rows = rows
		return a, ordered, nil
	}
	return nil, false, fmt.Errorf("%s holds no result set", path)
}

// laxlySame checks the answer of a REDUCED query: every solution that should be there is, at most as often.
func laxlySame(want, got [][]rdf.Term) error {
	count := func(rows [][]rdf.Term) map[string]int {
		m := map[string]int{}
		for _, r := range rows {
			m[rowKey(r, nil)]++
		}
		return m
	}
	w, g := count(want), count(got)
	for k, n := range g {
		if w[k] < n {
			return fmt.Errorf("%s comes %d times, at most %d are allowed", k, n, w[k])
		}
	}
	for k := range w {
		if g[k] == 0 {
			return fmt.Errorf("%s is missing", k)
		}
	}
	return nil
}

// sameRows checks that two tables are the same up to a renaming of blank nodes; ordered: in the same order.
func sameRows(want, got [][]rdf.Term, ordered bool) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d rows, want %d\n got:\n%s want:\n%s", len(got), len(want), dump(got), dump(want))
	}
	s := &matching{want: want, got: got, to: map[string]string{}, from: map[string]string{}, used: make([]bool, len(got)), deadline: time.Now().Add(10 * time.Second)}
	if ordered {
		s.byRow = true
	}
	if s.match(0) {
		return nil
	}
	return fmt.Errorf("other rows\n got:\n%s want:\n%s", dump(got), dump(want))
}

// matching looks for a renaming of blank nodes by trying rows one after the other.
type matching struct {
	want, got [][]rdf.Term
	to, from  map[string]string
	used      []bool
	byRow     bool
	deadline  time.Time
}

func (s *matching) match(i int) bool {
	if i == len(s.want) {
		return true
	}
	if time.Now().After(s.deadline) {
		return false
	}
	for j := range s.got {
		if s.used[j] || s.byRow && i != j {
			continue
		}
		added, ok := s.unify(s.want[i], s.got[j])
		if ok {
			s.used[j] = true
			if s.match(i + 1) {
				return true
			}
			s.used[j] = false
		}
		for _, label := range added {
			delete(s.from, s.to[label])
			delete(s.to, label)
		}
		if ok && len(added) == 0 {
			return false // an equal row is as good as any other
		}
	}
	return false
}

func (s *matching) unify(want, got []rdf.Term) (added []string, ok bool) {
	for c, w := range want {
		g := got[c]
		if w.Kind != rdf.BlankNode || g.Kind != rdf.BlankNode {
			if !sameTerm(w, g) {
				return added, false
			}
			continue
		}
		t, known := s.to[w.Value]
		_, taken := s.from[g.Value]
		if known && t == g.Value {
			continue
		}
		if known || taken {
			return added, false
		}
		s.to[w.Value], s.from[g.Value] = g.Value, w.Value
		added = append(added, w.Value)
	}
	return added, true
}

// sameTerm compares terms; the case of language tags does not matter, and a number may be written in another way:
// the suites do not prescribe how a computed one is.
func sameTerm(a, b rdf.Term) bool {
	if v := dictionary.ParseValue(a); v.IsNumeric() && a.Datatype == b.Datatype {
		return dictionary.Compare(v, dictionary.ParseValue(b)) == dictionary.Equal
	}
	a.Language, b.Language = strings.ToLower(a.Language), strings.ToLower(b.Language)
	return a == b
}

func rowKey(row []rdf.Term, _ any) string {
	var sb strings.Builder
	for _, t := range row {
		if t.IsZero() {
			sb.WriteString("UNDEF ")
		} else {
			sb.WriteString(t.String() + " ")
		}
	}
	return sb.String()
}

func dump(rows [][]rdf.Term) string {
	var sb strings.Builder
	for i, r := range rows {
		if i == 20 {
			sb.WriteString("  …\n")
			break
		}
		sb.WriteString("  " + rowKey(r, nil) + "\n")
	}
	return sb.String()
}
