package bench

import (
	"fmt"
	"math/rand/v2"
)

// entities is how many entities the connections share.
const entities = 1024

// editor edits entities in the shape of Wikidata's stream. An entity is a function of its number and its version: an
// item with labels that never change, a version, date, description, label and alias that change with every edit, two
// statements that every edit replaces (a direct triple, a link and a node of five triples each), and an alias and an
// identifier that every edit adds.
type editor struct {
	namespace  string
	connection int
	random     *rand.Rand
	items      []item
	last       int // index into items of the last step's
}

// item is one entity.
type item struct {
	number, version int
}

// The shape of an entity.
const (
	lasting   = 20 // triples that no edit touches
	replaced  = 20 // triples that an edit replaces
	added     = 2  // triples that an edit adds
	statement = 5  // triples of a statement's node
	itemOnly  = replaced - 2*statement
)

func newEditor(ns string, connection, n int, random *rand.Rand) *editor {
	e := &editor{namespace: ns, connection: connection, random: random}
	for i := range n {
		e.items = append(e.items, item{number: i})
	}
	return e
}

func editChecks(ns string) []check {
	return []check{
		{"triples of items", fmt.Sprintf("SELECT (COUNT(*) AS ?c) WHERE { ?s a <%sItem> . ?s ?p ?o }", ns)},
		{"triples of statements", fmt.Sprintf("SELECT (COUNT(*) AS ?c) WHERE { ?s a <%sStatement> . ?s ?p ?o }", ns)},
		{"sum of versions", fmt.Sprintf("SELECT (SUM(?v) AS ?c) WHERE { ?s <%sversion> ?v }", ns)},
	}
}

// prepare creates the entities, in version 0.
func (e *editor) prepare() []step {
	return batches(len(e.items), 8, func(i int, t *triples) []int64 {
		e.create(e.items[i], t)
		return []int64{lasting + itemOnly + added, 2 * statement, 0}
	})
}

// next edits an entity drawn at random.
func (e *editor) next() step {
	e.last = e.random.IntN(len(e.items))
	old := e.items[e.last]
	edited := item{old.number, old.version + 1}
	var gone, come triples
	e.changing(old, &gone)
	e.changing(edited, &come)
	e.adding(edited, &come)
	return step{
		text:   "DELETE DATA {\n" + gone.String() + "} ;\n" + insertData(&come),
		update: true, triples: gone.n + come.n, effect: []int64{added, 0, 1},
	}
}

// settle turns to the new version. An entity of which the version is not known is left alone from then on, and a new
// version of it is begun by none; the last entity is kept, so that a server that fails always is measured all the same.
func (e *editor) settle(o outcome) {
	switch {
	case o == acknowledged:
		e.items[e.last].version++
	case o == unknown && len(e.items) > 1:
		e.items[e.last] = e.items[len(e.items)-1]
		e.items = e.items[:len(e.items)-1]
	}
}

func (e *editor) iri(format string, a ...any) string {
	return "<" + e.namespace + fmt.Sprintf(format, a...) + ">"
}

func (e *editor) subject(i item) string { return e.iri("Q%d-%d", e.connection, i.number) }

// create appends the triples of an entity in its version.
func (e *editor) create(i item, t *triples) {
	s := e.subject(i)
	t.add(s, "a", e.iri("Item"))
	t.add(s, e.iri("type"), e.iri("class%d", i.number%16))
	for language := range lasting - 2 {
		t.add(s, e.iri("label"), fmt.Sprintf("\"entity %d of connection %d\"@x-l%d", i.number, e.connection, language))
	}
	e.changing(i, t)
	e.adding(i, t)
}

// changing appends the triples that the next edit replaces.
func (e *editor) changing(i item, t *triples) {
	s, v := e.subject(i), i.version
	t.add(s, e.iri("version"), number(v))
	t.add(s, e.iri("modified"), fmt.Sprintf("\"2026-%02d-%02dT%02d:%02d:00Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime>", 1+v%12, 1+v%28, v%24, v%60))
	t.add(s, e.iri("statements"), number(2+v))
	t.add(s, e.iri("description"), fmt.Sprintf("\"an entity that was edited %d times\"@en", v))
	t.add(s, e.iri("label"), fmt.Sprintf("\"entité %d, %d\"@fr", i.number, v))
	t.add(s, e.iri("alias"), fmt.Sprintf("\"Entität %d, %d\"@de", i.number, v))
	for k := range 2 {
		property := (i.number + v + 7*k) % 50
		node := e.iri("Q%d-%d-statement-%d-%d", e.connection, i.number, v, k)
		value := e.iri("value%d", (31*i.number+v+k)%1000)
		t.add(s, e.iri("direct/P%d-%d", k, property), value)
		t.add(s, e.iri("P%d-%d", k, property), node)
		t.add(node, "a", e.iri("Statement"))
		t.add(node, e.iri("rank"), e.iri("NormalRank"))
		t.add(node, e.iri("value/P%d-%d", k, property), value)
		t.add(node, e.iri("qualifier/P580"), fmt.Sprintf("\"%d\"", 1900+v%100))
		t.add(node, e.iri("derivedFrom"), e.iri("reference%d", (i.number+v)%500))
	}
}

// adding appends the triples that an edit adds and none removes.
func (e *editor) adding(i item, t *triples) {
	t.add(e.subject(i), e.iri("alias"), fmt.Sprintf("\"entity %d, version %d\"@en", i.number, i.version))
	t.add(e.subject(i), e.iri("identifier"), fmt.Sprintf("\"%d-%d-%d\"", e.connection, i.number, i.version))
}
