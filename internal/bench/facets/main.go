// Command facets writes queries that each ask one thing of an engine (joins, OPTIONAL, MINUS, EXISTS, UNION, groups, paths, texts, numbers,
// dates, order, exports: kinds.txt) for whatever data a SPARQL endpoint has, in the manner of Sparqloscope (Bast, Kalmbach and others, ISWC
// 2025), with formulations of its own: it asks the endpoint which predicates are large, small, join to much or to little, and have texts,
// numbers or dates.
//
//	facets -endpoint http://127.0.0.1:7878/sparql -out queries/
//
// What it chooses depends on the data alone. The queries are for `rdfgpu bench`.
package main

import (
	_ "embed"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed kinds.txt
var kinds string

func main() {
	endpoint := flag.String("endpoint", "http://127.0.0.1:7878/sparql", "SPARQL endpoint with the data")
	out := flag.String("out", "queries", "folder for the queries")
	flag.Parse()
	n, err := write(*endpoint, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "facets:", err)
		os.Exit(1)
	}
	fmt.Printf("%d queries in %s\n", n, *out)
}

// write writes the queries that an endpoint's data allow, and tells how many.
func write(endpoint, out string) (n int, err error) {
	c := &chooser{endpoint: endpoint, chosen: map[string]string{}}
	c.choose()
	if c.err != nil {
		return 0, c.err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return 0, err
	}
	for name, query := range c.queries() {
		if err := os.WriteFile(filepath.Join(out, name+".rq"), []byte(query+"\n"), 0o644); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

var blank = regexp.MustCompile(`\{([a-z]+[0-9]?)\}`)

// queries are the kinds with what was chosen, without those that name something that was not, by their names.
func (c *chooser) queries() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(kinds) {
		name, query, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		complete := true
		query = blank.ReplaceAllStringFunc(query, func(name string) string {
			value, known := c.chosen[strings.Trim(name, "{}")]
			complete = complete && known
			return value
		})
		if complete {
			out[name] = query
		}
	}
	return out
}

// chooser chooses predicates and constants. After the first error it asks nothing more.
type chooser struct {
	endpoint   string
	chosen     map[string]string
	predicates []predicate // the largest first
	err        error
}

type predicate struct {
	iri string
	n   int
}

// pair is two predicates and how many pairs of their triples meet.
type pair struct {
	a, b predicate
	n    int
}

// ask returns the rows of an answer as CSV.
func (c *chooser) ask(query string) [][]string {
	if c.err != nil {
		return nil
	}
	request, err := http.NewRequest(http.MethodGet, c.endpoint+"?query="+url.QueryEscape(query), nil)
	if err != nil {
		c.err = err
		return nil
	}
	request.Header.Set("Accept", "text/csv")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		c.err = err
		return nil
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000))
		c.err = fmt.Errorf("%s to %s: %s", answer.Status, query, text)
		return nil
	}
	rows, err := csv.NewReader(answer.Body).ReadAll()
	if err != nil || len(rows) == 0 {
		c.err = fmt.Errorf("the answer to %s is no CSV: %w", query, err)
		return nil
	}
	return rows[1:]
}

// number is the one number that a query has for an answer; 0 where it has none.
func (c *chooser) number(query string) int {
	if rows := c.ask(query); len(rows) == 1 && len(rows[0]) == 1 {
		n, _ := strconv.Atoi(rows[0][0])
		return n
	}
	return 0
}

func (c *chooser) count(format string, args ...any) int {
	return c.number("SELECT (COUNT(*) AS ?n) WHERE { " + fmt.Sprintf(format, args...) + " }")
}

func (c *chooser) choose() {
	for _, row := range c.ask("SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n) ?p") {
		n, _ := strconv.Atoi(row[1])
		c.predicates = append(c.predicates, predicate{"<" + row[0] + ">", n})
	}
	if c.err == nil && len(c.predicates) < 2 {
		c.err = fmt.Errorf("the data have %d predicates, and two are needed", len(c.predicates))
	}
	if c.err != nil {
		return
	}
	c.chooseSizes()
	c.chooseStars(c.pairs("?s %s ?x . ?s %s ?y", len(c.predicates)))
	c.chooseChains(c.pairs("?s %s ?x . ?x %s ?y", len(c.predicates)))
	c.chooseGroups()
	c.chooseTexts()
	c.chooseValues()
}

// smallest is from how few triples on a predicate is small; mostPairs is of how many predicates all pairs are looked at; wide how many stand in a
// wide star.
const smallest, mostPairs, wide = 1000, 40, 12

func (c *chooser) chooseSizes() {
	c.set("large", c.predicates[0], c.predicates[1])
	if n := len(c.predicates); n >= 4 {
		c.set("medium", c.predicates[n/3], c.predicates[n/3+1])
	}
	small := c.small()
	if len(small) >= 2 {
		c.set("small", small[0], small[1])
	} else {
		c.set("small", c.predicates[len(c.predicates)-1], c.predicates[len(c.predicates)-2])
	}
	var star, chain []string
	for i, p := range small[:min(len(small), wide)] {
		star = append(star, fmt.Sprintf("?x %s ?v%d", p.iri, i))
		chain = append(chain, fmt.Sprintf("?v%d %s ?v%d", i, p.iri, i+1))
	}
	if len(star) > 3 {
		c.chosen["wide"], c.chosen["long"] = strings.Join(star, " . "), strings.Join(chain, " . ")
	}
}

// small are the predicates with few triples, the largest first.
func (c *chooser) small() []predicate {
	i := slices.IndexFunc(c.predicates, func(p predicate) bool { return p.n <= smallest })
	if i < 0 {
		return nil
	}
	return c.predicates[i:]
}

func (c *chooser) set(name string, predicates ...predicate) {
	for i, p := range predicates {
		c.chosen[name+strconv.Itoa(i+1)] = p.iri
	}
}

// pairs are two predicates each that meet, of the largest ones and of the small ones, by a pattern of both.
func (c *chooser) pairs(pattern string, n int) (out []pair) {
	among := slices.Clone(c.predicates[:min(n, mostPairs)])
	if small := c.small(); len(small) > 0 {
		among = append(among, small[:min(len(small), mostPairs)]...)
	}
	slices.SortFunc(among, func(a, b predicate) int { return strings.Compare(a.iri, b.iri) })
	among = slices.Compact(among)
	for _, a := range among {
		for _, b := range among {
			if a == b {
				continue
			}
			if n := c.count(pattern, a.iri, b.iri); n > 0 {
				out = append(out, pair{a, b, n})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y pair) int { return y.n - x.n })
	return out
}

func (c *chooser) chooseStars(pairs []pair) {
	// first names the first pair that passes.
	first := func(name string, pairs []pair, pass func(p pair) bool) {
		if i := slices.IndexFunc(pairs, pass); i >= 0 {
			c.set(name, pairs[i].a, pairs[i].b)
		}
	}
	first("most", pairs, func(pair) bool { return true })
	first("many", pairs, func(p pair) bool { return p.n <= 3*(p.a.n+p.b.n) })
	first("both", pairs, func(p pair) bool { return p.a.n <= smallest && p.b.n <= smallest })
	rare := slices.Clone(pairs)
	slices.SortStableFunc(rare, func(x, y pair) int { return y.a.n/y.n - x.a.n/x.n })
	first("few", rare, func(p pair) bool { return p.n > 100 && p.a.n < p.b.n })
	for _, p := range pairs {
		for _, q := range pairs {
			if p.a == q.a && p.b != q.b && p.n <= 3*(p.a.n+p.b.n) && q.n <= 3*(q.a.n+q.b.n) {
				c.set("star", p.b, p.a, q.b)
				return
			}
		}
	}
}

func (c *chooser) chooseChains(pairs []pair) {
	best := 0
	for _, p := range pairs {
		for _, q := range pairs {
			if p.b == q.a && p.a != q.b && p.n+q.n > best && p.n <= 10*(p.a.n+p.b.n) && q.n <= 10*(q.a.n+q.b.n) {
				c.set("chain", p.a, p.b, q.b)
				best = p.n + q.n
			}
		}
	}
	c.chooseWalk()
}

// chooseWalk takes the predicate that leads on from where it leads to most often, for each of its triples.
func (c *chooser) chooseWalk() {
	best := 0.0
	for _, p := range c.predicates {
		if n := float64(c.count("?s %s ?x . ?x %[1]s ?y", p.iri)) / float64(p.n); n > best && n < 10 {
			best, c.chosen["walk"] = n, p.iri
		}
	}
	walk, ok := c.chosen["walk"]
	if !ok {
		return
	}
	for name, query := range map[string]string{
		"walkfrom": "SELECT ?a (COUNT(*) AS ?n) WHERE { ?a %s ?b . ?b %[1]s ?c } GROUP BY ?a ORDER BY DESC(?n) ?a LIMIT 1",
		"walkto":   "SELECT ?c (COUNT(*) AS ?n) WHERE { ?a %s ?b . ?b %[1]s ?c } GROUP BY ?c ORDER BY DESC(?n) ?c LIMIT 1",
	} {
		if rows := c.ask(fmt.Sprintf(query, walk)); len(rows) == 1 {
			c.chosen[name] = "<" + rows[0][0] + ">"
		}
	}
}

// chooseGroups takes the large predicates whose objects come most and least often.
func (c *chooser) chooseGroups() {
	most, least := 0.0, 0.0
	for _, p := range c.predicates[:min(len(c.predicates), mostPairs)] {
		different := c.number(fmt.Sprintf("SELECT (COUNT(DISTINCT ?y) AS ?n) WHERE { ?x %s ?y }", p.iri))
		if share := float64(p.n) / float64(max(different, 1)); share > most && p.n > smallest {
			most, c.chosen["grouped"] = share, p.iri
		}
		if float64(different) > least {
			least, c.chosen["single"] = float64(different), p.iri
		}
	}
}

// chooseTexts takes the predicate with the most texts, and parts of the one in the middle of them.
func (c *chooser) chooseTexts() {
	text := c.largest("text", "DATATYPE(?y) = <http://www.w3.org/2001/XMLSchema#string> || LANG(?y) != \"\"")
	if text.n == 0 {
		return
	}
	rows := c.ask(fmt.Sprintf("SELECT ?y WHERE { ?x %s ?y } ORDER BY ?y OFFSET %d LIMIT 1", text.iri, text.n/2))
	if len(rows) != 1 {
		return
	}
	letters := []rune(regexp.MustCompile(`[^A-Za-z]`).ReplaceAllString(rows[0][0], ""))
	if len(letters) < 4 {
		return
	}
	c.chosen["part"], c.chosen["partdot"] = strings.ToLower(string(letters[1:4])), strings.ToLower(string(letters[1]))+"."+strings.ToLower(string(letters[3]))
	for n := 1; n <= 3; n++ {
		c.chosen["start"+strconv.Itoa(n)] = string(letters[:n])
	}
}

// chooseValues takes the predicates with the most numbers and dates, and a number in the middle.
func (c *chooser) chooseValues() {
	if number := c.largest("number", "isNumeric(?y)"); number.n > 0 {
		if rows := c.ask(fmt.Sprintf("SELECT (AVG(?y) AS ?n) WHERE { ?x %s ?y }", number.iri)); len(rows) == 1 {
			if middle, err := strconv.ParseFloat(rows[0][0], 64); err == nil {
				c.chosen["middle"] = strconv.Itoa(int(middle))
			}
		}
	}
	c.largest("date", "DATATYPE(?y) = <http://www.w3.org/2001/XMLSchema#date> || DATATYPE(?y) = <http://www.w3.org/2001/XMLSchema#dateTime>")
}

// largest names the predicate with the most objects that pass a condition.
func (c *chooser) largest(name, condition string) (best predicate) {
	for _, p := range c.predicates {
		if p.n <= best.n {
			break
		}
		if n := c.count("?x %s ?y FILTER(%s)", p.iri, condition); n > best.n {
			best = predicate{p.iri, n}
		}
	}
	if best.n > 0 {
		c.chosen[name] = best.iri
	}
	return best
}
