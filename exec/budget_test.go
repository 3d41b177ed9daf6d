package exec

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// TestTheSumOfAllAccountsStaysBelowTheLimit lets many operators take as much as they are allowed to.
func TestTheSumOfAllAccountsStaysBelowTheLimit(t *testing.T) {
	const limit, operators, step = 1 << 20, 600, 100
	b := NewPool(0, 0).Open(limit)
	defer b.Close()
	accounts := make([]*account, operators)
	for i := range accounts {
		accounts[i] = b.open("sort")
	}
	for grown := true; grown; {
		grown = false
		for _, a := range accounts {
			if a.hold(a.held + step) {
				grown = true
			} else {
				a.hold(a.held - step) // it goes to disk instead
			}
		}
		if b.Used() > limit {
			t.Fatalf("%d operators hold %d bytes, the limit is %d", operators, b.Used(), limit)
		}
	}
	if b.Used() < limit/2 {
		t.Errorf("they hold %d bytes of %d only", b.Used(), limit)
	}
	late := b.open("group")
	if !late.hold(limit / reserve / (operators + 2)) {
		t.Error("one that comes late may hold nothing")
	}
}

// TestQueriesShareThePool: one query may hold half of the pool, another beside it finds room, and the one that holds much may
// not grow any more.
func TestQueriesShareThePool(t *testing.T) {
	p := NewPool(8<<20, 0)
	first := p.Open(0)
	big := first.open("sort")
	if !big.hold(2 << 20) {
		t.Fatal("a query by itself may not hold two fifths of the pool")
	}
	second := p.Open(0)
	small := second.open("sort")
	if !small.hold(1 << 20) {
		t.Error("a second query finds no room")
	}
	if big.hold(2<<20 + 1<<19) {
		t.Error("the query that holds the most may grow although less than that is free")
	}
	big.hold(2 << 20)
	second.Close()
	if !big.hold(2<<20 + 1<<17) {
		t.Error("once the second query has ended the first may not grow")
	}
	first.Close()
	if u := p.Usage(); u.Used != 0 || u.Queries != 0 {
		t.Errorf("afterwards %+v", u)
	}
	big.close()
	if u := p.Usage(); u.Used != 0 {
		t.Errorf("what ends late is counted: %+v", u)
	}
}

// TestWhatCannotBeRefusedEndsTheQuery: several goroutines count what they take.
func TestWhatCannotBeRefusedEndsTheQuery(t *testing.T) {
	b := NewPool(0, 0).Open(1 << 20)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.onEnd(cancel)
	m := b.Meter("computed terms")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 1000 {
				_ = m.Charge(1 << 10)
			}
		})
	}
	wait.Wait()
	err := context.Cause(ctx)
	if !errors.Is(err, ErrMemoryLimit) || !strings.Contains(err.Error(), "most of it in computed terms") {
		t.Errorf("the context ended with %v", err)
	}
	if b.Used() != 4000<<10 {
		t.Errorf("%d bytes are counted", b.Used())
	}
}

// TestTheLargestQueryIsEnded where the process takes more than it may.
func TestTheLargestQueryIsEnded(t *testing.T) {
	p := NewPool(1<<30, 0)
	if p.EndLargest(2 << 30) {
		t.Error("a query was ended where there is none")
	}
	small, large := p.Open(0), p.Open(0)
	small.open("sort").hold(1000)
	large.open("sort").hold(2000)
	if !p.EndLargest(2<<30) || !errors.Is(large.ending(), ErrMemoryLimit) || small.ending() != nil {
		t.Errorf("large: %v, small: %v", large.ending(), small.ending())
	}
	if !p.EndLargest(2<<30) || small.ending() == nil {
		t.Error("the other one was not ended next")
	}
}

// spilling is a run whose temporary files share a pool.
func spilling(t *testing.T, p *Pool) *execution {
	b := p.Open(0)
	return &execution{ctx: t.Context(), memory: b, options: &Options{TempDir: t.TempDir()}, spills: b.Meter("buffers of temporary files")}
}

// TestTemporaryFilesAreCounted of all queries together, until they are closed, and have no name.
func TestTemporaryFilesAreCounted(t *testing.T) {
	p := NewPool(1<<30, 1<<20)
	row := [][]dictionary.ID{{1}, {2}}
	write := func(x *execution, bytes int) (*spillFile, error) {
		f, err := createSpill(x, 2)
		for range bytes / 8 {
			if err == nil {
				err = f.write(row, 0)
			}
		}
		if err == nil {
			_, err = f.reader()
		}
		return f, err
	}
	first, second := spilling(t, p), spilling(t, p)
	kept, err := write(first, 600<<10)
	if err != nil || p.Usage().Spilled != 600<<10 {
		t.Fatal(err, p.Usage())
	}
	f, err := write(second, 600<<10)
	if !errors.Is(err, ErrSpillLimit) || !strings.Contains(err.Error(), "--max-spill") {
		t.Errorf("error %v, want ErrSpillLimit", err)
	}
	for _, x := range []*execution{first, second} {
		if left, _ := os.ReadDir(x.options.TempDir); len(left) > 0 {
			t.Errorf("%d files have a name", len(left))
		}
	}
	f.close()
	kept.close()
	kept.close()
	if u := p.Usage(); u.Spilled != 0 || u.Used != 0 {
		t.Errorf("afterwards %+v", u)
	}
	if f, err = write(second, 600<<10); err != nil {
		t.Errorf("once the others are gone: %v", err)
	}
	f.close()
}

// TestAFullDiskIsALimit: /dev/full takes nothing.
func TestAFullDiskIsALimit(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("needs /dev/full")
	}
	f, err := createSpill(spilling(t, NewPool(1<<30, 0)), 1)
	if err != nil {
		t.Fatal(err)
	}
	f.file.Close()
	f.file = full
	defer f.close()
	for range 1 << 16 {
		if err = f.write([][]dictionary.ID{{1}}, 0); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrSpillLimit) || !strings.Contains(err.Error(), "full") {
		t.Errorf("error %v, want ErrSpillLimit", err)
	}
}
// TestSmallQueriesAreLeftAlone beside those that hold everything.
func TestSmallQueriesAreLeftAlone(t *testing.T) {
	p := NewPool(64<<20, 0)
	small, large := p.Open(0), p.Open(0)
	large.Meter("a sort").Charge(p.live())
	if err := p.Take("the parsing of a query", 10<<10); err != nil {
		t.Errorf("a small query is not parsed: %v", err)
	}
	if err := p.Take("the parsing of a query", 10<<20); err == nil {
		t.Error("a large query is parsed where there is no room")
	}
	small.Meter("its plan").Charge(1 << 10)
	if large.Close(); p.EndLargest(80 << 20) {
		t.Error("the query that was left over was ended for what another took")
	}
	if err := small.ending(); err != nil {
		t.Error(err)
	}
}
