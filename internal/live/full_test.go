package live_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// rewriting is a store that is about to be flushed or compacted, and what that asks of the disk is to fail.
type rewriting struct {
	template string
	do       func(*live.Store) error
}

// newRewriting makes a store with segments that add and remove, and a log behind them.
func newRewriting(t *testing.T, do func(*live.Store) error) *rewriting {
	folder := newFolder(t, quads{})
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2*keptFor + 10 {
		if n == keptFor || n == 2*keptFor {
			err = s.Flush(context.Background())
		}
		if _, err2 := commitNumber(s); err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return &rewriting{folder, do}
}

// fail lets operation number n fail, and where lasting is set all that take room from there on. It reports whether there are so many.
func (r *rewriting) fail(t *testing.T, n int64, lasting bool) bool {
	t.Helper()
	s, folder, disk := r.open(t)
	defer os.RemoveAll(filepath.Dir(folder))
	defer s.Close()
	var count atomic.Int64
	var first atomic.Pointer[section.Operation]
	disk.Fault = func(op section.Operation, _ string) error {
		switch at := count.Add(1) - 1; {
		case at == n:
			first.Store(&op)
		case !lasting || at < n || op == section.Remove || op == section.Sync || op == section.SyncFolder:
			return nil
		}
		if op == section.Sync || op == section.SyncFolder {
			return syscall.EIO
		}
		return syscall.ENOSPC
	}
	failed := r.do(s)
	if first.Load() == nil {
		if failed != nil {
			t.Fatal(failed)
		}
		return false
	}
	if what := *first.Load(); failed == nil && what != section.Remove || failed != nil && !errors.Is(failed, syscall.ENOSPC) && !errors.Is(failed, syscall.EIO) {
		t.Fatalf("operation %d, %s, fails: %v", n, what, failed)
	}
	r.goOn(t, s, folder)
	disk.Fault = nil
	if err := r.do(s); err != nil {
		t.Fatalf("after operation %d, %s, failed: %v", n, *first.Load(), err)
	}
	r.goOn(t, s, folder)
	if err := errors.Join(r.do(s), s.Close()); err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, folder, int(s.Sequence())-1)
	checkNothingLeft(t, folder)
	return true
}

// open opens a copy of the store, whose disk can be made to fail. The caller closes it, and removes the folder around it.
func (r *rewriting) open(t *testing.T) (s *live.Store, folder string, disk *section.Disk) {
	t.Helper()
	folder, disk = filepath.Join(t.TempDir(), "store"), &section.Disk{}
	if err := os.CopyFS(folder, os.DirFS(r.template)); err != nil {
		t.Fatal(err)
	}
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true, Disk: disk})
	if err != nil {
		t.Fatal(err)
	}
	return s, folder, disk
}

// goOn commits, and looks what the store and another process show then.
func (r *rewriting) goOn(t *testing.T, s *live.Store, folder string) {
	t.Helper()
	n, err := commitNumber(s)
	if err != nil {
		t.Fatal(err)
	}
	snapshot := s.Snapshot()
	defer snapshot.Release()
	checkState(t, snapshot.State)
	checkNumbers(t, folder, n)
}

// checkNothingLeft makes sure that the folder has what the manifest names, and nothing else.
func checkNothingLeft(t *testing.T, folder string) {
	t.Helper()
	m, err := store.ReadManifest(folder)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != len(m.Segments)+3 {
		t.Fatalf("the folder has %v, %v", entries, err)
	}
	for i := range m.Segments {
		files, err := os.ReadDir(filepath.Join(folder, m.Segments[i].Folder))
		if err != nil || len(files) != len(m.Segments[i].AllFiles()) {
			t.Fatalf("%s has %v, %v", m.Segments[i].Folder, files, err)
		}
	}
}

// TestFullDisks lets each operation on the disk of a flush and of a compaction fail: once, and for as long as the disk is full.
// Nothing is lost, the store goes on, and the next one succeeds when there is room again.
func TestFullDisks(t *testing.T) {
	step := int64(1)
	if testing.Short() {
		step = 5
	}
	for name, do := range map[string]func(*live.Store) error{
		"flush":   func(s *live.Store) error { return s.Flush(context.Background()) },
		"compact": func(s *live.Store) error { return s.Compact(context.Background()) },
	} {
		for mode, lasting := range map[string]bool{"once": false, "lasting": true} {
			t.Run(name+" "+mode, func(t *testing.T) {
				r := newRewriting(t, do)
				n := int64(0)
				for r.fail(t, n, lasting) {
					n += step
				}
				t.Logf("%d operations", n)
			})
		}
	}
}

// TestAFlushThatIsGivenUpAtItsEnd has written its files by then: the next one goes on from them.
func TestAFlushThatIsGivenUpAtItsEnd(t *testing.T) {
	folder := newFolder(t, quads{})
	ctx, cancel := context.WithCancel(context.Background())
	disk := &section.Disk{}
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true, Disk: disk})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	commit := func() int {
		n, err := commitNumber(s)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	commit()
	var renamed atomic.Bool
	disk.Fault = func(op section.Operation, _ string) error {
		if renamed.Swap(op == section.Rename) && op == section.SyncFolder {
			commit() // for the new files to catch up with
			cancel()
		}
		return nil
	}
	if err := s.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	disk.Fault = nil
	commit()
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, folder, commit())
	if m, err := store.ReadManifest(folder); err != nil || m.Log.Sequence != 3 {
		t.Errorf("the files have the commits up to %d, %v", m.Log.Sequence, err)
	}
}
