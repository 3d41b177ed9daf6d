package vector

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
)

// spilling is the disk of a query whose temporary files share a pool.
func spilling(t *testing.T, p *limits.Pool) *Disk {
	b := p.Open(0)
	return &Disk{Folder: t.TempDir(), Budget: b, Buffers: b.Meter("buffers of temporary files")}
}

// TestTemporaryFilesAreCounted of all queries together, until they are closed, and have no name.
func TestTemporaryFilesAreCounted(t *testing.T) {
	p := limits.NewPool(1<<30, 1<<20)
	row := [][]dictionary.ID{{1}, {2}}
	write := func(d *Disk, bytes int) (*File, error) {
		f, err := d.Create(2)
		for range bytes / 8 {
			if err == nil {
				err = f.Write(row, 0)
			}
		}
		if err == nil {
			_, err = f.Reader()
		}
		return f, err
	}
	first, second := spilling(t, p), spilling(t, p)
	kept, err := write(first, 600<<10)
	if err != nil || p.Usage().Spilled != 600<<10 {
		t.Fatal(err, p.Usage())
	}
	f, err := write(second, 600<<10)
	if !errors.Is(err, limits.ErrSpill) || !strings.Contains(err.Error(), "--max-spill") {
		t.Errorf("error %v, want ErrSpillLimit", err)
	}
	for _, d := range []*Disk{first, second} {
		if left, _ := os.ReadDir(d.Folder); len(left) > 0 {
			t.Errorf("%d files have a name", len(left))
		}
	}
	f.Close()
	kept.Close()
	kept.Close()
	if u := p.Usage(); u.Spilled != 0 || u.Used != 0 {
		t.Errorf("afterwards %+v", u)
	}
	if f, err = write(second, 600<<10); err != nil {
		t.Errorf("once the others are gone: %v", err)
	}
	f.Close()
}

// TestALargeFileIsRemovedInTheBackground, and counted until it is gone.
func TestALargeFileIsRemovedInTheBackground(t *testing.T) {
	p := limits.NewPool(1<<30, 1<<30)
	f, err := spilling(t, p).Create(1)
	if err != nil {
		t.Fatal(err)
	}
	row := [][]dictionary.ID{{1}}
	for range slowToRemove {
		if err := f.Write(row, 0); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	f.Close()
	for deadline := time.Now().Add(time.Minute); p.Usage().Spilled != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("afterwards %+v", p.Usage())
		}
	}
}

// TestNothingIsWrittenOnceTheQueryHasEnded: the error is why.
func TestNothingIsWrittenOnceTheQueryHasEnded(t *testing.T) {
	p, over := limits.NewPool(1<<30, 1<<30), errors.New("the time is over")
	d := spilling(t, p)
	d.Ended = func() error { return over }
	f, err := d.Create(1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range largestBuffer {
		if err = f.Write([][]dictionary.ID{{1}}, 0); err != nil {
			break
		}
	}
	if err != over || p.Usage().Spilled != 0 {
		t.Errorf("error %v, want %v; %d bytes written", err, over, p.Usage().Spilled)
	}
}

// TestAFullDiskIsALimit: /dev/full takes nothing.
func TestAFullDiskIsALimit(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("needs /dev/full")
	}
	f, err := spilling(t, limits.NewPool(1<<30, 0)).Create(1)
	if err != nil {
		t.Fatal(err)
	}
	f.file.Close()
	f.file = full
	defer f.Close()
	for range 1 << 16 {
		if err = f.Write([][]dictionary.ID{{1}}, 0); err != nil {
			break
		}
	}
	if !errors.Is(err, limits.ErrSpill) || !strings.Contains(err.Error(), "full") {
		t.Errorf("error %v, want ErrSpillLimit", err)
	}
}
