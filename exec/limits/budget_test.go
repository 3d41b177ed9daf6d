package limits

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

// TestTheSumOfAllAccountsStaysBelowTheLimit lets many operators take as much as they are allowed to.
func TestTheSumOfAllAccountsStaysBelowTheLimit(t *testing.T) {
	const limit, operators, step = 1 << 20, 600, 100
	b := NewPool(0, 0).Open(limit)
	defer b.Close()
	accounts := make([]*Account, operators)
	for i := range accounts {
		accounts[i] = b.Open("sort")
	}
	for grown := true; grown; {
		grown = false
		for _, a := range accounts {
			if a.Hold(a.Held + step) {
				grown = true
			} else {
				a.Hold(a.Held - step) // it goes to disk instead
			}
		}
		if b.Used() > limit {
			t.Fatalf("%d operators hold %d bytes, the limit is %d", operators, b.Used(), limit)
		}
	}
	if b.Used() < limit/2 {
		t.Errorf("they hold %d bytes of %d only", b.Used(), limit)
	}
	late := b.Open("group")
	if !late.Hold(limit / Reserve / (operators + 2)) {
		t.Error("one that comes late may hold nothing")
	}
}

// TestQueriesShareThePool: one query may hold half of the pool, another beside it finds room, and the one that holds much may
// not grow any more.
func TestQueriesShareThePool(t *testing.T) {
	p := NewPool(8<<20, 0)
	first := p.Open(0)
	big := first.Open("sort")
	if !big.Hold(2 << 20) {
		t.Fatal("a query by itself may not hold two fifths of the pool")
	}
	second := p.Open(0)
	small := second.Open("sort")
	if !small.Hold(1 << 20) {
		t.Error("a second query finds no room")
	}
	if big.Hold(2<<20 + 1<<19) {
		t.Error("the query that holds the most may grow although less than that is free")
	}
	big.Hold(2 << 20)
	second.Close()
	if !big.Hold(2<<20 + 1<<17) {
		t.Error("once the second query has ended the first may not grow")
	}
	first.Close()
	if u := p.Usage(); u.Used != 0 || u.Queries != 0 {
		t.Errorf("afterwards %+v", u)
	}
	big.Close()
	if u := p.Usage(); u.Used != 0 {
		t.Errorf("what ends late is counted: %+v", u)
	}
}

// TestWhatCannotBeRefusedEndsTheQuery: several goroutines count what they take.
func TestWhatCannotBeRefusedEndsTheQuery(t *testing.T) {
	b := NewPool(0, 0).Open(1 << 20)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.OnEnd(cancel)
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
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "most of it in computed terms") {
		t.Errorf("the context ended with %v", err)
	}
	if b.Used() != 4000<<10 {
		t.Errorf("%d bytes are counted", b.Used())
	}
}

// TestWhatCanBeRefusedIsNotCounted, and does not end the query.
func TestWhatCanBeRefusedIsNotCounted(t *testing.T) {
	p := NewPool(80<<20, 0)
	b, other := p.Open(20<<20), p.Open(0)
	m := b.Meter("lists")
	if !m.TryCharge(10<<20) || m.TryCharge(10<<20) || b.Used() != 10<<20 || b.Ending() != nil {
		t.Errorf("%d bytes are counted of one's own, %v", b.Used(), b.Ending())
	}
	_ = m.Charge(-10 << 20)
	other.Open("a sort").Hold(30 << 20)
	if m.TryCharge(15<<20) || !m.TryCharge(1<<20) || b.Used() != 1<<20 || b.Ending() != nil || other.Ending() != nil {
		t.Errorf("%d bytes are counted beside those of others, %v, %v", b.Used(), b.Ending(), other.Ending())
	}
}

// TestTheLargestQueryIsEnded where the process takes more than it may.
func TestTheLargestQueryIsEnded(t *testing.T) {
	p := NewPool(1<<30, 0)
	if p.EndLargest(2 << 30) {
		t.Error("a query was ended where there is none")
	}
	small, large := p.Open(0), p.Open(0)
	small.Open("sort").Hold(1000 << 10)
	large.Open("sort").Hold(2000 << 10)
	if !p.EndLargest(2<<30) || !errors.Is(large.Ending(), ErrMemory) || small.Ending() != nil {
		t.Errorf("large: %v, small: %v", large.Ending(), small.Ending())
	}
	if !p.EndLargest(2<<30) || small.Ending() == nil {
		t.Error("the other one was not ended next")
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
	if err := small.Ending(); err != nil {
		t.Error(err)
	}
}
