package live_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/wal/waltest"
)

// TestPowerCuts commits onto a disk that fails now and then, cuts the power, and looks what is there: all that was
// acknowledged, each transaction whole, in their order. RDFGPU_CUTS says how many.
func TestPowerCuts(t *testing.T) {
	cuts := 10
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_CUTS")); err == nil {
		cuts = n
	}
	for seed := range uint64(cuts) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { cutPower(t, seed) })
	}
}

func cutPower(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	disk := waltest.New(seed)
	folder := newFolder(t, quads{})
	for range 4 {
		acknowledged := writeNumbers(t, folder, disk, random)
		disk.Fault = nil
		disk.Crash([]int{512, 4096}[random.IntN(2)])
		checkNumbersOn(t, folder, acknowledged, live.Options{LogFolder: disk})
	}
}

// writeNumbers commits from four goroutines until the log fails or enough is written, and returns the highest number that
// was acknowledged.
func writeNumbers(t *testing.T, folder string, disk *waltest.Disk, random *rand.Rand) int {
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true, LogFolder: disk, FlushTriples: 200 + random.IntN(1000)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abandon()
	full, broken := random.IntN(400), random.IntN(400)
	var operations atomic.Int64
	disk.Fault = func(op waltest.Operation, _ string, _ int) error {
		switch n := int(operations.Add(1)); {
		case op == waltest.Write && n%401 == full:
			return syscall.ENOSPC
		case op == waltest.SyncData && n%1009 == broken:
			return syscall.EIO
		}
		return nil
	}
	var highest atomic.Int64
	highest.Store(int64(s.Sequence()) - 1)
	last := int(s.Sequence()) + random.IntN(300)
	var all sync.WaitGroup
	for writer := range 4 {
		all.Go(func() {
			for k := 0; ; k++ {
				commit := commitNumber
				switch {
				case writer == 0 && k%40 == 39:
					commit = commitDocument
				case writer == 1 && k%40 == 19:
					commit = commitAmongOthers
				case writer > 0 && k%3 > 0:
					commit = commitEdit
				}
				n, err := commit(s)
				switch {
				case errors.Is(err, live.ErrFailed):
					return
				case errors.Is(err, syscall.ENOSPC):
				case err != nil:
					t.Error(err)
					return
				default:
					for was := highest.Load(); int64(n) > was && !highest.CompareAndSwap(was, int64(n)); was = highest.Load() {
					}
				}
				if n >= last {
					return
				}
			}
		})
	}
	all.Wait()
	return int(highest.Load())
}
