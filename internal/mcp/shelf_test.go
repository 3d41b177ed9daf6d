package mcp

import (
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

func TestAShelfKeepsToItsBounds(t *testing.T) {
	budget := rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 1 << 30})
	s := newShelf(budget)
	var oldest, newest string
	for i := range 3 * shelfAnswers {
		f := &rest{rows: [][]string{{"a"}, {"b"}}, bytes: shelfBytes / 100, whole: true, limit: 1}
		newest = s.first(f).Next
		if i == 0 {
			oldest = newest
		}
		if s.bytes > shelfBytes || budget.Usage().Used != s.bytes {
			t.Fatalf("%d bytes on the shelf, %d counted", s.bytes, budget.Usage().Used)
		}
	}
	if _, err := s.next(oldest); err == nil {
		t.Error("the oldest answer is still there")
	}
	if p, err := s.next(newest); err != nil || len(p.Rows) != 1 || p.Rows[0][0] != "b" || p.Next != "" {
		t.Errorf("the newest: %+v, %v", p, err)
	}
	name, _, _ := strings.Cut(newest, ".")
	for _, wrong := range []string{"", name, name + ".-1", name + ".2", name + ".x", "." + name} {
		if _, err := s.next(wrong); err == nil {
			t.Errorf("a page for %q", wrong)
		}
	}
}

func TestWhatIsNotKeptIsSaid(t *testing.T) {
	f := &rest{rows: [][]string{{"a"}, {"b"}}, bytes: 10, limit: 5}
	if p := newShelf(nil).first(f); p.Next != "" || !strings.Contains(p.Note, "OFFSET 2") {
		t.Errorf("an answer that goes on: %+v", p)
	}
	tight := rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 1 << 10})
	f = &rest{rows: [][]string{{"a"}, {"b"}}, bytes: 1 << 20, limit: 1, whole: true}
	if p := newShelf(tight).first(f); p.Next != "" || !strings.Contains(p.Note, "OFFSET 1") {
		t.Errorf("no room: %+v", p)
	}
}
