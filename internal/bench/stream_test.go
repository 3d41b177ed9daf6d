package bench

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tripleSet is a graph of triples as text, which knows the forms of update that streams send.
type tripleSet map[string]bool

var deleteWhere = regexp.MustCompile(`^DELETE WHERE \{ (<[^>]*>) \?p \?o \}$`)

// apply does what an update says, and returns how many triples it inserted and removed.
func (s tripleSet) apply(t *testing.T, text string) (inserted, removed int) {
	t.Helper()
	if m := deleteWhere.FindStringSubmatch(text); m != nil {
		before := len(s)
		maps.DeleteFunc(s, func(triple string, _ bool) bool { return strings.HasPrefix(triple, m[1]+" ") })
		return 0, before - len(s)
	}
	for operation := range strings.SplitSeq(text, " ;\n") {
		verb, rest, ok := strings.Cut(operation, " DATA {")
		if !ok || !strings.HasSuffix(rest, "}") {
			t.Fatalf("what is %q?", operation)
		}
		for triple := range strings.SplitSeq(strings.Trim(strings.TrimSuffix(rest, "}"), "\n"), "\n") {
			triple = strings.TrimSuffix(strings.TrimSpace(triple), " .")
			switch there := s[triple]; {
			case verb == "INSERT" && !there:
				s[triple] = true
				inserted++
			case verb == "DELETE" && there:
				delete(s, triple)
				removed++
			default:
				t.Errorf("%s of %s, which is there: %t", verb, triple, there)
			}
		}
	}
	return inserted, removed
}

var (
	ofClass     = regexp.MustCompile(`\{ \?s a (<[^>]*>) \. \?s \?p \?o \}`)
	ofPredicate = regexp.MustCompile(`\{ \?s (<[^>]*>) \?[ov] \}`)
	integer     = regexp.MustCompile(`"(\d+)"\^\^<[^>]*integer>$`)
)

// number answers a check.
func (s tripleSet) number(t *testing.T, c check) (n int64) {
	t.Helper()
	class, predicate := ofClass.FindStringSubmatch(c.query), ofPredicate.FindStringSubmatch(c.query)
	for triple := range s {
		subject, rest, _ := strings.Cut(triple, " ")
		switch {
		case class != nil && s[subject+" a "+class[1]]:
			n++
		case predicate != nil && strings.HasPrefix(rest, predicate[1]+" "):
			v := int64(1)
			if strings.Contains(c.query, "SUM") {
				v, _ = strconv.ParseInt(integer.FindStringSubmatch(triple)[1], 10, 64)
			}
			n += v
		case class == nil && predicate == nil:
			t.Fatalf("what is %q?", c.query)
		}
	}
	return n
}

func TestStreamsDoWhatTheySay(t *testing.T) {
	for _, kind := range UpdateKinds {
		t.Run(string(kind), func(t *testing.T) {
			const n = 128
			streams, checks, err := newStreams(kind, n, 7)
			if err != nil {
				t.Fatal(err)
			}
			graph := tripleSet{}
			effect := make([]int64, len(checks))
			do := func(s step) {
				inserted, removed := graph.apply(t, s.text)
				if inserted+removed != s.triples {
					t.Errorf("%d triples inserted and %d removed instead of %d in all by %s", inserted, removed, s.triples, s.text)
				}
				effect = sum(effect, s.effect)
			}
			for _, stream := range streams[:3] {
				for _, s := range stream.prepare() {
					do(s)
				}
				updates := 0
				for updates < 100 {
					s := stream.next()
					if s.update {
						do(s)
						updates++
					}
					stream.settle(acknowledged)
				}
			}
			for i, c := range checks {
				if got := graph.number(t, c); got != effect[i] {
					t.Errorf("%s: %d instead of %d", c.name, got, effect[i])
				}
			}
		})
	}
}

func TestAnEditRemoves20TriplesAndInserts22(t *testing.T) {
	streams, _, _ := newStreams(Edit, 512, 1)
	graph := tripleSet{}
	for _, s := range streams[0].prepare() {
		graph.apply(t, s.text)
	}
	for range 20 {
		if inserted, removed := graph.apply(t, streams[0].next().text); inserted != 22 || removed != 20 {
			t.Errorf("inserted %d, removed %d", inserted, removed)
		}
		streams[0].settle(acknowledged)
	}
}

func TestAMixAsksTwelveQueriesAfterEachUpdate(t *testing.T) {
	streams, _, _ := newStreams(Mix, 4, 1)
	streams[0].prepare()
	updates, queries, deletes := 0, 0, 0
	for range 130 {
		switch s := streams[0].next(); {
		case s.update && strings.HasPrefix(s.text, "DELETE"):
			updates, deletes = updates+1, deletes+1
		case s.update:
			updates++
		default:
			queries++
		}
		streams[0].settle(acknowledged)
	}
	if updates != 10 || queries != 120 || deletes != 5 {
		t.Errorf("%d updates, %d of them deletions, and %d queries", updates, deletes, queries)
	}
}

func TestStreamsRepeatForTheSameSeedOnly(t *testing.T) {
	text := func(kind UpdateKind, connection int, seed uint64) string {
		streams, _, _ := newStreams(kind, 16, seed)
		s := streams[connection]
		var all strings.Builder
		for _, step := range s.prepare() {
			all.WriteString(step.text)
		}
		for range 50 {
			all.WriteString(s.next().text)
			s.settle(acknowledged)
		}
		return all.String()
	}
	for _, kind := range UpdateKinds {
		a := text(kind, 1, 3)
		if a != text(kind, 1, 3) {
			t.Errorf("%s: the same seed gives something else", kind)
		}
		if a == text(kind, 1, 4) || a == text(kind, 2, 3) {
			t.Errorf("%s: another seed or connection gives the same", kind)
		}
	}
}

// TestWhatIsNotKnownIsLeftAlone goes on after updates of which nothing is known: what an entity or a product was after
// its last known state must not be asked or edited.
func TestWhatIsNotKnownIsLeftAlone(t *testing.T) {
	for _, kind := range []UpdateKind{Edit, Mix} {
		for _, applied := range []bool{true, false} {
			t.Run(fmt.Sprint(kind, applied), func(t *testing.T) {
				streams, _, _ := newStreams(kind, 16, 5)
				s, graph := streams[0], tripleSet{}
				for _, step := range s.prepare() {
					graph.apply(t, step.text)
				}
				for updates := 0; updates < 90; {
					step, o := s.next(), acknowledged
					if step.update {
						updates++
						o = outcome(updates % 3)
						if o == acknowledged || o == unknown && applied {
							graph.apply(t, step.text) // fails where a triple is not as the stream believes
						}
					} else if offers := offersAsked.FindStringSubmatch(step.text); offers != nil {
						if n := graph.withObject(offers[1]); n != step.expected {
							t.Errorf("%d offers instead of %d: %s", n, step.expected, step.text)
						}
					}
					s.settle(o)
				}
			})
		}
	}
}

var offersAsked = regexp.MustCompile(`\{ \?offer (<[^>]*of> <[^>]*>) `)

// withObject counts the triples that end so.
func (s tripleSet) withObject(end string) (n int64) {
	for triple := range s {
		if strings.HasSuffix(triple, " "+end) {
			n++
		}
	}
	return n
}
