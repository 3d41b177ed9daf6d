package results

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// slow is an output whose reader does not read before it is told to.
type slow struct {
	syncBuffer
	read chan struct{}
}

func (s *slow) Write(p []byte) (int, error) {
	<-s.read
	return s.syncBuffer.Write(p)
}

func TestAnAnswerThatNobodyReadsHoldsNoPermit(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{10, 300_000} {
		pool := schedule.New(2)
		out, written := &slow{read: make(chan struct{})}, make(chan error)
		go func() { written <- answer(pool, out, rows) }()
		time.Sleep(time.Millisecond)
		other := pool.Open(context.Background(), 0)
		other.Enter()
		helped := make(chan struct{})
		g := schedule.Group{Share: other}
		for end := time.Now().Add(20 * time.Second); !g.Go(func(*schedule.Worker) error { <-helped; return nil }); {
			if time.Sleep(time.Millisecond); time.Now().After(end) {
				t.Fatalf("%d rows that nobody reads hold a permit", rows)
			}
		}
		close(helped)
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
		other.Leave()
		close(out.read)
		if err := <-written; err != nil {
			t.Error(err)
		}
		if n := out.lines(); n != rows+1 {
			t.Errorf("%d lines for %d rows", n, rows)
		}
	}
}

// answer writes rows of one column.
func answer(pool *schedule.Pool, out *slow, rows int) error {
	share := pool.Open(context.Background(), 0)
	share.Enter()
	defer share.Leave()
	w, err := NewWriter(out, TSV, []string{"x"}, sample, Options{Workers: share})
	if err != nil {
		return err
	}
	for from := 0; from < rows; from += 5000 {
		n := min(5000, rows-from)
		if err := w.Write([][]ID{make([]ID, n)}, n); err != nil {
			break
		}
	}
	return w.Close()
}

func TestAPanicOfTheOutputIsTheAnswersError(t *testing.T) {
	t.Parallel()
	w, err := NewWriter(panicking{}, TSV, []string{"x"}, sample, Options{Workers: threads(2)})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		_ = w.Write([][]ID{make([]ID, 5000)}, 5000)
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("the answer ended with %v", err)
	}
}

// panicking is an output that panics after the first block.
type panicking struct{}

func (panicking) Write(p []byte) (int, error) {
	if len(p) > 20_000 {
		panic("gone")
	}
	return len(p), nil
}
