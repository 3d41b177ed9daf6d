package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// writeLog leaves a file in the store's log.
func writeLog(t *testing.T, dir string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(dir, LogFolder), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, LogFolder, "1"), []byte("commits"), 0o644))
}

func hasLog(t *testing.T, dir string) bool { return slices.Contains(names(t, dir), LogFolder) }

func TestALogStaysUntilTheStoreIsReplaced(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 6, 1)
	lock, err := TakeLock(dir)
	must(t, err)
	writeLog(t, dir)
	must(t, lock.StartLog(Log{ID: "abc"}))
	if err := lock.StartLog(Log{ID: "def"}); err == nil {
		t.Fatal("a second log took the place of the first")
	}
	must(t, lock.Release())

	commitChange(t, dir, change{removed: []int{1}, log: Log{"abc", 5}})
	l, err := Begin(dir)
	must(t, err)
	must(t, l.CommitNothing(nil, Log{"abc", 7}))
	s, err := Open(dir)
	must(t, err)
	if log := s.Manifest().Log; log != (Log{"abc", 7}) || len(s.Manifest().Segments) != 2 || !hasLog(t, dir) {
		t.Fatal(log, len(s.Manifest().Segments), names(t, dir))
	}
	must(t, s.Close())

	for _, log := range []Log{{"abc", 6}, {"", 0}, {"def", 8}} {
		l, err := Begin(dir)
		must(t, err)
		if err := l.Commit(writeChange(t, l, change{added: []int{1}, log: log})); err == nil {
			t.Fatal("a segment was added that forgets commits:", log)
		}
	}
	l, err = Begin(dir)
	must(t, err)
	c := writeFiles(t, l, 4, 1)
	c.Log = Log{"abc", 8}
	must(t, l.Commit(c))
	if checkStore(t, dir, 4, 1); !hasLog(t, dir) {
		t.Fatal("a compaction removed the log")
	}

	writeStore(t, dir, 3, 0)
	checkStore(t, dir, 3, 0)
	if hasLog(t, dir) {
		t.Fatal("the log of a store that was replaced is still there")
	}
}

func TestTheLogOfAReplacedStoreIsNotThatOfTheNewOne(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 3, 0)
	writeLog(t, dir) // as a load leaves it that is killed between manifest and log
	lock, err := TakeLock(dir)
	must(t, err)
	if hasLog(t, dir) {
		t.Fatal("it is still there")
	}
	must(t, lock.Release())
}

func TestADamagedManifestLosesNoLog(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 3, 0)
	writeLog(t, dir)
	must(t, os.WriteFile(filepath.Join(dir, manifestFile), []byte("{"), 0o644))
	l, err := Begin(dir)
	must(t, err)
	must(t, l.Abort())
	if !hasLog(t, dir) {
		t.Fatal("nobody knows whose log it was")
	}
	writeStore(t, dir, 3, 0)
	if hasLog(t, dir) {
		t.Fatal("the log of a store that was replaced is still there")
	}
}

// FuzzManifestFields changes what a manifest says and gives it the right checksum. It is refused, or what the store is then
// can be verified or is damaged.
func FuzzManifestFields(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "store")
	writeStore(f, dir, 6, 3)
	commitChange(f, dir, change{removed: []int{1, 2}, cleared: []dictionary.ID{2}})
	commitChange(f, dir, change{added: []int{1}})
	m, err := readManifest(dir)
	must(f, err)
	for i := range fields(m) {
		f.Add(uint8(i), uint64(1))
		f.Add(uint8(i), uint64(1)<<32-1)
		f.Add(uint8(i), uint64(1)<<63)
	}
	f.Fuzz(func(t *testing.T, field uint8, change uint64) {
		m, err := readManifest(dir)
		must(t, err)
		all := fields(m)
		all[int(field)%len(all)](change)
		if m.check("manifest.json") != nil {
			return
		}
		s, err := openSegments(dir, m)
		if err != nil {
			return
		}
		_ = s.Verify()
		must(t, s.Close())
	})
}

// fields are functions that change one field of a manifest each.
func fields(m *Manifest) (all []func(uint64)) {
	number := func(n *uint64) { all = append(all, func(by uint64) { *n ^= by }) }
	id := func(n *dictionary.ID) { all = append(all, func(by uint64) { *n ^= dictionary.ID(by) }) }
	number(&m.Triples)
	number(&m.Sequence)
	for i := range m.Segments {
		s := &m.Segments[i]
		number(&s.Triples)
		all = append(all,
			func(by uint64) { s.Terms ^= int(by) },
			func(by uint64) { s.Removed = append(s.Removed, s.Named...) },
			func(by uint64) { s.Named = append(s.Named, s.Removed...) },
			func(by uint64) { s.Cleared = append(s.Cleared, dictionary.ID(by)) },
		)
		for _, graphs := range [][]Graph{s.Named, s.Removed} {
			for k := range graphs {
				number(&graphs[k].Triples)
				id(&graphs[k].ID)
			}
		}
		for k := range s.Cleared {
			id(&s.Cleared[k])
		}
	}
	return all
}
