package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/internal/wal/waltest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// payload is what tests write as a record.
func payload(sequence uint64, size int) []byte {
	b := fmt.Appendf(nil, "record %d ", sequence)
	for len(b) < size {
		b = append(b, byte(uint64(len(b))*sequence))
	}
	return b
}

// fill appends records until there are n.
func fill(t testing.TB, l *wal.Log, n uint64, size int) {
	t.Helper()
	for l.Last() < n {
		_, err := l.Append(payload(l.Last()+1, size))
		must(t, err)
	}
}

// count reads from a sequence on, checks what it reads, and returns the last sequence.
func count(t testing.TB, l logReader, from uint64, size int) (last uint64, err error) {
	t.Helper()
	last = from - 1
	for r, err := range l(from) {
		if err != nil {
			return last, err
		}
		if r.Sequence != last+1 || !bytes.Equal(r.Payload, payload(r.Sequence, size)) {
			t.Fatalf("%.40q under %d, want %d", r.Payload, r.Sequence, last+1)
		}
		last = r.Sequence
	}
	return last, nil
}

// logReader is the Read of a Log or a Reader.
type logReader func(from uint64) iter.Seq2[wal.Record, error]

func TestRecordsComeBackInOrderFromAnySequence(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wal")
	l, err := wal.Open(dir, wal.Options{FileSize: 8 << 10, First: 5})
	must(t, err)
	if r := l.Report(); !r.Created || r.First != 5 || r.Last != 4 {
		t.Fatalf("%+v", r)
	}
	fill(t, l, 100, 300)
	reader, err := wal.OpenReader(dir, wal.Options{Identity: l.Identity()})
	must(t, err)
	for from := uint64(5); from <= 101; from++ {
		for _, r := range []logReader{l.Read, reader.Read} {
			if last, err := count(t, r, from, 300); err != nil || last != 100 {
				t.Fatalf("from %d to %d: %v", from, last, err)
			}
		}
	}
	for _, r := range []logReader{l.Read, reader.Read} {
		if _, err := count(t, r, 102, 300); err == nil {
			t.Error("there is nothing to read from 102")
		}
		if _, err := count(t, r, 4, 300); !errors.Is(err, wal.ErrGone) {
			t.Error("from 4:", err)
		}
	}
	must(t, l.Close())
	if _, err := l.Append(nil); !errors.Is(err, wal.ErrClosed) {
		t.Error(err)
	}
	if _, err := l.Sync(); !errors.Is(err, wal.ErrClosed) {
		t.Error(err)
	}
	must(t, l.Close())
	l, err = wal.Open(dir, wal.Options{FileSize: 8 << 10})
	must(t, err)
	if r := l.Report(); r.Created || r.First != 5 || r.Last != 100 || r.CutBytes != 0 || r.Files < 3 || l.Synced() != 100 {
		t.Fatalf("%+v", r)
	}
	if last, err := count(t, l.Read, 5, 300); err != nil || last != 100 {
		t.Fatal(last, err)
	}
	must(t, l.Close())
}

func TestARecordLargerThanAFileHasOneForItself(t *testing.T) {
	for _, first := range []bool{true, false} {
		dir := t.TempDir()
		l, err := wal.Open(dir, wal.Options{FileSize: 8 << 10})
		must(t, err)
		var want [][]byte
		sizes := []int{100_000, 10, 10}
		if !first {
			sizes = []int{10, 1_000_000, 10, 300_000, 8 << 10}
		}
		for _, size := range sizes {
			want = append(want, payload(uint64(size), size))
			_, err := l.Append(want[len(want)-1])
			must(t, err)
		}
		must(t, l.Close())
		l, err = wal.Open(dir, wal.Options{FileSize: 8 << 10})
		must(t, err)
		for r, err := range l.Read(1) {
			must(t, err)
			if !bytes.Equal(r.Payload, want[r.Sequence-1]) {
				t.Errorf("record %d is another", r.Sequence)
			}
		}
		must(t, l.Close())
	}
}

func TestDropRemovesFilesThatLieBefore(t *testing.T) {
	dir := t.TempDir()
	l, err := wal.Open(dir, wal.Options{FileSize: 8 << 10})
	must(t, err)
	fill(t, l, 200, 500)
	files := func() []string {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		must(t, err)
		return names
	}
	before, bytes := len(files()), l.Bytes()
	must(t, l.Drop(1))
	if len(files()) != before || l.First() != 1 {
		t.Fatal("nothing was to be dropped")
	}
	old, err := wal.OpenReader(dir, wal.Options{})
	must(t, err)
	next := uint64(1)
	for r, err := range l.Read(1) { // whoever reads goes on, or hears that it is gone
		if r.Sequence == 3 {
			must(t, l.Drop(101))
		}
		if err != nil {
			if !errors.Is(err, wal.ErrGone) {
				t.Fatal(err)
			}
			break
		}
		next = r.Sequence + 1
	}
	if l.First() > 101 || l.First() < 80 || next < 4 || l.Bytes() >= bytes {
		t.Fatalf("the log begins with %d; read to %d; %d bytes of %d", l.First(), next, l.Bytes(), bytes)
	}
	for _, r := range []logReader{l.Read, old.Read} {
		if _, err := count(t, r, l.First()-1, 500); !errors.Is(err, wal.ErrGone) {
			t.Error(err)
		}
		if last, err := count(t, r, l.First(), 500); last != 200 || err != nil {
			t.Error(last, err)
		}
	}
	must(t, l.Drop(1000))
	if len(files()) != 1 {
		t.Error("left:", files())
	}
	if first, err := old.First(); err != nil || first != l.First() {
		t.Error(first, err)
	}
	must(t, l.Close())
	l, err = wal.Open(dir, wal.Options{})
	must(t, err)
	if l.Last() != 200 {
		t.Error("the log goes on behind", l.Last())
	}
	must(t, l.Close())
}

func TestAFullDiskIsNotTheEndOfTheLog(t *testing.T) {
	disk := waltest.New(1)
	l, err := wal.Open("", wal.Options{Folder: disk, FileSize: 16 << 10})
	must(t, err)
	full := false
	disk.Fault = func(op waltest.Operation, _ string, _ int) error {
		if full && (op == waltest.Write || op == waltest.Allocate || op == waltest.Create) {
			return syscall.ENOSPC
		}
		return nil
	}
	for n := uint64(1); n <= 300; n++ {
		full = n%3 == 0
		_, err := l.Append(payload(n, 100))
		if full {
			if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, wal.ErrBroken) {
				t.Fatal(err)
			}
			full = false
			_, err = l.Append(payload(n, 100))
		}
		must(t, err)
	}
	if last, err := count(t, l.Read, 1, 100); err != nil || last != 300 {
		t.Fatal(last, err)
	}
}

func TestAfterAFailedSyncNothingIsTriedAgain(t *testing.T) {
	for _, op := range []waltest.Operation{waltest.SyncData, waltest.Truncate, waltest.SyncDir} {
		disk := waltest.New(1)
		l, err := wal.Open("", wal.Options{Folder: disk, FileSize: 8 << 10})
		must(t, err)
		fill(t, l, 3, 100)
		_, err = l.Sync()
		must(t, err)
		fill(t, l, 4, 100)
		var asked []waltest.Operation
		disk.Fault = func(o waltest.Operation, _ string, _ int) error {
			asked = append(asked, o)
			if o == op || o == waltest.Write && op == waltest.Truncate {
				return syscall.EIO
			}
			return nil
		}
		switch op {
		case waltest.SyncData:
			_, err = l.Sync()
		case waltest.Truncate: // a write that cannot be taken back
			_, err = l.Append(payload(5, 100))
		case waltest.SyncDir: // of the folder that has a new file
			_, err = l.Append(payload(5, 10_000))
		}
		if !errors.Is(err, wal.ErrBroken) || !errors.Is(err, syscall.EIO) {
			t.Fatal(op, err)
		}
		disk.Fault = func(o waltest.Operation, _ string, _ int) error {
			t.Errorf("after a failed %s it asked for %s", op, o)
			return nil
		}
		_, err = l.Append(nil)
		_, again := l.Sync()
		if !errors.Is(err, wal.ErrBroken) || !errors.Is(again, syscall.EIO) {
			t.Error(op, err, again)
		}
		if err := l.Close(); !errors.Is(err, wal.ErrBroken) {
			t.Error(op, err)
		}
		disk.Fault = nil
		l, err = wal.Open("", wal.Options{Folder: disk})
		must(t, err)
		if last, err := count(t, l.Read, 1, 100); err != nil || last < 4 || last > 5 {
			t.Error(op, last, err)
		}
	}
}

// written is a log of several files on a disk, closed, and their names.
func written(t testing.TB) (*waltest.Disk, wal.Options, []string) {
	disk := waltest.New(1)
	o := wal.Options{Folder: disk, FileSize: 8 << 10}
	l, err := wal.Open("", o)
	must(t, err)
	fill(t, l, 50, 200)
	o.Identity = l.Identity()
	must(t, l.Close())
	names, err := disk.Names()
	must(t, err)
	return disk, o, names
}

// readAll opens the log and reads it.
func readAll(t testing.TB, o wal.Options) (last uint64, report wal.Report, err error) {
	l, err := wal.Open("", o)
	if err != nil {
		return 0, report, err
	}
	last, err = count(t, l.Read, l.First(), 200)
	return last, l.Report(), errors.Join(err, l.Close())
}

func TestDamageIsToldWithItsPlace(t *testing.T) {
	const frame = 32 + 200
	another, _, _ := written(t)
	for name, test := range map[string]struct {
		damage func(d *waltest.Disk, names []string)
		file   int // whose name the error has
		where  string
	}{
		"a bit of a record of an older file": {func(d *waltest.Disk, names []string) { d.Bytes(names[0])[4096+3*frame+50] ^= 4 }, 0, "offset 4792"},
		"a bit of a record of the last file": {func(d *waltest.Disk, names []string) { d.Bytes(names[2])[4096+50] ^= 4 }, 2, "offset 4096"},
		"a bit of the last record":           {func(d *waltest.Disk, names []string) { d.Bytes(names[2])[4096+15*frame+50] ^= 4 }, 2, "offset 7576"},
		"the length of a record":             {func(d *waltest.Disk, names []string) { d.Bytes(names[2])[4096+frame+9] ^= 1 }, 2, "offset 4328"},
		"zeros in the place of records":      {func(d *waltest.Disk, names []string) { clear(d.Bytes(names[2])[4096 : 4096+7*frame]) }, 2, "offset 4096"},
		"a header":                           {func(d *waltest.Disk, names []string) { d.Bytes(names[1])[20] ^= 1 }, 1, "offset 0"},
		"no header":                          {func(d *waltest.Disk, names []string) { d.Put(names[2], nil) }, 2, "offset 0"},
		"a file between is missing":          {func(d *waltest.Disk, names []string) { must(t, d.Remove(names[1])) }, 2, "offset 40"},
		"the last file is missing":           {func(d *waltest.Disk, names []string) { must(t, d.Remove(names[2])) }, 1, "is missing"},
		"an older file is cut":               {func(d *waltest.Disk, names []string) { d.Put(names[0], d.Bytes(names[0])[:5000]) }, 0, "offset 4792"},
		"a file of another log":              {func(d *waltest.Disk, names []string) { d.Put(names[1], another.Bytes(names[1])) }, 1, "offset 16"},
		"a file under another name":          {func(d *waltest.Disk, names []string) { must(t, d.Rename(names[2], "0000000000000049.log")) }, 3, "offset 32"},
		"a name that is no sequence":         {func(d *waltest.Disk, names []string) { d.Put("00000000000000000001.log", d.Bytes(names[0])) }, 4, "offset 0"},
		"all files": {func(d *waltest.Disk, names []string) {
			for _, n := range names {
				must(t, d.Remove(n))
			}
		}, 5, "none of its files"},
	} {
		t.Run(name, func(t *testing.T) {
			disk, o, names := written(t)
			if len(names) != 4 && len(names) != 3 {
				t.Fatal(names)
			}
			test.damage(disk, names)
			_, _, err := readAll(t, o)
			named := append(slices.Clone(names[:3]), "0000000000000049.log", "00000000000000000001.log", "wal")
			if !errors.Is(err, wal.ErrDamaged) || !strings.Contains(fmt.Sprint(err), named[test.file]) || !strings.Contains(fmt.Sprint(err), test.where) {
				t.Error(err)
			}
		})
	}
}

func TestANewerFormatIsRefused(t *testing.T) {
	disk, o, names := written(t)
	disk.Bytes(names[2])[8] = 2
	if _, _, err := readAll(t, o); !errors.Is(err, wal.ErrVersion) {
		t.Error(err)
	}
	if _, err := wal.OpenReader("", wal.Options{Folder: waltest.New(1)}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := wal.OpenReader(filepath.Join(t.TempDir(), "none"), wal.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := wal.OpenReader("", wal.Options{Folder: disk, Identity: 1}); !errors.Is(err, wal.ErrDamaged) {
		t.Error(err)
	}
}

// A crash may leave later records of a group whole and earlier ones not: nobody was told that they are durable.
func TestATornTailIsCutAndTold(t *testing.T) {
	const frame = 32 + 200
	disk := waltest.New(1)
	o := wal.Options{Folder: disk, FileSize: 64 << 10}
	l, err := wal.Open("", o)
	must(t, err)
	fill(t, l, 10, 200)
	_, err = l.Sync()
	must(t, err)
	fill(t, l, 20, 200)
	name := "0000000000000001.log"
	clear(disk.Bytes(name)[4096+12*frame+40 : 4096+13*frame+7])
	last, report, err := readAll(t, o)
	want := wal.Report{
		Files: 1, First: 1, Last: 12, CutFile: name, CutOffset: 4096 + 12*frame, CutBytes: 8 * frame, CutRecords: 6,
	}
	if err != nil || last != 12 || report != want {
		t.Fatalf("%d: %+v, %v", last, report, err)
	}
	if last, report, err = readAll(t, o); err != nil || last != 12 || report.CutBytes != 0 {
		t.Fatalf("%d: %+v, %v", last, report, err)
	}
}

func TestUnfinishedFilesAreRemoved(t *testing.T) {
	disk, o, _ := written(t)
	disk.Put("0000000000000051.log.tmp", []byte("x"))
	disk.Put("readme", []byte("x"))
	if last, _, err := readAll(t, o); err != nil || last != 50 {
		t.Fatal(last, err)
	}
	names, err := disk.Names()
	must(t, err)
	if !slices.Contains(names, "readme") || slices.Contains(names, "0000000000000051.log.tmp") {
		t.Error(names)
	}
}

func TestAPayloadMayBeTooLarge(t *testing.T) {
	l, err := wal.Open("", wal.Options{Folder: waltest.New(1), FileSize: 8 << 10})
	must(t, err)
	if _, err := l.Append(make([]byte, 1), make([]byte, wal.MaxPayload+1)); !errors.Is(err, wal.ErrTooLarge) || l.Last() != 0 {
		t.Error(err)
	}
}

// A reader in another process sees what is written without a word from the writer.
func TestAReaderFollowsAWriter(t *testing.T) {
	dir := t.TempDir()
	l, err := wal.Open(dir, wal.Options{FileSize: 16 << 10})
	must(t, err)
	reader, err := wal.OpenReader(dir, wal.Options{})
	must(t, err)
	const n = 3000
	done := make(chan error, 1)
	go func() {
		for i := uint64(1); i <= n; i++ {
			if _, err := l.Append(payload(i, 100)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	last := uint64(0)
	for last < n {
		before := last
		if last, err = count(t, reader.Read, last+1, 100); err != nil {
			t.Fatal(err)
		}
		from := min(before, l.Last()) + 1 // the writer may be about to count the last one
		if own, err := count(t, l.Read, from, 100); err != nil || own+1 < last {
			t.Fatal(own, last, err)
		}
	}
	must(t, <-done)
	must(t, l.Close())
	if _, err := os.Stat(filepath.Join(dir, "0000000000000001.log")); err != nil {
		t.Error(err)
	}
}
