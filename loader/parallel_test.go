package loader

import (
	"context"
	"errors"
	"testing"
)

func TestParallelTellsWhyItsContextEnded(t *testing.T) {
	t.Parallel()
	cause := errors.New("the user left")
	for name, work := range map[string]func(context.Context) error{
		"workers that end quietly":      func(ctx context.Context) error { <-ctx.Done(); return nil },
		"workers that say they ended":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"workers that never look at it": func(context.Context) error { return nil },
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if err := parallel(ctx, 3, func(ctx context.Context, _ int) error { return work(ctx) }); err != cause {
			t.Errorf("%s: error %v, want %v", name, err, cause)
		}
	}
}

func TestTheFirstErrorOfParallelEndsTheOthers(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	err := parallel(t.Context(), 3, func(ctx context.Context, worker int) error {
		if worker == 1 {
			return broken
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if err != broken {
		t.Errorf("error %v, want %v", err, broken)
	}
}
