//go:build unix

package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// loaderEnv makes the test binary a process that loads into the folder it names, again and again, until it is killed.
const loaderEnv, limitEnv = "RDFGPU_TEST_STORE", "RDFGPU_TEST_FILE_LIMIT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(loaderEnv); dir != "" {
		os.Exit(loadForever(dir))
	}
	os.Exit(m.Run())
}

func loadForever(dir string) int {
	if os.Getenv(limitEnv) != "" {
		signal.Ignore(unix.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			return 1
		}
	}
	t := &testing.T{}
	for n := 1; ; n = n%900 + 1 {
		l, err := Begin(dir)
		if err != nil {
			return 2
		}
		if os.Getenv(limitEnv) != "" {
			return loadTooMuch(l)
		}
		if err := l.Commit(writeFiles(t, l, n, n%3)); err != nil {
			return 3
		}
	}
}

// loadTooMuch writes a dictionary that is larger than a file may be, and reports 7 when that is noticed.
func loadTooMuch(l *Load) int {
	failed := make(chan any, 1)
	go func() {
		defer func() { failed <- recover() }()
		writeFiles(fatal{&testing.T{}}, l, 5000, 0)
	}()
	err, _ := (<-failed).(error)
	if !errors.Is(err, unix.EFBIG) || l.Abort() != nil {
		return 8
	}
	return 7
}

// fatal turns Fatal into a panic with its argument.
type fatal struct{ testing.TB }

func (fatal) Helper()           {}
func (fatal) Fatal(args ...any) { panic(args[0]) }

func TestALoadKilledAtAnyMomentLeavesAWholeStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	writeStore(t, dir, 7, 0)
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	generations := map[string]bool{}
	for range rounds {
		loader := exec.Command(os.Args[0])
		loader.Env = append(os.Environ(), loaderEnv+"="+dir)
		must(t, loader.Start())
		time.Sleep(time.Duration(10+rand.IntN(60)) * time.Millisecond)
		must(t, loader.Process.Kill())
		_ = loader.Wait() // it was killed
		s, err := Open(dir)
		must(t, err)
		must(t, s.Verify())
		if s.Manifest().Triples != s.Default.Edges()+uint64(len(s.NamedGraphs())) {
			t.Fatal("half of one store and half of another")
		}
		generations[s.Manifest().Segments[0].Folder] = true
		must(t, s.Close())
	}
	writeStore(t, dir, 3, 0)
	checkStore(t, dir, 3, 0)
	if got := names(t, dir); len(got) != 3 || !slices.Contains(got, lockFile) || !slices.Contains(got, manifestFile) {
		t.Fatal("leftovers:", got)
	}
	t.Logf("%d different generations survived", len(generations))
}

func TestAFullDiskLeavesTheOldStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	writeStore(t, dir, 7, 1)
	loader := exec.Command(os.Args[0])
	loader.Env = append(os.Environ(), loaderEnv+"="+dir, limitEnv+"=1")
	err := loader.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatal(err)
	}
	checkStore(t, dir, 7, 1)
	if got := strings.Join(names(t, dir), " "); got != "gen-000001 lock manifest.json" {
		t.Fatal(got)
	}
}

func TestReadersNeverMeetHalfAStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	writeStore(t, dir, 7, 0)
	loader := exec.Command(os.Args[0])
	loader.Env = append(os.Environ(), loaderEnv+"="+dir)
	must(t, loader.Start())
	defer func() {
		must(t, loader.Process.Kill())
		_ = loader.Wait() // it was killed
	}()
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		s, err := Open(dir)
		must(t, err)
		if s.Manifest().Triples != s.Default.Edges()+uint64(len(s.NamedGraphs())) {
			t.Fatal("half of one store and half of another")
		}
		must(t, s.Close())
	}
}

// FuzzDamagedStore: a file of a good store is changed or cut. It is refused, or the change meant nothing.
func FuzzDamagedStore(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "store")
	writeStore(f, dir, 40, 2)
	good := map[string][]byte{}
	var files []string
	for _, name := range []string{manifestFile, "gen-000001/terms.dict", "gen-000001/values.dict", "gen-000001/hash.dict", "gen-000001/default.pcsr", "gen-000001/graph-000001.pcsr"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must(f, err)
		good[name] = b
		files = append(files, name)
	}
	for i := range files {
		f.Add(uint8(i), uint32(20*i), uint64(1)<<i, uint32(0))
		f.Add(uint8(i), uint32(3), uint64(0), uint32(1+i))
	}
	f.Fuzz(func(t *testing.T, file uint8, at uint32, word uint64, cut uint32) {
		name := files[int(file)%len(files)]
		bad := slices.Clone(good[name])
		for k := range 8 {
			bad[(int(at)+k)%len(bad)] ^= byte(word >> (8 * k))
		}
		bad = bad[:len(bad)-int(cut)%len(bad)]
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, bad, 0o644))
		err := verify(t, dir)
		if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
			t.Fatal(err)
		}
		must(t, os.WriteFile(path, good[name], 0o644))
	})
}

// FuzzManifest: any bytes are a manifest or are refused.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"format":"rdfgpu store","version":2,"segments":[{"folder":"gen-000001"}]}`))
	f.Add([]byte(`{"format":"rdfgpu store","version":3,"segments":[{"folder":"gen-000001"}]}`))
	f.Add([]byte(`{"format":"rdfgpu store","version":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parseManifest("manifest.json", b); err == nil && (m.Version < oldestVersion || m.Version > Version || len(m.Segments) == 0) {
			t.Fatalf("%q was accepted", b)
		}
	})
}
