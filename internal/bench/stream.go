package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// UpdateKind names a load of updates.
type UpdateKind string

const (
	// Single inserts one triple with a new subject in each request.
	Single UpdateKind = "single"
	// Edit is shaped like Wikidata's stream of changes: each request removes 20 triples of an entity and inserts 22.
	Edit UpdateKind = "edit"
	// Mix is shaped like BSBM's explore-and-update: after each update of a shop (a product with offers and reviews
	// comes, or an offer goes) twelve queries explore it.
	Mix UpdateKind = "mix"
)

// UpdateKinds are all kinds.
var UpdateKinds = []UpdateKind{Single, Edit, Mix}

// check is a number that tells whether what was acknowledged is there.
type check struct {
	name, query string
}

// step is one request of a stream.
type step struct {
	text string
	// update is false for a query, which has so many solutions, -1 when other connections may change them.
	update   bool
	expected int64
	// triples is how many triples an update inserts and removes, effect by how much it raises the numbers of the checks.
	triples int
	effect  []int64
}

// outcome is what is known of an update once its answer came, or none.
type outcome int

const (
	acknowledged outcome = iota
	refused              // it changed nothing
	unknown              // it may have changed everything or nothing
)

// stream is what one connection sends: steps without end, the same for the same seed as long as all are acknowledged.
// No two streams write triples of the same entities.
type stream interface {
	// prepare returns the updates that have to be there first.
	prepare() []step
	// next returns a step; it is called again only after settle.
	next() step
	// settle tells what became of the last step of next.
	settle(outcome)
}

// namespace is the prefix of all IRIs of a kind, number of connections and seed.
func namespace(kind UpdateKind, connections int, seed uint64) string {
	return fmt.Sprintf("http://rdfgpu.example/bench/%d/%s/%d/", seed, kind, connections)
}

// newStreams returns a stream for each of n connections, and the checks of what they all do.
func newStreams(kind UpdateKind, n int, seed uint64) ([]stream, []check, error) {
	ns := namespace(kind, n, seed)
	streams := make([]stream, n)
	var checks []check
	for i := range streams {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		switch kind {
		case Single:
			streams[i], checks = &singles{namespace: ns, connection: i}, singleChecks(ns)
		case Edit:
			streams[i], checks = newEditor(ns, i, share(entities, n), random), editChecks(ns)
		case Mix:
			streams[i], checks = newShop(ns, i, share(products, n), random), shopChecks(ns)
		default:
			return nil, nil, fmt.Errorf("bench: %q is no kind of updates: single, edit or mix", kind)
		}
	}
	return streams, checks, nil
}

// share is how many of all each of n connections has, at least one.
func share(all, n int) int { return max(all/n, 1) }

// singles inserts one triple at a time.
type singles struct {
	namespace  string
	connection int
	number     int
}

func singleChecks(ns string) []check {
	return []check{{"triples", fmt.Sprintf("SELECT (COUNT(*) AS ?c) WHERE { ?s <%svalue> ?o }", ns)}}
}

func (s *singles) prepare() []step { return nil }

func (s *singles) next() step {
	s.number++
	text := fmt.Sprintf("INSERT DATA { <%ss%d-%d> <%svalue> \"%d\" }", s.namespace, s.connection, s.number, s.namespace, s.number)
	return step{text: text, update: true, triples: 1, effect: []int64{1}}
}

// settle has nothing to do: the next subject is new whatever became of the last one.
func (s *singles) settle(outcome) {}

// triples is the text of triples, one a line.
type triples struct {
	strings.Builder
	n int
}

// add appends a triple whose terms are written already.
func (t *triples) add(subject, predicate, object string) {
	t.n++
	for _, term := range []string{subject, " ", predicate, " ", object, " .\n"} {
		t.WriteString(term)
	}
}

func number(n int) string {
	return fmt.Sprintf("\"%d\"^^<http://www.w3.org/2001/XMLSchema#integer>", n)
}

func insertData(t *triples) string { return "INSERT DATA {\n" + t.String() + "}" }

// batches joins the triples of so many things at a time into steps that insert them.
func batches(n, size int, thing func(int, *triples) []int64) []step {
	var steps []step
	for from := 0; from < n; from += size {
		var t triples
		var effect []int64
		for i := from; i < min(from+size, n); i++ {
			effect = sum(effect, thing(i, &t))
		}
		steps = append(steps, step{text: insertData(&t), update: true, triples: t.n, effect: effect})
	}
	return steps
}

// sum adds b to a, which may be nil.
func sum(a, b []int64) []int64 {
	if a == nil {
		a = make([]int64, len(b))
	}
	for i, n := range b {
		a[i] += n
	}
	return a
}
