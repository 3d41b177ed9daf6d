package rdfgpu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// edited is a store whose commit n adds a triple with the number n and, in every third, removes one.
type edited struct {
	t     *testing.T
	dir   string
	store *rdfgpu.Store
}

func newEdited(t *testing.T) *edited {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	file := filepath.Join(t.TempDir(), "data.nt")
	if err := os.WriteFile(file, []byte(edit(0)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rdfgpu.Load(t.Context(), dir, []string{file}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	e := &edited{t, dir, openWritable(t, dir)}
	t.Cleanup(func() { e.store.Close() })
	return e
}

func openWritable(t *testing.T, dir string) *rdfgpu.Store {
	t.Helper()
	s, err := rdfgpu.Open(dir, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func edit(n uint64) string { return fmt.Sprintf("<http://e/s%d> <http://e/p> \"%d\" .\n", n%10, n) }

// commit makes the next commit.
func (e *edited) commit() uint64 {
	e.t.Helper()
	n := e.store.Sequence() + 1
	text := "INSERT DATA { " + edit(n) + "}"
	if n%3 == 0 {
		text += "; DELETE DATA { " + edit(n/3) + "}"
	}
	report, err := e.store.Update(context.Background(), text, rdfgpu.UpdateOptions{})
	if err != nil {
		e.t.Error(err)
	}
	return report.Sequence
}

// wanted is the content of a store at a sequence.
func wanted(sequence uint64) string {
	var lines []string
	for n := range sequence + 1 {
		if n == 0 || 3*n > sequence {
			lines = append(lines, edit(n))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// content is what a store in a folder holds.
func content(t *testing.T, dir string) (text string, sequence uint64) {
	t.Helper()
	s, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out bytes.Buffer
	report, err := s.Dump(t.Context(), &out, rdfgpu.DumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(out.String(), "\n")
	slices.Sort(lines)
	return strings.Join(lines, ""), report.Sequence
}

// restored restores a backup and checks that it is at a sequence, and that its store takes updates.
func restored(t *testing.T, from string, sequence uint64) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	report, err := rdfgpu.Restore(t.Context(), from, dir, rdfgpu.BackupOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text, at := content(t, dir); at != sequence || report.Sequence != sequence || text != wanted(sequence) {
		t.Fatalf("restored at %d (%d told), want %d:\n%s", at, report.Sequence, sequence, text)
	}
	e := &edited{t, dir, openWritable(t, dir)}
	defer e.store.Close()
	if n := e.commit(); n != sequence+1 {
		t.Errorf("the next commit of a restored store is %d", n)
	}
}

func TestABackupBringsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	to := filepath.Join(t.TempDir(), "backup")
	back := func() rdfgpu.BackupReport {
		t.Helper()
		report, err := rdfgpu.Backup(t.Context(), e.dir, to, rdfgpu.BackupOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if text, at := content(t, to); at != e.store.Sequence() || report.Sequence != at || text != wanted(at) {
			t.Fatalf("the backup is at %d, the store at %d:\n%s", at, e.store.Sequence(), text)
		}
		if err := rdfgpu.Verify(to); err != nil {
			t.Error(err)
		}
		return report
	}
	if r := back(); r.Copied == 0 || r.Copied != r.Bytes || r.Commits != 0 {
		t.Errorf("the first: %+v", r)
	}
	for range 5 {
		e.commit()
	}
	if r := back(); r.Copied != 0 || r.Commits != 5 {
		t.Errorf("after five commits: %+v", r)
	}
	if r := back(); r.Copied != 0 || r.Commits != 0 {
		t.Errorf("after nothing: %+v", r)
	}
	e.commit()
	if r := back(); r.Copied != 0 || r.Commits != 1 {
		t.Errorf("after one commit more: %+v", r)
	}
	restored(t, to, 6)
	if err := e.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := back(); r.Copied == 0 || r.Copied >= r.Bytes || r.Segments != 2 {
		t.Errorf("after a flush: %+v", r)
	}
	for range 3 {
		e.commit()
	}
	if r := back(); r.Copied != 0 || r.Commits != 3 {
		t.Errorf("after a flush and three commits: %+v", r)
	}
	restored(t, to, 9)
	e.store.Close()
	if _, err := rdfgpu.Compact(t.Context(), e.dir, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	e.store = openWritable(t, e.dir)
	back()
	entries, err := filepath.Glob(filepath.Join(to, "gen-*"))
	if err != nil || len(entries) != 1 {
		t.Errorf("after compacting: %v", entries)
	}
	e.commit()
	back()
	restored(t, to, 10)
}

func TestABackupIsNotChangedAndTakesNoOtherStore(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	e.commit()
	to := filepath.Join(t.TempDir(), "backup")
	if _, err := rdfgpu.Backup(t.Context(), e.dir, to, rdfgpu.BackupOptions{Copy: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := rdfgpu.Open(to, rdfgpu.Options{Writable: true}); !errors.Is(err, rdfgpu.ErrBackup) {
		t.Errorf("opened for writing: %v", err)
	}
	other := newEdited(t)
	other.commit()
	if _, err := rdfgpu.Backup(t.Context(), other.dir, e.dir, rdfgpu.BackupOptions{}); !errors.Is(err, rdfgpu.ErrBusy) {
		t.Errorf("into a store that is open: %v", err)
	}
	e.store.Close()
	if _, err := rdfgpu.Backup(t.Context(), other.dir, e.dir, rdfgpu.BackupOptions{}); !errors.Is(err, rdfgpu.ErrOtherBackup) {
		t.Errorf("into a store: %v", err)
	}
	if _, err := rdfgpu.Restore(t.Context(), to, e.dir, rdfgpu.BackupOptions{}); err == nil {
		t.Error("restored over a store")
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	if _, err := rdfgpu.Backup(t.Context(), filepath.Join(t.TempDir(), "none"), nowhere, rdfgpu.BackupOptions{}); err == nil {
		t.Error("a backup of nothing")
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("a backup of nothing made a folder")
	}
	// A store that was loaded from the same file, and lived on otherwise: its backup is its own state.
	copyOf := filepath.Join(t.TempDir(), "copy")
	if _, err := rdfgpu.Restore(t.Context(), to, copyOf, rdfgpu.BackupOptions{Copy: true}); err != nil {
		t.Fatal(err)
	}
	twin := openWritable(t, copyOf)
	defer twin.Close()
	if _, err := twin.Update(t.Context(), "INSERT DATA { <http://e/twin> <http://e/p> 1 }", rdfgpu.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	report, err := rdfgpu.Backup(t.Context(), copyOf, to, rdfgpu.BackupOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text, at := content(t, to); at != 2 || report.Sequence != 2 || !strings.Contains(text, "twin") {
		t.Errorf("at %d:\n%s", at, text)
	}
}

func TestADamagedBackupIsNotRestored(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	e.commit()
	to := filepath.Join(t.TempDir(), "backup")
	if _, err := rdfgpu.Backup(t.Context(), e.dir, to, rdfgpu.BackupOptions{Copy: true}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(to, "gen-*", "terms.dict"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-3] ^= 1
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "restored")
	if _, err := rdfgpu.Restore(t.Context(), to, dir, rdfgpu.BackupOptions{}); !errors.Is(err, rdfgpu.ErrDamaged) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a damaged store got its name")
	}
}

// TestAStoreThatLostItsLogIsDamaged: what was committed is not passed over in silence by who only reads.
func TestAStoreThatLostItsLogIsDamaged(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	e.commit()
	if err := e.store.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(e.dir, "wal", "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	for _, writable := range []bool{false, true} {
		if s, err := rdfgpu.Open(e.dir, rdfgpu.Options{Writable: writable}); !errors.Is(err, rdfgpu.ErrDamaged) {
			t.Errorf("writable %v: %v", writable, err)
			s.Close()
		}
	}
	if _, err := rdfgpu.Backup(t.Context(), e.dir, filepath.Join(t.TempDir(), "backup"), rdfgpu.BackupOptions{}); !errors.Is(err, rdfgpu.ErrDamaged) {
		t.Error(err)
	}
}

// TestBackupsWhileTheStoreChanges: commits and flushes go on, and each backup is one state that is no older than what was
// acknowledged when it began.
func TestBackupsWhileTheStoreChanges(t *testing.T) {
	t.Parallel()
	e := newEdited(t)
	to := filepath.Join(t.TempDir(), "backup")
	stop := make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if n := e.commit(); n%50 == 0 {
				if err := e.store.Flush(context.Background()); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 12 {
		acknowledged := e.store.Sequence()
		report, err := rdfgpu.Backup(t.Context(), e.dir, to, rdfgpu.BackupOptions{})
		if err != nil {
			t.Error(err)
			break
		}
		text, at := content(t, to)
		if at < acknowledged || at != report.Sequence || text != wanted(at) {
			t.Errorf("the backup is at %d (%d told), %d were acknowledged", at, report.Sequence, acknowledged)
		}
		if err := rdfgpu.Verify(to); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	writers.Wait()
	_, at := content(t, to)
	restored(t, to, at)
}
