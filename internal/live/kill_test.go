package live_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/loader"
)

// childVariable names the store that this process, started by TestKills, writes until it is killed.
const childVariable = "RDFGPU_LIVE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := writeUntilKilled(dir); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// Transaction n of a child adds these quads, in two graphs, and removes those of transaction n-50 but the first.
const quadsEach = 5

func killQuad(n, i int) rdf.Quad {
	q := rdf.Quad{
		Subject: rdf.NewIRI(fmt.Sprintf("http://e/s%d", n)), Predicate: rdf.NewIRI(fmt.Sprintf("http://e/p%d", i)),
		Object: rdf.NewString(fmt.Sprintf("object %d of %d", i, n)),
	}
	if i%2 == 1 {
		q.Graph = rdf.NewIRI("http://e/g")
	}
	return q
}

// keptFor is after how many transactions the quads of one are removed.
const keptFor = 50

// writeUntilKilled commits from several goroutines and prints the numbers that were acknowledged.
func writeUntilKilled(dir string) error {
	s, err := live.Open(context.Background(), dir, live.Options{Writable: true, FlushTriples: 700})
	if err != nil {
		return err
	}
	fail := make(chan error)
	for writer := range 4 {
		go func() {
			for k := 0; ; k++ {
				commit := commitNumber
				switch {
				case writer == 0 && k%8 == 7:
					commit = commitDocument
				case writer == 1 && k%8 == 3:
					commit = commitAmongOthers
				case writer > 1 && k%3 > 0:
					commit = commitEdit
				}
				n, err := commit(s)
				if err != nil {
					fail <- err
				}
				fmt.Println(n)
			}
		}()
	}
	return <-fail
}

// documentTriples is how many triples a document of commitDocument has, which all have the document's own subject and lie in
// documentGraph.
const documentTriples = 500

var (
	documentGraph  = rdf.NewIRI("http://e/documents")
	documentPrefix = "http://e/document"
)

// commitDocument commits a document by an intake, in the place of a transaction.
func commitDocument(s *live.Store) (n int, err error) {
	in, err := s.NewIntake(documentGraph)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	var text strings.Builder
	id := rand.Uint64()
	for i := range documentTriples {
		fmt.Fprintf(&text, "<%s%x> <http://e/p%d> \"%d\" .\n", documentPrefix, id, i%7, i)
	}
	if err := in.Loader().Read(context.Background(), strings.NewReader(text.String()), loader.NTriples, ""); err != nil {
		return 0, err
	}
	merged, err := in.Commit(context.Background(), false, nil)
	return int(merged.Sequence) - 1, err
}

// commitAmongOthers commits a document of which an intake reads the most, and other steps of the same transaction add the rest.
func commitAmongOthers(s *live.Store) (n int, err error) {
	in, err := s.NewIntake(documentGraph)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	name := fmt.Sprintf("%s%x", documentPrefix, rand.Uint64())
	var text strings.Builder
	for i := 1; i < documentTriples-1; i++ {
		fmt.Fprintf(&text, "<%s> <http://e/p%d> \"%d\" .\n", name, i%7, i)
	}
	if err := in.Loader().Read(context.Background(), strings.NewReader(text.String()), loader.NTriples, ""); err != nil {
		return 0, err
	}
	tx, err := s.BeginWithFiles(context.Background())
	if err != nil {
		return 0, err
	}
	defer tx.Abort()
	for i, step := range []func() error{
		func() error { return applyTriple(tx, name, 0) },
		func() error { return tx.TakeIn(context.Background(), in) },
		func() error { return applyTriple(tx, name, documentTriples-1) },
	} {
		if err := step(); err != nil {
			return 0, fmt.Errorf("step %d: %w", i, err)
		}
	}
	report, err := tx.Commit(context.Background())
	return int(report.Sequence) - 1, err
}

// applyTriple adds one triple of a document.
func applyTriple(tx *live.Transaction, name string, i int) error {
	var ids [4]dictionary.ID
	for at, term := range []rdf.Term{documentGraph, rdf.NewIRI(name), rdf.NewIRI(fmt.Sprintf("http://e/p%d", i%7)), rdf.NewString(fmt.Sprint(i))} {
		var err error
		if ids[at], err = tx.Intern(term); err != nil {
			return err
		}
	}
	return tx.Apply(nil, []live.Quad{{Graph: ids[0], Subject: ids[1], Predicate: ids[2], Object: ids[3]}})
}

// editTriples is how many triples an edit of commitEdit adds, which have a subject of their own and lie in editGraph.
const editTriples = 6

var editGraph = rdf.NewIRI("http://e/edits")

// commitEdit commits an edit, together with others that wait.
func commitEdit(s *live.Store) (n int, err error) {
	subject := rdf.NewIRI(fmt.Sprintf("http://e/edit%x", rand.Uint64()))
	report, err := s.Edit(context.Background(), func(tx *live.Transaction) (remove, add []live.Quad, err error) {
		for i := range editTriples {
			q := live.Quad{}
			for at, term := range []rdf.Term{editGraph, subject, rdf.NewIRI(fmt.Sprintf("http://e/p%d", i)), rdf.NewString(fmt.Sprint(i))} {
				if *[]*dictionary.ID{&q.Graph, &q.Subject, &q.Predicate, &q.Object}[at], err = tx.Intern(term); err != nil {
					return nil, nil, err
				}
			}
			add = append(add, q)
		}
		return nil, add, nil
	})
	return int(report.Sequence) - 1, err
}

// takeWhole removes from what a store has the subjects of a graph, and returns the number of them. Each must have so many triples.
func takeWhole(t *testing.T, got quads, graph rdf.Term, triples int) int {
	t.Helper()
	found := map[string]int{}
	for q := range got {
		if q.Graph == graph {
			found[q.Subject.Value]++
			delete(got, q)
		}
	}
	for name, n := range found {
		if n != triples {
			t.Fatalf("%s has %d triples of %d", name, n, triples)
		}
	}
	return len(found)
}

// commitNumber commits the next transaction: number n is commit n+1.
func commitNumber(s *live.Store) (n int, err error) {
	tx, err := s.Begin(context.Background())
	if err != nil {
		return 0, err
	}
	defer tx.Abort()
	n = int(tx.Began().Sequence())
	if err := applyNumber(tx, n); err != nil {
		return n, err
	}
	_, err = tx.Commit(context.Background())
	return n, err
}

func applyNumber(tx *live.Transaction, n int) error {
	var add, remove []live.Quad
	id := func(t rdf.Term) dictionary.ID {
		if t.IsZero() {
			return dictionary.None
		}
		id, err := tx.Intern(t)
		if err != nil {
			panic(err)
		}
		return id
	}
	quad := func(n, i int) live.Quad {
		q := killQuad(n, i)
		return live.Quad{Graph: id(q.Graph), Subject: id(q.Subject), Predicate: id(q.Predicate), Object: id(q.Object)}
	}
	for i := range quadsEach {
		add = append(add, quad(n, i))
		if i > 0 && n >= keptFor {
			remove = append(remove, quad(n-keptFor, i))
		}
	}
	return tx.Apply(remove, add)
}

// TestKills kills a process that writes, again and again, and looks what the store has then.
func TestKills(t *testing.T) {
	kills := 12
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_KILLS")); err == nil {
		kills = n
	}
	folder := newFolder(t, quads{})
	acknowledged := -1
	for range kills {
		acknowledged = max(acknowledged, killOnce(t, folder))
		checkNumbers(t, folder, acknowledged)
	}
	t.Logf("%d transactions in %d lives", acknowledged+1, kills)
}

// killOnce runs a child for a moment and returns the highest number up to which all were acknowledged.
func killOnce(t *testing.T, folder string) int {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+folder)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	timer := time.AfterFunc(time.Duration(20+rand.IntN(400))*time.Millisecond, func() { _ = child.Process.Kill() })
	defer timer.Stop()
	highest := -1
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "error") {
			t.Error(lines.Text())
		}
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			highest = max(highest, n)
		}
	}
	_ = child.Wait()
	return highest
}

// checkNumbers makes sure that the store has the transactions up to some number, at least those acknowledged, each whole.
func checkNumbers(t *testing.T, folder string, acknowledged int) {
	checkNumbersOn(t, folder, acknowledged, live.Options{})
}

func checkNumbersOn(t *testing.T, folder string, acknowledged int, options live.Options) {
	s, err := live.Open(context.Background(), folder, options)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	snapshot := s.Snapshot()
	defer snapshot.Release()
	n := int(snapshot.Sequence())
	if n <= acknowledged {
		t.Fatalf("commits up to %d are there, up to %d were acknowledged", n, acknowledged+1)
	}
	checkState(t, snapshot.State)
	files, err := store.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	if err := files.Verify(); err != nil {
		t.Fatal(err)
	}
}

// checkState makes sure that a state has its transactions and nothing else.
func checkState(t *testing.T, state *live.State) {
	t.Helper()
	n, got := int(state.Sequence()), contents(t, state)
	documents, edits := takeWhole(t, got, documentGraph, documentTriples), takeWhole(t, got, editGraph, editTriples)
	want := quads{}
	others := n
	for k := range n {
		if !got[killQuad(k, 0)] { // it was one of these
			others--
			continue
		}
		for i := range quadsEach {
			if i == 0 || k+keptFor >= n || !got[killQuad(k+keptFor, 0)] {
				want[killQuad(k, i)] = true
			}
		}
	}
	if documents+edits+others != n {
		t.Fatalf("after %d commits: %d documents, %d edits and %d others", n, documents, edits, others)
	}
	if len(got) != len(want) || len(without(want, got)) > 0 {
		t.Fatalf("after %d commits: %s", n, difference(got, want))
	}
}
