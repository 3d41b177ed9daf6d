package loader

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rdfgpu/rdfgpu/internal/store"
)

// The variables by which a test starts itself again as a process that loads: the store, the input, the size of file
// beyond which every write fails, 0 for none, and whether it adds to what is there.
const (
	childStore = "LOADER_TEST_STORE"
	childInput = "LOADER_TEST_INPUT"
	childLimit = "LOADER_TEST_LIMIT"
	childAdds  = "LOADER_TEST_APPEND"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childStore); dir != "" {
		os.Exit(child(dir, os.Getenv(childInput), os.Getenv(childLimit)))
	}
	os.Exit(m.Run())
}

func child(dir, input, limit string) int {
	if n, _ := strconv.ParseUint(limit, 10, 64); n > 0 {
		signal.Ignore(unix.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			fmt.Println(err)
			return 2
		}
	}
	if _, err := Load(context.Background(), dir, []Input{{Name: input}}, Options{Append: os.Getenv(childAdds) != ""}); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func childCommand(dir, input string, limit uint64) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childStore+"="+dir, childInput+"="+input, fmt.Sprintf("%s=%d", childLimit, limit))
	return c
}

// twoStates makes two inputs, and a store of the first.
func twoStates(t *testing.T) (dir string, inputs [2]string, sizes [2]uint64) {
	t.Helper()
	root := t.TempDir()
	dir = filepath.Join(root, "store")
	for i := range inputs {
		inputs[i] = filepath.Join(root, fmt.Sprintf("%d.nq", i))
		quads := writeQuads(t, inputs[i], randomQuads(uint64(7+i), 3000+2000*i, 900), true)
		sizes[i] = uint64(len(distinct(quads)))
	}
	if _, err := Load(context.Background(), dir, []Input{{Name: inputs[0]}}, Options{}); err != nil {
		t.Fatal(err)
	}
	return dir, inputs, sizes
}

// state tells which of the two inputs the store holds; it must be one of them, and whole.
func state(t *testing.T, dir string, sizes [2]uint64) int {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	switch s.Manifest().Triples {
	case sizes[0]:
		return 0
	case sizes[1]:
		return 1
	}
	t.Fatalf("the store has %d triples", s.Manifest().Triples)
	return -1
}

// tidy loads once more and checks that nothing is left of the loads before.
func tidy(t *testing.T, dir, input string) {
	t.Helper()
	if _, err := Load(context.Background(), dir, []Input{{Name: input}}, Options{}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 3 || !strings.HasPrefix(names[0], "gen-") {
		t.Fatalf("the store's folder holds %v", names)
	}
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

func TestKilledLoadLeavesTheOldOrTheNewStore(t *testing.T) {
	dir, inputs, sizes := twoStates(t)
	start := time.Now()
	if out, err := childCommand(dir, inputs[1], 0).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(start)
	current := state(t, dir, sizes)
	var seen [2]int
	for range kills(t) {
		target := 1 - current
		c := childCommand(dir, inputs[target], 0)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(whole) * 5 / 4)))
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
		now := state(t, dir, sizes)
		seen[(now+current)%2]++
		current = now
	}
	t.Logf("%d kills left the old store, %d the new one", seen[0], seen[1])
	tidy(t, dir, inputs[0])
}

func TestKilledAppendLeavesTheOldOrTheNewStore(t *testing.T) {
	dir, inputs, sizes := twoStates(t)
	add := func() *exec.Cmd {
		c := childCommand(dir, inputs[1], 0)
		c.Env = append(c.Env, childAdds+"=yes")
		return c
	}
	start := time.Now()
	if out, err := add().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(start)
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	sizes[1] = s.Manifest().Triples
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if sizes[1] <= sizes[0] {
		t.Fatalf("%d triples became %d", sizes[0], sizes[1])
	}
	var seen [2]int
	for current := 1; seen[0]+seen[1] < kills(t); {
		if current == 1 {
			tidy(t, dir, inputs[0])
		}
		c := add()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(whole) * 5 / 4)))
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
		current = state(t, dir, sizes)
		seen[current]++
	}
	t.Logf("%d kills left the old store, %d the new one", seen[0], seen[1])
	tidy(t, dir, inputs[0])
}

func TestLoadOnAFullDiskLeavesTheOldStore(t *testing.T) {
	dir, inputs, sizes := twoStates(t)
	failed := 0
	for i := range kills(t) {
		limit := uint64(1) + rand.Uint64N(uint64(2000)<<(i%8))
		out, err := childCommand(dir, inputs[1], limit).CombinedOutput()
		now := state(t, dir, sizes)
		switch {
		case err == nil && now == 1:
			tidy(t, dir, inputs[0]) // it was large enough
			continue
		case err == nil || now == 1:
			t.Fatalf("limit %d: the load says %v (%s), the store is number %d", limit, err, out, now)
		case bytes.Contains(out, []byte("panic")):
			t.Fatalf("limit %d: %s", limit, out)
		}
		failed++
	}
	t.Logf("%d loads failed", failed)
	tidy(t, dir, inputs[0])
}
