package section

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestFilesAreFlushedTogether on a disk that cannot flush some: Wait tells of one of them, whoever comes after it is told too, and all that were written are there.
func TestFilesAreFlushedTogether(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, bad := range []int{-1, 0, 150} {
		folder := t.TempDir()
		var flushed atomic.Int32
		disk := (&Disk{Fault: func(op Operation, path string) error {
			if op != Sync {
				return nil
			}
			flushed.Add(1)
			if strings.HasSuffix(path, fmt.Sprintf("-%d", bad)) {
				return broken
			}
			return nil
		}}).Together()
		written := 0
		for i := range 200 {
			w, err := disk.Create(filepath.Join(folder, fmt.Sprintf("file-%d", i)), "test", 1)
			if err != nil {
				t.Fatal(err)
			}
			if err = errors.Join(w.Section("a"), WriteNumbers(w, []uint32{uint32(i)})); err != nil {
				t.Fatal(err)
			}
			if err = w.Finish(); err != nil {
				if bad < 0 || !errors.Is(err, broken) {
					t.Fatal(err)
				}
				break
			}
			written++
		}
		if err := disk.Wait(); errors.Is(err, broken) != (bad >= 0) || bad < 0 && (err != nil || flushed.Load() != 200) {
			t.Fatalf("file %d cannot be flushed: %v after %d", bad, err, flushed.Load())
		}
		for i := range written {
			f, err := Open(filepath.Join(folder, fmt.Sprintf("file-%d", i)), "test", 1)
			if err != nil {
				t.Fatal(err)
			}
			if numbers, err := f.Uint32s("a"); err != nil || len(numbers) != 1 || numbers[0] != uint32(i) {
				t.Fatal(numbers, err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if disk := (*Disk)(nil).Together(); disk.Wait() != nil {
		t.Error("nothing was flushed, and failed")
	}
}
