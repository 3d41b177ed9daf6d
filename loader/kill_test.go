//go:build unix

package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// The variables by which a test starts itself again as a process that changes a store: what it does (load, append,
// compact, flush or rebuild), the store, the input, and the size of file beyond which every write fails, 0 for none.
const (
	childAction = "LOADER_TEST_ACTION"
	childStore  = "LOADER_TEST_STORE"
	childInput  = "LOADER_TEST_INPUT"
	childLimit  = "LOADER_TEST_LIMIT"
)

func TestMain(m *testing.M) {
	if action := os.Getenv(childAction); action != "" {
		os.Exit(child(action, os.Getenv(childStore), os.Getenv(childInput), os.Getenv(childLimit)))
	}
	os.Exit(m.Run())
}

func child(action, dir, input, limit string) int {
	if n, _ := strconv.ParseUint(limit, 10, 64); n > 0 {
		signal.Ignore(unix.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			fmt.Println(err)
			return 2
		}
	}
	var err error
	switch action {
	case "compact":
		_, err = Compact(context.Background(), dir, Options{})
	case "flush", "rebuild":
		err = writeEdited(dir, map[string]snapshotWriter{"flush": Flush, "rebuild": Rebuild}[action])
	default:
		_, err = Load(context.Background(), dir, []Input{{Name: input}}, Options{Append: action == "append"})
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// writeEdited writes a store that was edited: triples were added and removed, a graph cleared, terms are new.
func writeEdited(dir string, write snapshotWriter) error {
	t := panicking{}
	e := openEdited(t, dir)
	defer e.close()
	quads := dump(t, dir)
	e.edit(lateQuads(20, 400, 1200), slices.DeleteFunc(quads, func(q Quad) bool { return len(quadText(q))%5 > 0 }))
	e.clear(rdf.NewIRI("http://example.org/graph1"))
	lock, err := store.TakeLock(dir)
	if err != nil {
		return err
	}
	_, err = write(context.Background(), lock, e, Options{})
	return errors.Join(err, lock.Release())
}

// panicking is a tester where there is no test.
type panicking struct{}

func (panicking) Helper()                           {}
func (panicking) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (panicking) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// crashed is a store that processes are broken off at changing.
type crashed struct {
	action         string
	template, dir  string // the store as it was before, and the one that is changed
	input          string
	before, after  contents
	beforeN, doneN int
}

// contents is what tells stores apart.
type contents struct {
	triples  uint64
	segments int
}

// newCrashed makes a store with a base and, to be added to or compacted, added segments; and the store that the action
// makes of it.
func newCrashed(t *testing.T, action string) *crashed {
	t.Helper()
	root := t.TempDir()
	c := &crashed{action: action, template: filepath.Join(root, "template"), dir: filepath.Join(root, "store")}
	sizes := []int{6000, 700, 200} // the last is made one with what an append adds
	if action == "load" {
		sizes = sizes[:1]
	}
	for i, n := range sizes {
		path := filepath.Join(root, fmt.Sprintf("%d.nq", i))
		writeQuads(t, path, randomQuads(uint64(7+i), n, 900), true)
		if _, err := Load(context.Background(), c.template, []Input{{Name: path}}, Options{Append: i > 0}); err != nil {
			t.Fatal(err)
		}
	}
	c.input = filepath.Join(root, "more.nq")
	writeQuads(t, c.input, lateQuads(20, map[string]int{"load": 5000, "append": 250}[action], 1200), true)
	c.before = contentsOf(t, c.template)
	c.restore(t)
	if out, err := c.command(0).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.after = contentsOf(t, c.dir)
	if c.before == c.after {
		t.Fatalf("%s changes nothing of %+v", action, c.before)
	}
	c.restore(t)
	return c
}

// restore makes the store what it was before the action.
func (c *crashed) restore(t *testing.T) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(c.dir), os.CopyFS(c.dir, os.DirFS(c.template))); err != nil {
		t.Fatal(err)
	}
}

func (c *crashed) command(limit uint64) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childAction+"="+c.action, childStore+"="+c.dir, childInput+"="+c.input, fmt.Sprintf("%s=%d", childLimit, limit))
	return cmd
}

// contentsOf opens a store, which must be whole.
func contentsOf(t *testing.T, dir string) contents {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	return contents{s.Manifest().Triples, len(s.Manifest().Segments)}
}

// check tells whether the action has been done. The store must be the one before or the one after.
func (c *crashed) check(t *testing.T) (done bool) {
	t.Helper()
	switch now := contentsOf(t, c.dir); now {
	case c.before:
		c.beforeN++
		return false
	case c.after:
		c.doneN++
		c.tidyNew(t)
		c.restore(t)
		return true
	default:
		t.Fatalf("the store has %+v, which is neither %+v nor %+v", now, c.before, c.after)
		return false
	}
}

// tidyNew checks that the next change removes what the broken one had still to remove.
func (c *crashed) tidyNew(t *testing.T) {
	t.Helper()
	report, err := Compact(context.Background(), c.dir, Options{})
	if err != nil || report.Triples != c.after.triples {
		t.Fatalf("%+v, %v", report, err)
	}
	if entries, err := os.ReadDir(c.dir); err != nil || len(entries) != 3 {
		t.Fatalf("the store's folder holds %v, %v", entries, err)
	}
}

// tidy does the action to its end, on what the broken ones left, and checks that nothing is left of these.
func (c *crashed) tidy(t *testing.T) {
	t.Helper()
	if out, err := c.command(0).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if now := contentsOf(t, c.dir); now != c.after {
		t.Fatalf("the store has %+v, expected %+v", now, c.after)
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != c.after.segments+2 {
		t.Fatalf("the store's folder holds %v", entries)
	}
	s, err := store.Open(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, segment := range s.Manifest().Segments {
		files, err := os.ReadDir(filepath.Join(c.dir, segment.Folder))
		if err != nil || len(files) != len(segment.AllFiles()) {
			t.Fatalf("%s holds %v, %v", segment.Folder, files, err)
		}
	}
	c.restore(t)
}

// kills is how many loads the tests here break off; LOADER_KILLS sets another number.
func kills(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("LOADER_KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return 3
	}
	return 12
}

// marks are files by whose appearance a process is killed, or not long after; "" is any moment.
var marks = []string{"", "", "", "gen-*/terms.dict", "gen-*/*.pcsr", "gen-*/default.pcsr", "gen-*/removed-*.pcsr", "manifest.json.tmp"}

// kill starts the action and breaks it off at a random moment of the time that it takes.
func (c *crashed) kill(t *testing.T, whole time.Duration) {
	t.Helper()
	cmd := c.command(0)
	old, _ := filepath.Glob(filepath.Join(c.dir, "*"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if mark := marks[rand.IntN(len(marks))]; mark == "" {
		time.Sleep(time.Duration(rand.Int64N(int64(whole) * 5 / 4)))
	} else {
		for end := time.Now().Add(2 * whole); time.Now().Before(end) && !appeared(filepath.Join(c.dir, mark), old); {
			time.Sleep(20 * time.Microsecond)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(10*time.Millisecond))) >> rand.IntN(12))
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// appeared reports whether a file is there that lies in none of the old folders.
func appeared(pattern string, old []string) bool {
	files, _ := filepath.Glob(pattern)
	return slices.ContainsFunc(files, func(file string) bool { return !slices.Contains(old, filepath.Dir(file)) })
}

func TestKilledAtAnyMomentAStoreIsTheOldOrTheNewOne(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"load", "append", "compact", "flush", "rebuild"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			c := newCrashed(t, action)
			start := time.Now()
			if out, err := c.command(0).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			whole := time.Since(start)
			c.restore(t)
			for i := range kills(t) {
				c.kill(t, whole)
				if done := c.check(t); !done && i%10 == 9 {
					c.tidy(t)
				}
			}
			c.tidy(t)
			t.Logf("%d kills left the old store, %d the new one", c.beforeN, c.doneN)
		})
	}
}

// TestOnAFullDiskTheOldStoreStays lets every write beyond a random size of file fail, part-way.
func TestOnAFullDiskTheOldStoreStays(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"load", "append", "compact", "flush", "rebuild"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			c := newCrashed(t, action)
			for i := range kills(t) {
				limit := uint64(1) + rand.Uint64N(uint64(1000)<<(i%9))
				out, err := c.command(limit).CombinedOutput()
				if bytes.Contains(out, []byte("panic")) {
					t.Fatalf("limit %d: %s", limit, out)
				}
				if done := c.check(t); done != (err == nil) {
					t.Fatalf("limit %d: the %s says %v (%s), the store was changed: %v", limit, action, err, out, done)
				}
				if folders, _ := filepath.Glob(filepath.Join(c.dir, "gen-*")); len(folders) != c.before.segments {
					t.Fatalf("limit %d: a failed %s leaves %v", limit, action, folders)
				}
			}
			c.tidy(t)
			t.Logf("%d failed, %d had room", c.beforeN, c.doneN)
		})
	}
}
