package rdfgpu_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

// drawnLiterals are literals whose comparisons are not all alike.
var drawnLiterals = []string{
	"1", "01", "2", "2.0", "2.5", "3e0", "4", "7", "-3", "1e400", `"NaN"^^xsd:double`, `"INF"^^xsd:float`, "16777217", `"16777216"^^xsd:float`, `"x"^^xsd:integer`,
	"true", "false", `"1"^^xsd:boolean`, `"a"`, `"b"`, `"it is ?c \"quoted\""`, `"a"@en`, `"b"@en`, `"a"@de`, `"a"@en-GB`, `"u"^^:unit`,
	`"1900-01-01"^^xsd:date`, `"1950-06-01"^^xsd:date`, `"1950-06-01Z"^^xsd:date`, `"2000-02-29"^^xsd:date`, `"2000-02-29T12:00:00Z"^^xsd:dateTime`,
	`"2000-03-01T00:00:00"^^xsd:dateTime`, `"-0044"^^xsd:gYear`, `"1900"^^xsd:gYear`, `"1999"^^xsd:gYear`, `"12:00:00"^^xsd:time`,
}

const literalPrefixes = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "

// loadText loads a store of Turtle, and commits triples to it.
func loadText(t interface {
	Helper()
	Fatal(...any)
}, folder, loaded, committed string) *rdfgpu.Store {
	t.Helper()
	if _, err := rdfgpu.Load(context.Background(), folder, []string{"-"}, rdfgpu.LoadOptions{Format: "turtle", Stdin: strings.NewReader(literalPrefixes + loaded)}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(folder, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Update(context.Background(), literalPrefixes+"INSERT DATA {"+committed+"}", rdfgpu.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	return store
}

func drawLiteralStore(r *rapid.T, t *testing.T) *rdfgpu.Store {
	vertex := func() string { return fmt.Sprintf(":v%d", rapid.IntRange(0, 5).Draw(r, "vertex")) }
	triples := func(most int) string {
		var b strings.Builder
		for range rapid.IntRange(0, most).Draw(r, "triples") {
			predicate := fmt.Sprintf(":p%d", rapid.IntRange(0, 1).Draw(r, "predicate"))
			switch rapid.IntRange(0, 5).Draw(r, "kind") {
			case 0:
				fmt.Fprintf(&b, "%s a :C%d .\n", vertex(), rapid.IntRange(0, 1).Draw(r, "class"))
			case 1, 2:
				fmt.Fprintf(&b, "%s %s %s .\n", vertex(), predicate, vertex())
			default:
				fmt.Fprintf(&b, "%s %s %s .\n", vertex(), predicate, rapid.SampledFrom(drawnLiterals).Draw(r, "literal"))
			}
		}
		return b.String()
	}
	return loadText(r, filepath.Join(t.TempDir(), strconv.Itoa(rapid.Int().Draw(r, "name"))), triples(14), triples(8))
}

// solved are the solutions of a query.
func solved(r *rapid.T, store *rdfgpu.Store, text string) (rows [][]string) {
	result, err := store.Query(context.Background(), text, rdfgpu.QueryOptions{})
	if err != nil {
		r.Fatalf("%v in\n%s", err, text)
	}
	defer result.Close()
	for row, err := range result.Rows() {
		if err != nil {
			r.Fatalf("%v in\n%s", err, text)
		}
		cells := make([]string, len(row))
		for i, term := range row {
			cells[i] = term.String()
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestPatternsWithValuesAreAsFrequentAsTheirQueriesSay: instances are the solutions over the automorphisms, minimum images the fewest resources of a variable.
func TestPatternsWithValuesAreAsFrequentAsTheirQueriesSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		store := drawLiteralStore(r, t)
		defer store.Close()
		options := rdfgpu.MineOptions{What: rdfgpu.FrequentPatterns, Size: rapid.IntRange(1, 2).Draw(r, "size"), Queries: true}
		options.Bins, options.Undirected = rapid.IntRange(0, 4).Draw(r, "bins"), rapid.Bool().Draw(r, "undirected")
		options.Unlabelled = rapid.Bool().Draw(r, "no classes")
		options.Frequent = mine.FrequentOptions{Support: 1, Measure: rapid.SampledFrom([]mine.Measure{mine.MinimumImages, mine.Instances}).Draw(r, "measure")}
		if rapid.Bool().Draw(r, "bounded") {
			if err := options.SetBounds("http://e/p1=" + rapid.SampledFrom([]string{"2", "2.0,2", "0,2.5,1e3", "1950-06-01", "1900,2000-01-01T00:00:00Z,3"}).Draw(r, "bounds")); err != nil {
				r.Fatal(err)
			}
		}
		report, err := store.Mine(context.Background(), options)
		if errors.Is(err, rdfgpu.ErrNoPredicate) {
			return
		}
		if err != nil {
			r.Fatal(err)
		}
		for _, p := range report.Patterns {
			rows := solved(r, store, p.SPARQL)
			got := uint64(len(rows) / p.Automorphisms)
			if options.Frequent.Measure == mine.MinimumImages && len(rows) > 0 {
				got = uint64(len(rows))
				for i := range rows[0] {
					images := map[string]bool{}
					for _, row := range rows {
						images[row[i]] = true
					}
					got = min(got, uint64(len(images)))
				}
			}
			if got != p.Support || len(rows)%p.Automorphisms != 0 {
				r.Fatalf("%d, reported %d (%d solutions, %d automorphisms):\n%s", got, p.Support, len(rows), p.Automorphisms, p.SPARQL)
			}
		}
	})
}

// shapesOf are the patterns of a report by what does not depend on the order of their vertices, with their supports.
func shapesOf(report rdfgpu.MineReport, title func(p rdfgpu.MinedPattern, vertex int) string) (shapes []string) {
	for _, p := range report.Patterns {
		var arcs []string
		for _, a := range p.Arcs {
			ends := []string{title(p, a.From), title(p, a.To)}
			arcs = append(arcs, strings.Join(ends, " "+a.Predicate+" "))
		}
		slices.Sort(arcs)
		shapes = append(shapes, fmt.Sprint(p.Support, " ", p.Automorphisms, " ", arcs))
	}
	slices.Sort(shapes)
	return shapes
}

// TestValuesAreVerticesOfTheirResources: patterns with values in given bounds are those of a graph in which each resource has, for each range that it
// has a value in, a resource of a class of its own.
func TestValuesAreVerticesOfTheirResources(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		bounds := rapid.SliceOfNDistinct(rapid.IntRange(-2, 9), 1, 3, rapid.ID[int]).Draw(r, "bounds")
		ascending := slices.Sorted(slices.Values(bounds))
		var texts []string
		for _, bound := range bounds {
			texts = append(texts, strconv.Itoa(bound))
		}
		var literals, model strings.Builder
		for range rapid.IntRange(1, 16).Draw(r, "triples") {
			from, predicate := rapid.IntRange(0, 4).Draw(r, "from"), rapid.IntRange(0, 1).Draw(r, "predicate")
			if rapid.Bool().Draw(r, "edge") {
				edge := fmt.Sprintf(":v%d :p%d :v%d .\n", from, predicate, rapid.IntRange(0, 4).Draw(r, "to"))
				literals.WriteString(edge)
				model.WriteString(edge)
				continue
			}
			value := rapid.IntRange(-3, 10).Draw(r, "value")
			in, exact := slices.BinarySearch(ascending, value)
			if exact {
				in++
			}
			fmt.Fprintf(&literals, ":v%d :p%d %d .\n", from, predicate, value)
			fmt.Fprintf(&model, ":v%d :p%d :v%[1]dp%[2]db%d . :v%[1]dp%[2]db%[3]d a :R%[2]d-%[3]d .\n", from, predicate, in)
		}
		for v := range 5 { // both predicates are there
			both := fmt.Sprintf(":v%d a :C%d . :v5 :p0 :v6 . :v5 :p1 :v6 .\n", v, rapid.IntRange(0, 1).Draw(r, "class"))
			literals.WriteString(both)
			model.WriteString(both)
		}
		name := strconv.Itoa(rapid.Int().Draw(r, "name"))
		options := rdfgpu.MineOptions{What: rdfgpu.FrequentPatterns, Size: rapid.IntRange(1, 3).Draw(r, "size")}
		options.Undirected = rapid.Bool().Draw(r, "undirected")
		options.Frequent = mine.FrequentOptions{Support: rapid.Uint64Range(1, 3).Draw(r, "support"), Measure: rapid.SampledFrom([]mine.Measure{mine.MinimumImages, mine.Instances}).Draw(r, "measure")}
		mineIn := func(store *rdfgpu.Store) rdfgpu.MineReport {
			defer store.Close()
			report, err := store.Mine(context.Background(), options)
			if err != nil {
				r.Fatal(err)
			}
			return report
		}
		want := shapesOf(mineIn(loadText(r, filepath.Join(t.TempDir(), name+"m"), model.String(), "")), func(p rdfgpu.MinedPattern, vertex int) string {
			class := p.Classes[vertex]
			if at := strings.Index(class, "/R"); at >= 0 {
				_, in, _ := strings.Cut(class[at:], "-")
				i, _ := strconv.Atoi(in)
				return "in " + rangeOf(ascending, i)
			}
			return class
		})
		options.Bounds = map[string][]string{":p0": texts, "http://e/p1": texts}
		got := shapesOf(mineIn(loadText(r, filepath.Join(t.TempDir(), name), literals.String(), "")), func(p rdfgpu.MinedPattern, vertex int) string {
			if p.Values == nil || p.Values[vertex] == "" {
				return p.Classes[vertex]
			}
			plain := strings.ReplaceAll(p.Values[vertex], fmt.Sprintf("?%c ", 'a'+vertex), "")
			return "in " + strings.NewReplacer(`"`, "", "^^<http://www.w3.org/2001/XMLSchema#decimal>", "").Replace(plain)
		})
		if !slices.Equal(got, want) {
			r.Fatalf("%s\nbounds %v, %+v:\n%s\nwant\n%s", &literals, bounds, options, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// rangeOf writes a range between bounds.
func rangeOf(bounds []int, i int) string {
	var parts []string
	if i > 0 {
		parts = append(parts, fmt.Sprintf(">= %d", bounds[i-1]))
	}
	if i < len(bounds) {
		parts = append(parts, fmt.Sprintf("< %d", bounds[i]))
	}
	return strings.Join(parts, " && ")
}

// TestBinsAreWhatIsAskedFor: ranges that hold about as many, values where there are few, languages, and what is left out.
func TestBinsAreWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, ":v%d :number %d ; :few %d ; :flag %v ; :name \"n%[1]d\" ; :kind \"k%[5]d\" ; :label \"l\"@%[6]s ; :born \"%[7]d-01-01\"^^xsd:date ; :skew %[8]d .\n",
			i, i, i%3, i%2 == 0, i%2, []string{"en", "de"}[i/80], 1900+i, max(i-50, 0))
	}
	store := loadText(t, filepath.Join(t.TempDir(), "bins"), b.String(), "")
	defer store.Close()
	for _, c := range []struct {
		predicate string
		bins      int
		bounds    []string
		left      uint64
		want      []string
	}{
		{":number", 4, nil, 0, []string{"25 ?b < 25", "25 ?b >= 25 && ?b < 50", "25 ?b >= 50 && ?b < 75", "25 ?b >= 75"}},
		{":number", 1, nil, 0, []string{"100 ?b >= 0"}},
		{":number", 0, []string{":number=90,10"}, 0, []string{"10 ?b < 10", "10 ?b >= 90", "80 ?b >= 10 && ?b < 90"}},
		{":number", 4, []string{":number=1950-01-01"}, 0, []string{"25 ?b < 25", "25 ?b >= 25 && ?b < 50", "25 ?b >= 50 && ?b < 75", "25 ?b >= 75"}},
		{":number", 0, []string{":number=1950-01-01"}, 100, nil},
		{":skew", 4, nil, 0, []string{"16 ?b >= 18 && ?b < 34", "16 ?b >= 34", "17 ?b >= 1 && ?b < 18", "51 ?b < 1"}},
		{":few", 4, nil, 0, []string{"33 ?b = 1", "33 ?b = 2", "34 ?b = 0"}},
		{":flag", 2, nil, 0, []string{"50 ?b = false", "50 ?b = true"}},
		{":kind", 2, nil, 0, []string{`50 sameTerm(?b, "k0")`, `50 sameTerm(?b, "k1")`}},
		{":kind", 1, nil, 100, nil},
		{":name", 64, nil, 100, nil},
		{":label", 1, nil, 0, []string{`20 lang(?b) = "de"`, `80 lang(?b) = "en"`}},
		{":born", 2, nil, 0, []string{"50 ?b < 1950-01-01", "50 ?b >= 1950-01-01"}},
		{":born", 0, []string{":born=1999-12-01"}, 0, []string{"100 ?b < 1999-12-01"}},
	} {
		options := rdfgpu.MineOptions{What: rdfgpu.FrequentPatterns, Size: 1, Frequent: mine.FrequentOptions{Support: 1}}
		options.Edges, options.Bins = []string{c.predicate}, c.bins
		for _, bounds := range c.bounds {
			if err := options.SetBounds(bounds); err != nil {
				t.Fatal(err)
			}
		}
		report, err := store.Mine(context.Background(), options)
		var got []string
		for _, p := range report.Patterns {
			_, condition, _ := strings.Cut(p.Brief, "FILTER (")
			got = append(got, fmt.Sprint(p.Support, " ", strings.TrimSuffix(condition, ")")))
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, c.want) || report.Literals != c.left {
			t.Errorf("%s in %d bins, %v: %q (%d left out), want %q (%d): %v", c.predicate, c.bins, c.bounds, got, report.Literals, c.want, c.left, err)
		}
	}
}

// TestBinsThatCannotBeAreRefused, and so are bounds.
func TestBinsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	store := loadText(t, filepath.Join(t.TempDir(), "bins"), ":a :p 1 ; :q 2 .", "")
	defer store.Close()
	for _, c := range []struct {
		bins   int
		bounds string
	}{
		{-1, ""}, {rdfgpu.MostBins + 1, ""}, {0, ":p"}, {0, "=1"}, {0, ":p=one"}, {0, ":p=1,,2"}, {0, ":p=NaN"}, {0, ":p="}, {0, ":q=1"},
		{0, ":p=1" + strings.Repeat(",1", rdfgpu.MostBins)},
	} {
		options := rdfgpu.MineOptions{What: rdfgpu.FrequentPatterns, Frequent: mine.FrequentOptions{Support: 1}}
		options.Edges, options.Bins = []string{":p"}, c.bins
		var err error
		if c.bounds != "" {
			err = options.SetBounds(c.bounds)
		}
		if err == nil {
			_, err = store.Mine(context.Background(), options)
		}
		if !errors.Is(err, rdfgpu.ErrMineOptions) {
			t.Errorf("%d bins, bounds %q: %v", c.bins, c.bounds, err)
		}
	}
	options := rdfgpu.MineOptions{What: rdfgpu.Triangles}
	if options.Bins = 2; !errors.Is(options.Check(), rdfgpu.ErrMineOptions) {
		t.Error("triangles with bins")
	}
	if _, err := store.MiningLabelled(context.Background(), rdfgpu.MiningOptions{Bounds: map[string][]string{":none": {"1"}}}); !errors.Is(err, rdfgpu.ErrNoPredicate) {
		t.Error(err)
	}
	m, err := store.MiningLabelled(context.Background(), rdfgpu.MiningOptions{Bins: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	values := 0
	for v := range mine.Vertex(m.Len()) {
		if m.Term(v).IsZero() {
			values++
		}
	}
	if values != 2 || m.Len() != 3 {
		t.Errorf("%d of %d vertices are values", values, m.Len())
	}
}
