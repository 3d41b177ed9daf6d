package wal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/internal/wal/waltest"
)

func TestDurabilityIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]wal.Durability{
		"sync": {}, "none": {Unsynced: true}, "group=5ms": {Interval: 5 * time.Millisecond}, "group=1s": {Interval: time.Second},
	} {
		if d, err := wal.ParseDurability(text); err != nil || d != want || d.String() != text {
			t.Errorf("%s is %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "group", "group=", "group=0s", "group=-1ms", "5ms", "Sync", "none=1s"} {
		if d, err := wal.ParseDurability(text); err == nil {
			t.Errorf("%q is %v", text, d)
		}
	}
}

// syncs counts the syncs of a disk.
func syncs(d *waltest.Disk) *atomic.Int64 {
	n := &atomic.Int64{}
	d.Fault = func(op waltest.Operation, _ string, _ int) error {
		if op == waltest.SyncData {
			n.Add(1)
		}
		return nil
	}
	return n
}

func TestWhatIsAcknowledgedSurvivesACrash(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, d := range []wal.Durability{{}, {Interval: 2 * time.Millisecond}} {
		t.Run(d.String(), func(t *testing.T) {
			disk := waltest.New(3)
			l, err := wal.Open("", wal.Options{Folder: disk, FileSize: 32 << 10})
			must(t, err)
			disk.SyncTakes = 2 * time.Millisecond
			count := syncs(disk)
			s := wal.NewSyncer(l, d)
			var highest atomic.Uint64
			var writers sync.WaitGroup
			for range 16 {
				writers.Go(func() {
					for range 20 {
						n, err := l.Append([]byte("transaction"))
						if err == nil {
							err = s.Wait(context.Background(), n)
						}
						if err != nil {
							t.Error(err)
						}
						for old := highest.Load(); old < n && !highest.CompareAndSwap(old, n); old = highest.Load() {
						}
					}
				})
			}
			writers.Wait()
			if l.Synced() < highest.Load() || highest.Load() != 320 || count.Load() >= 320 {
				t.Errorf("%d of %d are durable after %d syncs", l.Synced(), highest.Load(), count.Load())
			}
			_, err = l.Append([]byte("the last"))
			must(t, err)
			must(t, s.Close())
			if l.Synced() != 321 {
				t.Error("Close synced up to", l.Synced())
			}
			disk.Crash(512)
			l, err = wal.Open("", wal.Options{Folder: disk})
			must(t, err)
			if l.Last() != 321 {
				t.Error("left:", l.Last())
			}
		})
	}
}

func TestAnIntervalBoundsTheNumberOfSyncs(t *testing.T) {
	disk := waltest.New(3)
	l, err := wal.Open("", wal.Options{Folder: disk})
	must(t, err)
	count := syncs(disk)
	s := wal.NewSyncer(l, wal.Durability{Interval: 50 * time.Millisecond})
	start := time.Now()
	for range 5 {
		n, err := l.Append(nil)
		must(t, err)
		must(t, s.Wait(context.Background(), n))
	}
	if took := time.Since(start); took < 200*time.Millisecond || count.Load() != 5 {
		t.Errorf("%d syncs in %v", count.Load(), took)
	}
	must(t, s.Close())
}

func TestUnsyncedRecordsAreAcknowledgedAtOnceAndSyncedSoon(t *testing.T) {
	disk := waltest.New(3)
	l, err := wal.Open("", wal.Options{Folder: disk})
	must(t, err)
	count := syncs(disk)
	s := wal.NewSyncer(l, wal.Durability{Unsynced: true})
	for range 1000 {
		n, err := l.Append(nil)
		must(t, err)
		must(t, s.Wait(context.Background(), n))
	}
	for end := time.Now().Add(20 * time.Second); l.Synced() < 1000 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if l.Synced() != 1000 || count.Load() > 100 {
		t.Errorf("%d durable after %d syncs", l.Synced(), count.Load())
	}
	must(t, s.Close())
}

func TestWhoWaitsHearsOfAFailedSync(t *testing.T) {
	for _, d := range []wal.Durability{{}, {Unsynced: true}} {
		disk := waltest.New(3)
		l, err := wal.Open("", wal.Options{Folder: disk})
		must(t, err)
		s := wal.NewSyncer(l, d)
		disk.Fault = func(op waltest.Operation, _ string, _ int) error {
			if op == waltest.SyncData {
				return syscall.EIO
			}
			return nil
		}
		n, err := l.Append(nil)
		must(t, err)
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
			if err = s.Wait(context.Background(), n); err != nil || time.Now().After(end) {
				break
			}
		}
		if !errors.Is(err, wal.ErrBroken) || !errors.Is(err, syscall.EIO) {
			t.Error(d, err)
		}
		if err := s.Close(); !errors.Is(err, wal.ErrBroken) {
			t.Error(d, err)
		}
	}
}

func TestWaitEndsWithItsContextAndWithTheSyncer(t *testing.T) {
	l, err := wal.Open("", wal.Options{Folder: waltest.New(3)})
	must(t, err)
	s := wal.NewSyncer(l, wal.Durability{})
	cause := fmt.Errorf("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
	if err := s.Wait(ctx, 1); !errors.Is(err, cause) {
		t.Error(err)
	}
	waits := make(chan error)
	go func() { waits <- s.Wait(context.Background(), 1) }()
	time.Sleep(10 * time.Millisecond)
	must(t, s.Close())
	if err := <-waits; !errors.Is(err, wal.ErrClosed) {
		t.Error(err)
	}
	must(t, s.Close())
}

// The process dies at any moment of its work, with the machine.
func TestWhatWasAcknowledgedBeforeAPowerCutIsThereAfterIt(t *testing.T) {
	defer goleak.VerifyNone(t)
	for seed := range uint64(40) {
		if testing.Short() && seed%3 > 0 {
			continue
		}
		disk := waltest.New(seed)
		l, err := wal.Open("", wal.Options{Folder: disk, FileSize: 16 << 10})
		must(t, err)
		var dead atomic.Bool
		disk.Fault = func(waltest.Operation, string, int) error {
			if dead.Load() {
				return syscall.EIO
			}
			return nil
		}
		s := wal.NewSyncer(l, wal.Durability{})
		acknowledged := make([]uint64, 8)
		var writers sync.WaitGroup
		for i := range acknowledged {
			writers.Go(func() {
				for {
					n, err := l.Append(make([]byte, 100*i))
					if err != nil {
						return
					}
					if err := s.Wait(context.Background(), n); err != nil {
						return
					}
					acknowledged[i] = n
				}
			})
		}
		time.Sleep(time.Duration(seed%7) * time.Millisecond)
		dead.Store(true)
		writers.Wait()
		if err := s.Close(); err == nil {
			t.Error("the disk is dead")
		}
		disk.Fault = nil
		disk.Crash(512)
		l, err = wal.Open("", wal.Options{Folder: disk})
		must(t, err)
		for _, n := range acknowledged {
			if l.Last() < n {
				t.Fatalf("seed %d: %d was acknowledged, the log ends with %d", seed, n, l.Last())
			}
		}
		for _, err := range l.Read(1) {
			must(t, err)
		}
	}
}
