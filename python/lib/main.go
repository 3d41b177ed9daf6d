// Command lib is the engine as a C library, which the Python package in python/ loads: `make wheel` builds it with
// -buildmode=c-shared.
//
// Every function of the border returns soon: a call is started, waited for in turns, cancelled from any thread and ended
// (internal/calls). A handle that is none is answered, never followed, and a panic stays on this side. Rows cross as the Arrow C
// data interface, over memory that C allocated: nothing is copied here, and batches outlive their call and their store.
package main

// #include <stdint.h>
// #include <stdlib.h>
//
// // What a call tells: kind is one of internal/calls' EventKind. text is to be given to rdfgpu_free, records to rdfgpu_forget.
// typedef struct {
// 	int32_t kind;
// 	int64_t rows;
// 	uint64_t records;
// 	char *text;
// 	uint64_t length;
// } rdfgpu_event;
import "C"

import (
	"sync"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	"github.com/rdfgpu/rdfgpu/internal/calls"
)

// handles give numbers to what the other side holds. 0 is none.
type handles[T any] struct {
	mu   sync.Mutex
	held map[uint64]T
	last uint64
}

func (h *handles[T]) add(v T) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		h.held = map[uint64]T{}
	}
	h.last++
	h.held[h.last] = v
	return h.last
}

func (h *handles[T]) get(number uint64) (v T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, ok = h.held[number]
	return v, ok
}

func (h *handles[T]) take(number uint64) (v T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, ok = h.held[number]
	delete(h.held, number)
	return v, ok
}

var (
	allocator = mallocator.NewMallocator()
	engine    = calls.New(allocator)
	running   handles[*calls.Call]
	batches   handles[arrow.RecordBatch]
)

// rdfgpu_start begins the call that a JSON object of so many bytes describes; rdfgpu_end ends it.
//
//export rdfgpu_start
func rdfgpu_start(request *C.char, length C.uint64_t) C.uint64_t {
	text := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(request)), int(length))...)
	return C.uint64_t(running.add(engine.Start(text)))
}

// rdfgpu_wait waits for the next event of a call, so many milliseconds at most, and returns its kind; -1: there is no such call.
// One thread waits for a call at a time.
//
//export rdfgpu_wait
func rdfgpu_wait(call C.uint64_t, milliseconds C.int64_t, out *C.rdfgpu_event) C.int32_t {
	*out = C.rdfgpu_event{}
	c, ok := running.get(uint64(call))
	if !ok {
		out.kind = -1
		return -1
	}
	e := c.Wait(time.Duration(milliseconds) * time.Millisecond)
	out.kind = C.int32_t(e.Kind)
	if e.Records != nil {
		out.rows = C.int64_t(e.Records.NumRows())
		out.records = C.uint64_t(batches.add(e.Records))
	}
	if len(e.Text) > 0 {
		out.text, out.length = (*C.char)(C.CBytes(e.Text)), C.uint64_t(len(e.Text))
	}
	return out.kind
}

// rdfgpu_cancel asks a call to end soon; from any thread.
//
//export rdfgpu_cancel
func rdfgpu_cancel(call C.uint64_t) {
	if c, ok := running.get(uint64(call)); ok {
		c.Cancel()
	}
}

// rdfgpu_end cancels a call, waits for its end and forgets it.
//
//export rdfgpu_end
func rdfgpu_end(call C.uint64_t) {
	if c, ok := running.take(uint64(call)); ok {
		c.Close()
	}
}

// rdfgpu_free frees a text.
//
//export rdfgpu_free
func rdfgpu_free(text *C.char) { C.free(unsafe.Pointer(text)) }

// rdfgpu_export fills in a struct ArrowArray, and a struct ArrowSchema unless that is NULL, with a batch, as often as it is asked to;
// each owns a share of the batch until it is released. It returns 0, or -1: there is no such batch.
//
//export rdfgpu_export
func rdfgpu_export(records C.uint64_t, into, schema unsafe.Pointer) C.int32_t {
	batch, ok := batches.get(uint64(records))
	if !ok {
		return -1
	}
	cdata.ExportArrowRecordBatch(batch, (*cdata.CArrowArray)(into), (*cdata.CArrowSchema)(schema))
	return 0
}

// rdfgpu_stream makes a struct ArrowArrayStream of batches, one at least; rdfgpu_free_stream frees it. It returns NULL where one of
// them is not there.
//
//export rdfgpu_stream
func rdfgpu_stream(records *C.uint64_t, n C.uint64_t) unsafe.Pointer {
	var list []arrow.RecordBatch
	for _, number := range unsafe.Slice(records, int(n)) {
		batch, ok := batches.get(uint64(number))
		if !ok {
			return nil
		}
		list = append(list, batch)
	}
	if len(list) == 0 {
		return nil
	}
	reader, err := array.NewRecordReader(list[0].Schema(), list)
	if err != nil {
		return nil
	}
	defer reader.Release()
	stream := (*cdata.CArrowArrayStream)(C.calloc(1, C.size_t(unsafe.Sizeof(cdata.CArrowArrayStream{}))))
	cdata.ExportRecordReader(reader, stream)
	return unsafe.Pointer(stream)
}

// rdfgpu_free_stream frees a stream, and releases it unless whoever took it has.
//
//export rdfgpu_free_stream
func rdfgpu_free_stream(stream unsafe.Pointer) {
	if stream != nil {
		cdata.ReleaseCArrowArrayStream((*cdata.CArrowArrayStream)(stream))
		C.free(stream)
	}
}

// rdfgpu_forget gives a batch back; what was exported of it stays.
//
//export rdfgpu_forget
func rdfgpu_forget(records C.uint64_t) {
	if batch, ok := batches.take(uint64(records)); ok {
		batch.Release()
	}
}

// rdfgpu_allocated is how many bytes batches take.
//
//export rdfgpu_allocated
func rdfgpu_allocated() C.uint64_t { return C.uint64_t(allocator.AllocatedBytes()) }

func main() {}
