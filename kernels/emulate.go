package kernels

import (
	"fmt"
	"sync"
)

// Emulation is a Driver without a GPU: device memory is ordinary memory, and a launch runs the kernels' Go twins at once.
// Tests of host logic use it; every access is checked.
type Emulation struct {
	memory memory
	sizes  sync.Map // Address → int64
	// Blocks is what ResidentBlocks answers.
	Blocks int
	// Fail, when not nil, may refuse a call ("alloc", "upload", "download", "launch", "synchronize") with an error.
	Fail func(call string) error
}

// Emulate returns an emulated device with so many bytes of memory.
func Emulate(memoryBytes int64) *Emulation {
	return &Emulation{memory: memory{limit: memoryBytes}, Blocks: 4}
}

func (e *Emulation) fail(call string) error {
	if e.Fail == nil {
		return nil
	}
	return e.Fail(call)
}

// Name implements Driver.
func (e *Emulation) Name() string { return "emulated" }

// ComputeCapability implements Driver.
func (e *Emulation) ComputeCapability() int { return 0 }

// Multiprocessors implements Driver.
func (e *Emulation) Multiprocessors() int { return e.Blocks }

// Memory implements Driver.
func (e *Emulation) Memory() (free, total int64, err error) {
	e.memory.mu.Lock()
	defer e.memory.mu.Unlock()
	return e.memory.limit - e.memory.used, e.memory.limit, nil
}

// ResidentBlocks implements Driver.
func (e *Emulation) ResidentBlocks(Kernel, int) (int, error) { return e.Blocks, nil }

// Alloc implements Driver.
func (e *Emulation) Alloc(bytes int64) (Address, error) {
	if err := e.fail("alloc"); err != nil {
		return 0, err
	}
	a, err := e.memory.alloc(bytes)
	if err == nil {
		e.sizes.Store(a, bytes)
	}
	return a, err
}

// Free implements Driver.
func (e *Emulation) Free(a Address) error {
	bytes, ok := e.sizes.LoadAndDelete(a)
	if !ok {
		return fmt.Errorf("kernels: %x was not allocated, or freed before", a)
	}
	e.memory.free(a, bytes.(int64))
	return nil
}

// AllocHost implements Driver.
func (e *Emulation) AllocHost(bytes int64) (*HostMemory, error) {
	a, err := e.memory.alloc(bytes)
	if err != nil {
		return nil, err
	}
	e.sizes.Store(a, bytes)
	return &HostMemory{Data: e.memory.bytes(a, bytes), Device: a}, nil
}

// FreeHost implements Driver.
func (e *Emulation) FreeHost(m *HostMemory) error { return e.Free(m.Device) }

// NewStream implements Driver.
func (e *Emulation) NewStream() (Stream, error) { return &emulatedStream{e}, nil }

// Enter implements Driver.
func (e *Emulation) Enter() (func(), error) { return func() {}, nil }

// Close implements Driver.
func (e *Emulation) Close() error { return nil }

type emulatedStream struct{ e *Emulation }

func (s *emulatedStream) Upload(dst Address, src []byte) error {
	if err := s.e.fail("upload"); err != nil {
		return err
	}
	copy(s.e.memory.bytes(dst, int64(len(src))), src)
	return nil
}

func (s *emulatedStream) Download(dst []byte, src Address) error {
	if err := s.e.fail("download"); err != nil {
		return err
	}
	copy(dst, s.e.memory.bytes(src, int64(len(dst))))
	return nil
}

func (s *emulatedStream) Zero(dst Address, bytes int64) error {
	clear(s.e.memory.bytes(dst, bytes))
	return nil
}

func (s *emulatedStream) Launch(k Kernel, blocks, _ int, args ...uint64) error {
	if err := s.e.fail("launch"); err != nil {
		return err
	}
	t := &twin{memory: &s.e.memory, blocks: uint64(blocks)}
	if k >= CountDense && k < SquareFill {
		t.open(args[0])
		t.countPieces((k-CountDense)/MostLevels, in[Dense](t.memory, args[1], 0))
		return nil
	}
	switch k {
	case Match, MatchBranches:
		t.open(args[0])
		t.match()
	case MatchPaged:
		t.paged = true
		t.open(args[0])
		t.match()
	case BoundPhase, BoundPaged:
		t.paged = k == BoundPaged
		t.open(args[0])
		t.boundPhase(int(args[1]), args[2], args[4])
	case CountPages, CountPortions, OrderRows:
		t.paged = true
		t.open(args[0])
		t.group(k, in[Step](t.memory, t.p.Steps, args[1]), args[2], in[Grouping](t.memory, args[3], 0))
	case ExtendPhase, ExtendBranches, ExtendPaged:
		t.paged = k == ExtendPaged
		t.open(args[0])
		t.extendPhase(int(args[1]), args[2], args[3], args[4])
	case WeighLists:
		t.open(args[0])
		t.weighLists(in[Weighing](t.memory, args[1], 0))
	case Filter:
		t.filter(args)
	case Mark:
		t.mark(args[0], args[1], args[2])
	case RowVertices:
		t.rowVertices(args[0], args[1], args[2], args[3], args[4])
	case PatchPlaces, PatchLists, PatchRows, IndexBitmap, IndexHash:
		t.patch(k, in[Patch](&s.e.memory, args[0], 0))
	case CombineRows:
		t.combineRows(in[Combining](t.memory, args[0], 0))
	case MoveGroups:
		t.moveGroups(in[Combining](t.memory, args[0], 0), args[1], args[2])
	case ListGroups:
		t.listGroups(in[Listing](t.memory, args[0], 0))
	case SumRows:
		t.sumRows(in[Summing](t.memory, args[0], 0))
	case MoveSums:
		t.moveSums(in[Summing](t.memory, args[0], 0), args[1], args[2])
	case ListSums:
		t.listSums(in[SumListing](t.memory, args[0], 0))
	case TopCount:
		t.topCount(in[Top](t.memory, args[0], 0))
	case TopSelect:
		t.topSelect(in[Top](t.memory, args[0], 0))
	case TopWords:
		t.topWords(args[0], args[1], args[2])
	case SiftRows, SiftWords:
		t.siftRows(in[Sifting](t.memory, args[0], 0))
	case CoreCount, CoreScan, CoreFill:
		t.core(k, in[Core](t.memory, args[0], 0))
	case SquareFill:
		t.squareFill(in[Squares](t.memory, args[0], 0))
	case SquareCount:
		t.open(args[0])
		t.squareCount(in[Squares](t.memory, args[1], 0))
	case TriangleFill, TriangleWalks:
		t.triangleLists(k, in[Triangles](t.memory, args[0], 0))
	case TriangleCount:
		t.open(args[0])
		t.triangleCount(in[Triangles](t.memory, args[1], 0))
	case ClosureOne, ClosureMany:
		t.open(args[0])
		t.closure(k == ClosureMany, in[Closure](t.memory, args[1], 0))
	default:
		return fmt.Errorf("kernels: no kernel %d", k)
	}
	return nil
}

func (s *emulatedStream) Synchronize() error { return s.e.fail("synchronize") }

func (s *emulatedStream) Close() error { return nil }
