package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// writeFiles fills a load with n triples a—p—bi and named graphs of one triple each.
func writeFiles(t testing.TB, l *Load, n, named int) Contents {
	t.Helper()
	w, err := dictionary.Create(l.Dir())
	must(t, err)
	_, err = w.Predicate(key("p"))
	must(t, err)
	w.Group()
	total := max(n, named) + 1
	for i := range total {
		_, err = w.Add(key(fmt.Sprintf("r%04d", i)))
		must(t, err)
	}
	must(t, w.Finish())
	c := Contents{Sources: []string{"test"}, Terms: total + 1, Predicates: 1, DefaultTriples: uint64(n)}
	writeGraph(t, l.DefaultPath(), total+1, n)
	for i := range named {
		writeGraph(t, l.NamedPath(i), total+1, 1)
		c.Named = append(c.Named, NamedContents{ID: dictionary.ID(1 + i), Triples: 1})
	}
	return c
}

func key(name string) []byte {
	k, _ := dictionary.AppendKey(nil, rdf.NewIRI("http://example.org/"+name))
	return k
}

func writeGraph(t testing.TB, path string, terms, n int) {
	t.Helper()
	w, err := pcsr.Create(path, terms, 1)
	must(t, err)
	if n > 0 {
		must(t, w.Partition(0, pcsr.Out))
		for i := range n {
			must(t, w.Append([]uint64{1<<32 | uint64(2+i)}))
		}
		must(t, w.Partition(0, pcsr.In))
		for i := range n {
			must(t, w.Append([]uint64{uint64(2+i)<<32 | 1}))
		}
	}
	must(t, w.Finish())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func writeStore(t testing.TB, dir string, n, named int) {
	t.Helper()
	l, err := Begin(dir)
	must(t, err)
	must(t, l.Commit(writeFiles(t, l, n, named)))
}

func checkStore(t testing.TB, dir string, n, named int) {
	t.Helper()
	s, err := Open(dir)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	must(t, s.Verify())
	if s.Default.Edges() != uint64(n) || s.Manifest().Triples != uint64(n+named) || len(s.NamedGraphs()) != named {
		t.Fatalf("%d triples, %d in all, %d graphs", s.Default.Edges(), s.Manifest().Triples, len(s.NamedGraphs()))
	}
	for _, id := range s.NamedGraphs() {
		g, err := s.Named(id)
		must(t, err)
		if g.Edges() != 1 {
			t.Fatal(g.Edges())
		}
	}
	if g, err := s.Named(0); g != nil || err != nil {
		t.Fatal("a graph that is not there:", g, err)
	}
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestALoadReplacesTheStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "store")
	writeStore(t, dir, 3, 0)
	checkStore(t, dir, 3, 0)
	old, err := Open(dir)
	must(t, err)
	writeStore(t, dir, 5, 2)
	checkStore(t, dir, 5, 2)
	// Who opened the old store reads on.
	must(t, old.Verify())
	must(t, old.Close())
	writeStore(t, dir, 1, openedAtOnce+1)
	checkStore(t, dir, 1, openedAtOnce+1)
	if got := names(t, dir); !slices.Equal(got, []string{"gen-000003", "lock", "manifest.json"}) {
		t.Fatal(got)
	}
}

func TestAKilledOrAbortedLoadLeavesTheOldStore(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 3, 1)
	l, err := Begin(dir)
	must(t, err)
	if _, err := Begin(dir); !errors.Is(err, ErrBusy) {
		t.Fatal("two loads at once:", err)
	}
	writeFiles(t, l, 4, 0)
	must(t, l.lock.Release()) // what the end of a process does
	must(t, os.WriteFile(filepath.Join(dir, manifestFile+temporary), []byte("{"), 0o644))
	checkStore(t, dir, 3, 1)

	next, err := Begin(dir)
	must(t, err)
	if got := next.Removed(); !slices.Equal(got, []string{"gen-000002", "manifest.json.tmp"}) {
		t.Fatal(got)
	}
	if next.Dir() == l.Dir() {
		t.Fatal("a generation's number is used twice")
	}
	// A file that the manifest needs is missing: the load fails as a whole.
	c := writeFiles(t, next, 4, 0)
	must(t, os.Remove(next.DefaultPath()))
	if err := next.Commit(c); err == nil {
		t.Fatal("a load without its default graph was committed")
	}
	checkStore(t, dir, 3, 1)

	last, err := Begin(dir)
	must(t, err)
	must(t, last.Abort())
	must(t, last.Abort())
	checkStore(t, dir, 3, 1)
	if got := names(t, dir); !slices.Equal(got, []string{"gen-000001", "lock", "manifest.json"}) {
		t.Fatal(got)
	}
}

func TestTheFirstLoadIsKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := Open(dir); !errors.Is(err, ErrNotStore) {
		t.Fatal(err)
	}
	l, err := Begin(dir)
	must(t, err)
	writeFiles(t, l, 4, 0)
	must(t, l.lock.Release())
	if _, err := Open(dir); !errors.Is(err, ErrNotStore) {
		t.Fatal(err)
	}
	writeStore(t, dir, 2, 0)
	checkStore(t, dir, 2, 0)
}

func TestFoldersOfOtherThingsAreRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o644))
	if _, err := Begin(dir); !errors.Is(err, ErrNotStore) || !strings.Contains(err.Error(), "thesis.tex") {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Fatal(got)
	}
}

func TestANewerVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 2, 0)
	path := filepath.Join(dir, manifestFile)
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(b), fmt.Sprintf(`"version": %d`, PlainVersion), `"version": 7`, 1)), 0o644))
	if _, err := Open(dir); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "version 7") {
		t.Fatal(err)
	}
	if _, err := Begin(dir); !errors.Is(err, ErrVersion) {
		t.Fatal("a store of a newer version was overwritten:", err)
	}
}

func TestEveryDamageIsFound(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 40, 2)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == lockFile {
			return err
		}
		good, err := os.ReadFile(path)
		must(t, err)
		for i := 0; i < len(good); i += max(1, len(good)/300) {
			bad := slices.Clone(good)
			bad[i] ^= 1 << (i % 8)
			damage(t, dir, path, bad, func(err error) bool {
				// Bytes between the sections and spaces in the manifest mean nothing.
				return err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion)
			})
		}
		damage(t, dir, path, good[:len(good)-1], func(err error) bool {
			return errors.Is(err, ErrDamaged) && strings.Contains(err.Error(), e.Name()) || e.Name() == manifestFile && err == nil
		})
		damage(t, dir, path, nil, func(err error) bool { return errors.Is(err, ErrDamaged) && strings.Contains(err.Error(), e.Name()) })
		must(t, os.Remove(path))
		if err := verify(t, dir); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotStore) {
			t.Fatalf("%s removed: %v", path, err)
		}
		return os.WriteFile(path, good, 0o644)
	})
	must(t, err)
	checkStore(t, dir, 40, 2)
}

// damage writes a file anew and asks what Open and Verify say of it. A damage that passes must leave the store as it was.
func damage(t *testing.T, dir, path string, content []byte, expected func(error) bool) {
	t.Helper()
	must(t, os.WriteFile(path, content, 0o644))
	if err := verify(t, dir); !expected(err) {
		t.Fatalf("%s: %v", path, err)
	}
}

func verify(t testing.TB, dir string) error {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		return err
	}
	if err = s.Verify(); err == nil && (s.Default.Edges() != 40 || s.Dictionary.Len() != 42 || len(s.NamedGraphs()) != 2) {
		err = errors.New("another store")
	}
	return errors.Join(err, s.Close())
}

func TestQueriesLieInTheStore(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 1, 0)
	must(t, os.MkdirAll(filepath.Join(dir, queriesFolder, "b.rq"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, queriesFolder, "a.rq"), []byte("ASK {}"), 0o644))
	s, err := Open(dir)
	must(t, err)
	defer s.Close()
	queries, err := s.Queries()
	must(t, err)
	if !slices.Equal(queries, []Query{{"a", "ASK {}"}}) {
		t.Fatal(queries)
	}
	writeStore(t, dir, 2, 0)
	if got := names(t, dir); !slices.Contains(got, queriesFolder) {
		t.Fatal(got)
	}
}
