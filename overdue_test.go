package rdfgpu_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// TestAnOverdueQueryIsToldOf: who reads its solutions keeps the query from ending.
func TestAnOverdueQueryIsToldOf(t *testing.T) {
	store := load(t, "ntriples", complete(5))
	told := make(chan rdfgpu.Overdue, 1)
	result, err := store.Query(t.Context(), path3, rdfgpu.QueryOptions{
		Timeout: 50 * time.Millisecond, Overdue: func(o rdfgpu.Overdue) { told <- o },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	for _, err := range result.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		select {
		case o := <-told:
			if o.Stage != "write" || !errors.Is(o.Cause, rdfgpu.ErrTimeout) || o.Query != path3 || !strings.Contains(o.Stacks, "exec.(*Plan).Run") {
				t.Errorf("told %q, %v, %q, %.200s", o.Stage, o.Cause, o.Query, o.Stacks)
			}
		case <-time.After(20 * time.Second):
			t.Error("nobody told of a query that goes on")
		}
		break
	}
	if n := store.Overdue(); n != 1 {
		t.Errorf("%d overdue queries, want 1", n)
	}
}

// TestAQueryThatEndsIsNotOverdue, nor one whose result nobody reads any more.
func TestAQueryThatEndsIsNotOverdue(t *testing.T) {
	store := load(t, "ntriples", complete(5))
	for range 20 {
		result, err := store.Query(t.Context(), path3, rdfgpu.QueryOptions{Timeout: 20 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := result.Count(); err != nil {
			t.Fatal(err)
		}
		defer result.Close()
	}
	time.Sleep(200 * time.Millisecond)
	if n := store.Overdue(); n != 0 {
		t.Errorf("%d overdue queries, want none", n)
	}
}
