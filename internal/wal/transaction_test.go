package wal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// transactionOf makes a payload, and what must be read of it, graph by graph.
func transactionOf(b *Builder, keys []string, changes []Change, at time.Time) (payload []byte, want []Change) {
	b.Reset()
	for i, key := range keys {
		if t := b.Term([]byte(key)); int(t) != i+1 {
			panic(fmt.Sprint("term ", i+1, " is ", t))
		}
	}
	var graphs []Term
	for _, c := range changes {
		b.Add(c)
		if !slices.Contains(graphs, c.Graph) {
			graphs = append(graphs, c.Graph)
		}
	}
	for _, g := range graphs {
		for _, c := range changes {
			if c.Graph == g {
				want = append(want, c)
			}
		}
	}
	return b.Append(nil, at), want
}

func TestATransactionIsReadAsItWasBuilt(t *testing.T) {
	builder, read := &Builder{}, &Transaction{}
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.StringN(1, 30, 300), 1, 300, rapid.ID[string]).Draw(t, "keys")
		term := rapid.Custom(func(t *rapid.T) Term { return Term(rapid.IntRange(1, len(keys)).Draw(t, "term")) })
		graph := Term(rapid.IntRange(0, min(len(keys), 3)).Draw(t, "graphs"))
		changes := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Change {
			return Change{rapid.Bool().Draw(t, "delete"), Term(rapid.Uint32Range(0, uint32(graph)).Draw(t, "graph")), term.Draw(t, "s"), term.Draw(t, "p"), term.Draw(t, "o")}
		})).Draw(t, "changes")
		at := time.Unix(0, rapid.Int64().Draw(t, "time"))
		payload, want := transactionOf(builder, keys, changes, at)
		if err := read.Read(payload); err != nil {
			t.Fatal(err)
		}
		checkTransaction(t, read, keys, want, at)
	})
}

func checkTransaction(t *rapid.T, read *Transaction, keys []string, want []Change, at time.Time) {
	if !read.Time.Equal(at) || read.Terms() != len(keys) {
		t.Fatalf("%v, %d terms; want %v, %d", read.Time, read.Terms(), at, len(keys))
	}
	for i, key := range keys {
		if got := read.Key(Term(i + 1)); string(got) != key {
			t.Fatalf("term %d is %q, want %q", i+1, got, key)
		}
	}
	if got := slices.Collect(read.Changes()); !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for g := range read.Graphs() {
		for _, c := range want {
			if c.Graph == g.Graph && c.Delete {
				g.Removed--
			} else if c.Graph == g.Graph {
				g.Added--
			}
		}
		if g.Added != 0 || g.Removed != 0 {
			t.Fatalf("graph %d is counted wrong", g.Graph)
		}
	}
}

// An edit of the shape of Wikidata's stream: the payload is little more than its terms.
func TestAnEditTakesLittleMoreThanItsTerms(t *testing.T) {
	b := &Builder{}
	known := map[string]Term{}
	term := func(format string, args ...any) Term {
		key := fmt.Sprintf(format, args...)
		if known[key] == 0 {
			known[key] = b.Term([]byte(key))
		}
		return known[key]
	}
	for i := range 42 {
		b.Add(Change{
			Delete: i < 20, Subject: term("<http://www.wikidata.org/entity/statement/Q64-%d", i/3),
			Predicate: term("<http://www.wikidata.org/prop/statement/P%d", i%7), Object: term("\"%d", i),
		})
	}
	if n, terms := len(b.Append(nil, time.Now())), len(b.table); n > terms+20+42*3 {
		t.Fatalf("%d bytes, %d of them terms", n, terms)
	}
}

func TestWhatIsNoTransactionIsRefused(t *testing.T) {
	b := &Builder{}
	s, p, g := b.Term([]byte("s")), b.Term([]byte("p")), b.Term([]byte("g"))
	b.Add(Change{Subject: s, Predicate: p, Object: s})
	b.Add(Change{Delete: true, Graph: g, Subject: s, Predicate: p, Object: s})
	payload := b.Append(nil, time.Unix(1, 2))
	if _, err := ReadTransaction(payload); err != nil {
		t.Fatal(err)
	}
	for n := range payload {
		if _, err := ReadTransaction(payload[:n]); !errors.Is(err, ErrPayload) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	if _, err := ReadTransaction(append(slices.Clone(payload), 0)); !errors.Is(err, ErrPayload) {
		t.Error("a byte too many:", err)
	}
	for name, bad := range map[string][]byte{
		"another format":            {2},
		"terms that are not there":  {0xff, 0xff, 0xff, 0xff, 0x0f},
		"an empty term":             {1, 0, 0},
		"a subject beyond":          {1, 1, 's', 1, 0, 1, 0, 3, 2<<3 | 6, 4, 1},
		"a predicate beyond":        {1, 1, 's', 1, 0, 1, 0, 3, 2<<3 | 6, 2, 2},
		"an object beyond":          {1, 1, 's', 1, 0, 1, 0, 3, 4<<3 | 6, 2, 1},
		"an object before":          {1, 1, 's', 1, 0, 1, 0, 3, 1<<3 | 6, 2, 1},
		"no subject":                {1, 1, 's', 1, 0, 1, 0, 2, 2<<3 | 4, 1},
		"a graph beyond":            {1, 1, 's', 1, 2, 1, 0, 3, 2<<3 | 6, 2, 1},
		"a graph without changes":   {1, 1, 's', 1, 0, 0, 0, 0},
		"wrongly counted deletions": {1, 1, 's', 1, 0, 0, 1, 3, 2<<3 | 6, 2, 1},
		"more changes than bytes":   {1, 1, 's', 1, 0, 2, 0, 3, 2<<3 | 6, 2, 1},
		"fewer changes than bytes":  {1, 1, 's', 1, 0, 1, 0, 4, 2<<3 | 6, 2, 1, 0},
		"more graphs than bytes":    {1, 1, 's', 9, 0, 1, 0, 3, 2<<3 | 6, 2, 1},
	} {
		b := append([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, bad...)
		if name == "another format" {
			b[0] = 2
		}
		if _, err := ReadTransaction(b); !errors.Is(err, ErrPayload) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := append([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, 1, 1, 's', 1, 0, 1, 0, 3, 2<<3|6, 2, 1)
	if _, err := ReadTransaction(good); err != nil {
		t.Error("the one that the others are made of:", err)
	}
}

// FuzzTransaction: any bytes are a transaction, and then the same one when it is built again, or are refused.
func FuzzTransaction(f *testing.F) {
	b := &Builder{}
	b.Add(Change{Subject: b.Term([]byte("<s")), Predicate: b.Term([]byte("<p")), Object: b.Term([]byte("\"o"))})
	f.Add(b.Append(nil, time.Unix(7, 7)))
	b.Add(Change{Delete: true, Graph: b.Term([]byte("<g")), Subject: 1, Predicate: 2, Object: 4})
	f.Add(b.Append(nil, time.Unix(7, 7)))
	f.Fuzz(func(t *testing.T, payload []byte) {
		read, err := ReadTransaction(payload)
		if err != nil {
			if !errors.Is(err, ErrPayload) {
				t.Fatal(err)
			}
			return
		}
		again, n := &Builder{}, 0
		for i := range read.Terms() {
			again.Term(read.Key(Term(i + 1)))
		}
		for c := range read.Changes() {
			again.Add(c)
			n++
		}
		for g := range read.Graphs() {
			n -= g.Added + g.Removed
		}
		if n != 0 {
			t.Fatalf("%d changes more than were counted", n)
		}
		if len(again.groups) < read.graphs {
			return // a graph stands there twice, which the builder does not do
		}
		second, err := ReadTransaction(again.Append(nil, read.Time))
		if err != nil || !slices.Equal(slices.Collect(second.Changes()), slices.Collect(read.Changes())) ||
			second.Terms() > 0 && !bytes.Equal(second.Key(1), read.Key(1)) {
			t.Fatalf("%v; built again it is another one", err)
		}
	})
}
