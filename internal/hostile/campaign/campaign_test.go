package main

import (
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

func TestWhatAnAnswerMayBe(t *testing.T) {
	s := &settings{Timeout: time.Second, Grace: 100 * time.Millisecond}
	short := &hostile.Query{Request: hostile.Request{Limit: 100 * time.Millisecond}}
	slow := &hostile.Query{Request: hostile.Request{Stall: time.Second}}
	usual := plain("ASK {}")
	for _, c := range []struct {
		name  string
		query *hostile.Query
		a     answer
		waits bool
		want  string
	}{
		{"an answer in time", usual, answer{Status: 200, Elapsed: time.Second}, false, ""},
		{"an answer in its grace", usual, answer{Status: 504, Elapsed: 1090 * time.Millisecond}, false, ""},
		{"an answer too late", usual, answer{Status: 504, Elapsed: 1110 * time.Millisecond}, false, tooLate},
		{"a late answer where queries wait", usual, answer{Status: 200, Elapsed: 3 * time.Second}, true, ""},
		{"a query's own limit", short, answer{Status: 504, Elapsed: 300 * time.Millisecond}, false, tooLate},
		{"a client that did not read", slow, answer{Status: 200, Elapsed: 2 * time.Second}, false, ""},
		{"an answer broken off", usual, answer{Status: 200, Broken: true, Err: "unexpected EOF", Elapsed: time.Second}, false, ""},
		{"a refusal", usual, answer{Status: 400}, false, ""},
		{"the memory limit", usual, answer{Status: 507}, false, ""},
		{"a fault of ours", usual, answer{Status: 500}, false, badCode},
		{"a connection that ended", usual, answer{Err: "EOF"}, false, noAnswer},
		{"a query without end", usual, answer{Err: "i/o timeout", Endless: true}, true, endless},
		{"a client that left", usual, answer{Err: "i/o timeout", Left: true}, false, ""},
		{"a server that was replaced", usual, answer{Err: "EOF", Cut: true}, false, ""},
	} {
		if got, _ := s.judge(&task{query: c.query}, c.a, c.waits); got != c.want {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
}

func TestASumDoesNotDependOnTheOrderOfLines(t *testing.T) {
	add := func(parts ...string) sum {
		var s summer
		for _, p := range parts {
			s.Write([]byte(p))
		}
		return s.sum
	}
	whole := add("?a\n1\n2\n")
	for name, other := range map[string]sum{"in another order": add("?a\n2\n1\n"), "in parts": add("?", "a\n1", "\n2\n")} {
		if other != whole {
			t.Errorf("%s: %v, expected %v", name, other, whole)
		}
	}
	for name, other := range map[string]sum{"a line less": add("?a\n1\n"), "another line": add("?a\n1\n3\n"), "a line twice": add("?a\n1\n1\n")} {
		if other == whole {
			t.Errorf("%s: the same sum", name)
		}
	}
}

func TestTheTrendComparesTheSecondWithTheLastQuarter(t *testing.T) {
	g := &gauge{seconds: []int64{9, 9, 1, 3, 9, 9, 4, 6}}
	if second, last := g.trend(); second != 2 || last != 5 {
		t.Errorf("%d and %d, expected 2 and 5", second, last)
	}
}

func TestViolationsOfAKindAreListedTogether(t *testing.T) {
	r := &report{Settings: &settings{}, Stores: []*storeReport{{Store: "tiny", Violations: []*violation{
		{Kind: tooLate, Shape: "product", Milliseconds: 1200, Detail: "first"}, {Kind: tooLate, Shape: "product", Milliseconds: 1300, Detail: "second"},
		{Kind: badCode, Status: 500, Shape: "product", Detail: "500 slice bounds"}, {Kind: badCode, Status: 500, Shape: "wide", Detail: "500 slice bounds"},
	}}}}
	text := r.String()
	for _, want := range []string{"4 violations", "time, product: 2 times; 1300 ms; second", "status (status 500), 500 slice bounds: 2 times"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// TestWhatTheHostTakesIsNotTheServers: an answer that is late by no more than that is counted apart.
func TestWhatTheHostTakesIsNotTheServers(t *testing.T) {
	now, had := time.Now(), stolen()
	at := func(ago, taken time.Duration) lateness { return lateness{at: now.Add(-ago), stolen: had - taken} }
	run := &trial{
		settings: &settings{Timeout: time.Second, Grace: 100 * time.Millisecond}, report: &storeReport{},
		gauge: &gauge{lateness: []lateness{at(3*time.Second, 900*time.Millisecond), at(400*time.Millisecond, 80*time.Millisecond), at(10*time.Millisecond, 0)}},
	}
	for _, c := range []struct {
		elapsed time.Duration
		want    bool
	}{{1170 * time.Millisecond, true}, {1250 * time.Millisecond, false}} {
		if got := run.heldUp(&task{query: plain("ASK {}")}, answer{Elapsed: c.elapsed}); got != c.want {
			t.Errorf("after %v: %v", c.elapsed, got)
		}
	}
	if run.report.HeldUp != 1 || run.report.HeldUpMost != 1170 {
		t.Errorf("%d, %v ms", run.report.HeldUp, run.report.HeldUpMost)
	}
}
