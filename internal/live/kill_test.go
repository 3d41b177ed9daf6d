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
	for range 4 {
		go func() {
			for {
				n, err := commitNumber(s)
				if err != nil {
					fail <- err
				}
				fmt.Println(n)
			}
		}()
	}
	return <-fail
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
	n, want := int(state.Sequence()), quads{}
	for k := range n {
		for i := range quadsEach {
			if i == 0 || k+keptFor >= n {
				want[killQuad(k, i)] = true
			}
		}
	}
	got := contents(t, state)
	if len(got) != len(want) || len(without(want, got)) > 0 {
		t.Fatalf("after %d commits: %s", n, difference(got, want))
	}
}
