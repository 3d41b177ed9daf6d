package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAMovableFileIsRenamedAndRemovedWhileItIsOpen(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if _, err := OpenMovable(from, os.O_RDWR); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a file that is not there: %v", err)
	}
	written, err := OpenMovable(from, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	if _, err := written.WriteString("kept"); err != nil {
		t.Fatal(err)
	}
	read, err := OpenMovable(to, os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	b := make([]byte, 4)
	if _, err := read.ReadAt(b, 0); err != nil || string(b) != "kept" {
		t.Fatalf("read %q, %v", b, err)
	}
	if _, err := read.WriteAt([]byte("x"), 0); err == nil {
		t.Error("a file that was opened for reading was written")
	}
	if err := os.Remove(to); err != nil {
		t.Error(err)
	}
}
