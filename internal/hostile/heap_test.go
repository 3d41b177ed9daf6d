package hostile_test

import (
	"context"
	"fmt"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// lastResort is the heap, in bytes, at which the test process gives up, so that the machine does not.
const lastResort = 3 << 30

// heap watches the memory of the test process.
type heap struct {
	peak    atomic.Int64 // bytes
	current atomic.Value // the query under way
}

// watchHeap watches until the test is over.
func watchHeap(t testing.TB) *heap {
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	h := &heap{}
	go h.watch(ctx)
	return h
}

// begin forgets the peak and remembers the query that is asked.
func (h *heap) begin(query string) {
	h.current.Store(query)
	h.peak.Store(0)
}

func (h *heap) watch(ctx context.Context) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for ctx.Err() == nil {
		metrics.Read(sample)
		now := int64(sample[0].Value.Uint64())
		h.peak.Store(max(h.peak.Load(), now))
		if now > lastResort {
			panic(fmt.Sprintf("%d MiB of heap under a limit of %d MiB: %.2000s", now>>20, memoryLimit>>20, h.current.Load()))
		}
		time.Sleep(10 * time.Millisecond)
	}
}
