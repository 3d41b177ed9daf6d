package rdfgpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/history"
)

// asked is a store as the clients of a history ask it.
type asked struct{ *Store }

func (s asked) Update(ctx context.Context, text string, wanted *uint64, dry bool) (history.Answer, error) {
	r, err := s.Store.Update(ctx, text, UpdateOptions{IfSequence: wanted, DryRun: dry})
	if errors.Is(err, ErrConflict) {
		return history.Answer{Conflict: true}, nil
	}
	return history.Answer{Sequence: r.Sequence, Added: r.Added, Removed: r.Removed}, err
}

func (s asked) Query(ctx context.Context, text string, least uint64) (tsv string, sequence uint64, err error) {
	r, err := s.Store.Query(ctx, text, QueryOptions{MinSequence: least})
	if err != nil {
		return "", 0, err
	}
	defer r.Close()
	var b strings.Builder
	_, err = r.Write(&b, TSV)
	return b.String(), r.Sequence(), err
}

// apart is a store's folder, which is opened anew by each reader.
type apart struct {
	asked
	folder string
}

func (a apart) Query(ctx context.Context, text string, least uint64) (tsv string, sequence uint64, err error) {
	s, err := Open(a.folder, Options{})
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return asked{s}.Query(ctx, text, least)
}

// TestHistories lets clients change and read a store while it is flushed, compacted and opened by others, and looks for an order
// of all they did that explains what they were told. RDFGPU_HISTORIES says how many stores.
func TestHistories(t *testing.T) {
	t.Parallel()
	stores := 4
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_HISTORIES")); err == nil {
		stores = n
	}
	operations := 0
	for seed := range uint64(stores) {
		dir := t.TempDir()
		empty := filepath.Join(dir, "empty.nt")
		if err := os.WriteFile(empty, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(dir, "store")
		if _, err := Load(t.Context(), folder, []string{empty}, LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		state := history.State{}
		for life := range uint64(2) {
			h := history.New()
			last := workOn(t, h, folder, 2*seed+life)
			if err := h.Check(state); err != nil {
				t.Fatalf("store %d: %v", seed, err)
			}
			state, operations = last, operations+h.Len()
		}
		if err := errors.Join(Verify(folder), os.RemoveAll(dir)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d operations on %d stores", operations, stores)
}

// workOn opens a store, lets clients work on it, and returns what it is in the end.
func workOn(t *testing.T, h *history.History, folder string, seed uint64) history.State {
	s, err := Open(folder, Options{
		Writable: true, Durability: []Durability{Synced, Grouped}[seed%2], GroupEvery: 2 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	var beside sync.WaitGroup
	beside.Go(func() { maintain(ctx, t, s, rand.New(rand.NewPCG(seed, 1))) })
	beside.Go(func() {
		for ctx.Err() == nil {
			if _, err := h.Do(context.Background(), 0, apart{folder: folder}, history.Operation{Apart: true}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	err = history.Clients{Number: 6, Operations: 60, Seed: seed, Patience: 50 * time.Millisecond, HangUp: true}.Run(h, asked{s})
	end()
	beside.Wait()
	last, err2 := h.Do(context.Background(), 0, asked{s}, history.Operation{})
	if err := errors.Join(err, err2, s.Close()); err != nil {
		t.Fatal(err)
	}
	return last.State
}

// maintain flushes and compacts.
func maintain(ctx context.Context, t *testing.T, s *Store, random *rand.Rand) {
	for ctx.Err() == nil {
		do := s.live.Flush
		if random.IntN(4) == 0 {
			do = s.live.Compact
		}
		if err := do(context.Background()); err != nil {
			t.Error(err)
			return
		}
		time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
	}
}
