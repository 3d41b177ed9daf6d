package section

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// mappedSample is the path and the content of a file that is large enough to be mapped.
func mappedSample(t *testing.T) (path string, good []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "sample")
	w, err := Create(path, "sample", 1)
	if err != nil {
		t.Fatal(err)
	}
	writeSample(t, w)
	if good, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return path, good
}

// openChanged opens the file with one byte changed in place.
func openChanged(t *testing.T, path string, good []byte, at int) *File {
	t.Helper()
	bad := bytes.Clone(good)
	bad[at] ^= 1
	return openFile(t, path, bad)
}

func openFile(t *testing.T, path string, content []byte) *File {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, "sample", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestChecksOfAMappedFile(t *testing.T) {
	path, good := mappedSample(t)
	const at = 5 * chunkBytes // in "longs"
	longs := func(f *File) []uint64 {
		all, err := f.Uint64s("longs")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	find := func(f *File, from, to int) error {
		return Guard(func() error { Check(f, longs(f)[from:to]); return nil })
	}
	offset := 0
	t.Run("a part is checked, and not the rest", func(t *testing.T) {
		f := openChanged(t, path, good, at)
		offset = int(f.entries[f.index["longs"]].offset)
		n := (at - offset) / 8
		if err := find(f, 0, n-chunkBytes/8); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			err := find(f, 0, n+1)
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), `"longs"`) {
				t.Fatal(err)
			}
		}
		if err := find(f, n+chunkBytes/8, len(longs(f))); err != nil {
			t.Fatal(err)
		}
		if err := f.CheckSections("bytes", "words", "none"); err != nil {
			t.Fatal(err)
		}
		if err := f.CheckSections("longs"); !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err := f.CheckAll(context.Background()); !errors.Is(err, ErrDamaged) || !f.Unchecked() {
			t.Fatal(err)
		}
	})
	t.Run("a wrong sum is found", func(t *testing.T) {
		f, err := Parse("x", good, "sample", 1)
		if err != nil {
			t.Fatal(err)
		}
		f = openChanged(t, path, good, int(f.checks.end)+8*5)
		if err := find(f, (at-offset)/8, (at-offset)/8+1); !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
	})
	t.Run("nothing is left to check once everything has been read", func(t *testing.T) {
		f := openFile(t, path, good)
		if err := f.CheckAll(context.Background()); err != nil || f.Unchecked() {
			t.Fatal(err)
		}
	})
}

func TestAFileThatIsCutWhileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows lets nobody cut a file that is mapped")
	}
	path, _ := mappedSample(t)
	f, err := Open(path, "sample", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func() error{
		f.Verify, func() error { return f.CheckAll(context.Background()) }, func() error { return f.CheckSections("longs") },
	} {
		if err := read(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Fatal(err)
		}
	}
}

func TestOtherPanicsGoOn(t *testing.T) {
	defer func() {
		if r := recover(); r != "mine" {
			t.Fatal(r)
		}
	}()
	_ = Guard(func() error { panic("mine") })
}

func BenchmarkCheck(b *testing.B) {
	path := filepath.Join(b.TempDir(), "sample")
	w, err := Create(path, "sample", 1)
	if err != nil {
		b.Fatal(err)
	}
	writeSample(b, w)
	f, err := Open(path, "sample", 1)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	longs, err := f.Uint64s("longs")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("a chunk for the first time", func(b *testing.B) {
		b.SetBytes(chunkBytes)
		for b.Loop() {
			_ = f.compare(3)
		}
	})
	b.Run("a number of a chunk that was seen", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			Check(f, longs[i&1023:][:1])
		}
	})
	b.Run("a number of a file that is whole", func(b *testing.B) {
		f.checks.on.Store(false)
		for i := 0; b.Loop(); i++ {
			Check(f, longs[i&1023:][:1])
		}
	})
}
