package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/internal/wal/waltest"
)

// model is a log over a disk that fails, and what the log must have.
type model struct {
	disk    *waltest.Disk
	log     *wal.Log
	options wal.Options

	records map[uint64][]byte // all that may come back
	first   uint64            // the lowest that may not be missing
	last    uint64            // the highest that was appended
	durable uint64            // the highest that the log said was durable

	sizes  []int // of payloads
	broken bool
	fault  waltest.Operation // what fails next, "" for nothing
	cause  error
	random *rand.Rand
}

func newModel(t *rapid.T) *model {
	seed := rapid.Uint64().Draw(t, "seed")
	m := &model{disk: waltest.New(seed), records: map[uint64][]byte{}, random: rand.New(rand.NewPCG(seed, 2))}
	m.options = wal.Options{
		Folder: m.disk, FileSize: rapid.SampledFrom([]int64{1, 5 << 10, 9 << 10, 40 << 10}).Draw(t, "file size"),
		First: rapid.SampledFrom([]uint64{0, 1, 77, 1 << 60}).Draw(t, "first"),
	}
	// Where all frames are sectors, what is left of one record may be taken for another.
	m.sizes = rapid.SampledFrom([][]int{{200}, {480}, {0, 1, 8, 33, 200, 511, 512, 3000, 9000}}).Draw(t, "sizes")
	m.disk.Fault = func(op waltest.Operation, _ string, _ int) error {
		if op != m.fault {
			return nil
		}
		m.fault = ""
		return m.cause
	}
	m.first = max(m.options.First, 1)
	m.last, m.durable = m.first-1, m.first-1
	m.open(t)
	return m
}

// open opens the log: it has all that was durable, and a prefix of what was appended.
func (m *model) open(t *rapid.T) {
	log, err := wal.Open("", m.options)
	if err != nil && m.cause != nil && m.fault == "" { // the operation that was to fail did
		log, err = wal.Open("", m.options)
	}
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	m.log, m.broken, m.fault, m.cause = log, false, "", nil
	r := log.Report()
	if r.Last < m.durable || r.Last > m.last || r.First > m.first || log.Synced() != r.Last {
		t.Fatalf("%+v, synced %d; %d to %d were durable, %d appended", r, log.Synced(), m.first, m.durable, m.last)
	}
	m.last, m.durable = r.Last, r.Last
	m.options.Identity = log.Identity()
	m.check(t)
}

// check reads all.
func (m *model) check(t *rapid.T) {
	next := m.log.First()
	if next > m.first {
		t.Fatalf("the log begins with %d, %d was not dropped", next, m.first)
	}
	for r, err := range m.log.Read(next) {
		if err != nil {
			t.Fatalf("record %d: %v", next, err)
		}
		if r.Sequence != next || !bytes.Equal(r.Payload, m.records[next]) {
			t.Fatalf("record %d is %.40q under %d, want %.40q", next, r.Payload, r.Sequence, m.records[next])
		}
		next++
	}
	if next != m.last+1 {
		t.Fatalf("%d records are missing", m.last+1-next)
	}
}

func (m *model) Append(t *rapid.T) {
	var payloads [][]byte
	for i := range rapid.IntRange(1, 4).Draw(t, "records") {
		size := rapid.SampledFrom(m.sizes).Draw(t, "size")
		p := []byte(fmt.Sprintf("%d of %d: ", m.last+1+uint64(i), m.random.Uint64()))
		for len(p) < size {
			p = append(p, byte(m.random.Uint32()))
		}
		payloads = append(payloads, p[:size])
	}
	first, err := m.log.Append(payloads...)
	switch {
	case err == nil:
		if first != m.last+1 || m.broken {
			t.Fatalf("record %d was appended as %d", m.last+1, first)
		}
		for i, p := range payloads {
			m.records[first+uint64(i)] = p
		}
		m.last += uint64(len(payloads))
	case errors.Is(err, wal.ErrBroken):
		m.broken = true
	case m.broken || !errors.Is(err, syscall.ENOSPC):
		t.Fatal(err)
	}
	m.durable = max(m.durable, m.log.Synced())
}

func (m *model) Sync(t *rapid.T) {
	synced, err := m.log.Sync()
	if errors.Is(err, wal.ErrBroken) && (m.broken || m.cause != nil) {
		m.broken = true
	} else if err != nil || m.broken || synced != m.last {
		t.Fatalf("synced %d of %d: %v", synced, m.last, err)
	}
	m.durable = max(m.durable, m.log.Synced())
}

// Fault makes the next operation of a sort fail.
func (m *model) Fault(t *rapid.T) {
	if m.fault != "" {
		return
	}
	m.fault = rapid.SampledFrom([]waltest.Operation{
		waltest.Write, waltest.Write, waltest.Create, waltest.Allocate, waltest.Rename, waltest.Truncate, waltest.SyncData, waltest.Sync, waltest.SyncDir,
	}).Draw(t, "fault")
	m.cause = syscall.ENOSPC
}

func (m *model) Drop(t *rapid.T) {
	before := m.first + uint64(rapid.IntRange(0, 30).Draw(t, "dropped"))
	m.first = max(m.first, min(before, m.last+1))
	fails := m.fault == waltest.SyncDir
	if err := m.log.Drop(before); err != nil && !fails {
		t.Fatal(err)
	}
}

// Crash is a power cut.
func (m *model) Crash(t *rapid.T) {
	m.disk.Crash(rapid.SampledFrom([]int{512, 4096}).Draw(t, "block"))
	m.open(t)
}

// Kill ends the process; what it wrote stays.
func (m *model) Kill(t *rapid.T) { m.open(t) }

// Restart closes the log and opens it.
func (m *model) Restart(t *rapid.T) {
	if err := m.log.Close(); err == nil && !m.broken {
		m.durable = m.last
	}
	m.open(t)
}

// Check runs after each step.
func (m *model) Check(t *rapid.T) {
	if m.log.Synced() < m.durable || m.log.Last() != m.last {
		t.Fatalf("%d to %d", m.log.Synced(), m.log.Last())
	}
	reader, err := wal.OpenReader("", m.options)
	if err != nil {
		t.Fatal(err)
	}
	from := max(m.log.First(), m.last-min(m.last, 3))
	for r, err := range reader.Read(from) {
		if err != nil {
			t.Fatal(err)
		}
		if m.records[r.Sequence] == nil || r.Sequence != from || !bytes.Equal(r.Payload, m.records[from]) {
			t.Fatalf("a reader got %.40q as %d, want %d", r.Payload, r.Sequence, from)
		}
		from++
	}
}

func TestWhatWasDurableComesBackAfterAnyCrash(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		rapid.Check(t, live)
	}
}

// live does what happens to a log, in any order.
func live(t *rapid.T) {
	m := newModel(t)
	t.Repeat(map[string]func(*rapid.T){
		"append": m.Append, "append ": m.Append, "append  ": m.Append, "sync": m.Sync, "fault": m.Fault, "drop": m.Drop,
		"crash": m.Crash, "kill": m.Kill, "restart": m.Restart, "": m.Check,
	})
}
