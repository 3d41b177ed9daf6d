package wal_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/internal/wal/waltest"
)

// FuzzDamagedLog: a file of a log that was closed is changed or cut. What is read is all of it, or a prefix before an
// error; what was durable is never missing without one, unless the file was cut.
func FuzzDamagedLog(f *testing.F) {
	good, options, names := written(f)
	for i := range names {
		f.Add(uint8(i), uint32(4096+8*i), uint64(1)<<i, uint32(0))
		f.Add(uint8(i), uint32(16+8*i), uint64(0xffff), uint32(0))
		f.Add(uint8(i), uint32(3), uint64(0), uint32(1+300*i))
	}
	f.Fuzz(func(t *testing.T, file uint8, at uint32, word uint64, cut uint32) {
		disk := good.Clone(1)
		name := names[int(file)%len(names)]
		b := disk.Bytes(name)
		at = at % uint32(len(b)) &^ 7 // in one frame: who damages a record and the mark behind it makes a torn tail of both
		for k := range 8 {
			b[int(at)+k] ^= byte(word >> (8 * k))
		}
		n := len(b) - int(cut)%len(b)
		disk.Put(name, b[:n])
		o := options
		o.Folder = disk
		readers(t, disk)
		last, report, err := readAll(t, o)
		if err != nil && !errors.Is(err, wal.ErrDamaged) && !errors.Is(err, wal.ErrVersion) {
			t.Fatal(err)
		}
		if err == nil && n == len(b) && last != 50 {
			t.Fatalf("%d records are missing: %+v", 50-last, report)
		}
	})
}

// FuzzLog: any bytes as the last file of a log, behind its header.
func FuzzLog(f *testing.F) {
	good, options, names := written(f)
	header := slices.Clone(good.Bytes(names[2])[:4096])
	f.Add(good.Bytes(names[2])[4096:])
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		disk := good.Clone(1)
		disk.Put(names[2], append(slices.Clone(header), b...))
		o := options
		o.Folder = disk
		readers(t, disk)
		last, report, err := readAll(t, o)
		if err != nil && !errors.Is(err, wal.ErrDamaged) || err == nil && last != report.Last {
			t.Fatalf("%d, %+v: %v", last, report, err)
		}
		if err != nil {
			return
		}
		if again, report, err := readAll(t, o); err != nil || again != last || report.CutBytes != 0 {
			t.Fatalf("opened again: %d of %d, %+v: %v", again, last, report, err)
		}
	})
}

// readers reads a log that may be damaged as another process would.
func readers(t *testing.T, disk *waltest.Disk) {
	r, err := wal.OpenReader("", wal.Options{Folder: disk})
	if err == nil {
		_, err = count(t, r.Read, 1, 200)
	}
	if err != nil && !errors.Is(err, wal.ErrDamaged) && !errors.Is(err, wal.ErrVersion) && !errors.Is(err, wal.ErrGone) {
		t.Fatal(err)
	}
}
