package rdfgpu_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// TestAnOverdueQueryIsToldOf: who reads its solutions keeps the query from ending.
//
// Serial: it reads the stacks of the process.
func TestAnOverdueQueryIsToldOf(t *testing.T) {
	store := load(t, "ntriples", complete(5))
	told, gone := make(chan rdfgpu.Overdue, 1), errors.New("gone")
	ctx, leave := context.WithCancelCause(t.Context())
	defer leave(nil)
	result, err := store.Query(ctx, path3, rdfgpu.QueryOptions{Overdue: func(o rdfgpu.Overdue) { told <- o }})
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	for _, err := range result.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		leave(gone)
		select {
		case o := <-told:
			if o.Stage != "write" || o.Cause != gone || o.Query != path3 || !strings.Contains(o.Stacks, "exec.(*Plan).Run") {
				t.Errorf("told %q, %v, %q, %.200s", o.Stage, o.Cause, o.Query, o.Stacks)
			}
		case <-time.After(time.Minute):
			t.Error("nobody told of a query that goes on")
		}
		break
	}
	if n := store.Overdue(); n != 1 {
		t.Errorf("%d overdue queries, want 1", n)
	}
}

// TestAQueryThatEndedIsNotOverdue, though its context ends later and its result stays open.
func TestAQueryThatEndedIsNotOverdue(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(5))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for range 5 {
		result, err := store.Query(ctx, path3, rdfgpu.QueryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer result.Close()
		if _, err := result.Count(); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	time.Sleep(300 * time.Millisecond)
	if n := store.Overdue(); n != 0 {
		t.Errorf("%d overdue queries, want none", n)
	}
}
