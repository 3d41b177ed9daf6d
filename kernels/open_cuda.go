//go:build cuda

package kernels

import (
	_ "embed" // the machine code
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"
)

//go:embed match.fatbin
var matchCode string

//go:embed branches.fatbin
var branchesCode string

//go:embed paged.fatbin
var pagedCode string

//go:embed weigh.fatbin
var weighCode string

//go:embed filter.fatbin
var filterCode string

//go:embed patch.fatbin
var patchCode string

//go:embed combine.fatbin
var combineCode string

//go:embed sum.fatbin
var sumCode string

//go:embed top.fatbin
var topCode string

//go:embed sift.fatbin
var siftCode string

//go:embed core.fatbin
var coreCode string

//go:embed dense.fatbin
var denseCode string

//go:embed far.fatbin
var farCode string

//go:embed dense_away.fatbin
var denseAwayCode string

//go:embed far_away.fatbin
var farAwayCode string

//go:embed outer.fatbin
var outerCode string

//go:embed squares.fatbin
var squaresCode string

//go:embed triangles.fatbin
var trianglesCode string

//go:embed closure.fatbin
var closureCode string

// device is a GPU behind the CUDA driver. All streams share one context.
type device struct {
	name       string
	capability int
	processors int
	context    cu.CUContext
	functions  [kernelCount]cu.Function
}

// Built reports whether this binary was built with CUDA.
const Built = true

// Open opens GPU number ordinal and loads the kernels. The error wraps ErrNoDevice and says what is missing.
func Open(ordinal int) (Driver, error) {
	switch state := driverState(); {
	case state == -1:
		return nil, fmt.Errorf("kernels: the NVIDIA driver library (libcuda.so.1) is not installed: %w", ErrNoDevice)
	case state != 0:
		return nil, fmt.Errorf("kernels: the NVIDIA driver does not start (%s): %w", errorName(state), ErrNoDevice)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	n, err := cu.NumDevices()
	if err != nil || n <= ordinal {
		return nil, fmt.Errorf("kernels: GPU %d is not there (%d found, %v): %w", ordinal, n, err, ErrNoDevice)
	}
	d := &device{}
	if err := d.open(ordinal); err != nil {
		return nil, fmt.Errorf("kernels: GPU %d cannot be used: %v: %w", ordinal, err, ErrNoDevice)
	}
	return d, nil
}

func (d *device) open(ordinal int) error {
	gpu, err := cu.GetDevice(ordinal)
	if err != nil {
		return err
	}
	if d.name, err = gpu.Name(); err != nil {
		return err
	}
	major, err := gpu.Attribute(cu.ComputeCapabilityMajor)
	if err != nil {
		return err
	}
	minor, err := gpu.Attribute(cu.ComputeCapabilityMinor)
	if err != nil {
		return err
	}
	d.capability = major*10 + minor
	if d.processors, err = gpu.Attribute(cu.MultiprocessorCount); err != nil {
		return err
	}
	if d.capability < 70 {
		return fmt.Errorf("%s has compute capability %d.%d, 7.0 is needed", d.name, major, minor)
	}
	if d.context, err = gpu.MakeContext(cu.SchedAuto); err != nil {
		return err
	}
	return d.load()
}

func (d *device) load() error {
	for code, kernels := range map[*string][]Kernel{
		&matchCode: {Match, BoundPhase, ExtendPhase}, &branchesCode: {MatchBranches, ExtendBranches}, &pagedCode: {MatchPaged, BoundPaged, ExtendPaged, CountPages, CountPortions, OrderRows},
		&weighCode: {WeighLists}, &filterCode: {Filter, Mark},
		&patchCode:   {RowVertices, PatchPlaces, PatchLists, PatchRows, IndexBitmap, IndexHash},
		&combineCode: {CombineRows, MoveGroups, ListGroups},
		&sumCode:     {SumRows, MoveSums, ListSums},
		&topCode:     {TopCount, TopSelect, TopWords},
		&siftCode:    {SiftRows, SiftWords},
		&coreCode:    {CoreCount, CoreScan, CoreFill},
		&denseCode:   byLevels(CountDense), &denseAwayCode: byLevels(CountDenseAway), &farCode: byLevels(CountFar), &farAwayCode: byLevels(CountFarAway),
		&outerCode:   {CountOuter},
		&squaresCode: {SquareFill, SquareCount}, &trianglesCode: {TriangleFill, TriangleWalks, TriangleCount},
		&closureCode: {ClosureOne, ClosureMany},
	} {
		module, err := cu.LoadData(*code)
		if err != nil {
			return fmt.Errorf("loading the kernels (the driver may be too old for CUDA 11.8): %w", err)
		}
		for _, k := range kernels {
			if d.functions[k], err = module.Function(k.String()); err != nil {
				return err
			}
		}
	}
	for _, k := range []Kernel{Match, MatchBranches, MatchPaged} {
		if err := allowShared(d.functions[k], maxShared); err != nil {
			return err
		}
	}
	return nil
}

// byLevels are the kernels of one sort, for 1 to MostLevels levels.
func byLevels(first Kernel) (all []Kernel) {
	for k := range Kernel(MostLevels) {
		all = append(all, first+k)
	}
	return all
}

// maxShared bounds the dynamic shared memory of a launch: one Level (32 bytes) for every step.
const maxShared = 64 << 10

func (d *device) Name() string           { return d.name }
func (d *device) ComputeCapability() int { return d.capability }
func (d *device) Multiprocessors() int   { return d.processors }

func (d *device) Memory() (free, total int64, err error) { return cu.MemInfo() }

func (d *device) ResidentBlocks(k Kernel, sharedBytes int) (int, error) {
	n, err := d.functions[k].MaxActiveBlocksPerMultiProcessor(Block, int64(sharedBytes))
	return n * d.processors, err
}

func (d *device) Alloc(bytes int64) (Address, error) {
	p, err := cu.MemAlloc(max(bytes, 1))
	return Address(p), d.wrap("allocate", err)
}

func (d *device) Free(a Address) error { return d.wrap("free", cu.MemFree(cu.DevicePtr(a))) }

func (d *device) AllocHost(bytes int64) (*HostMemory, error) {
	host, at, err := allocPinned(bytes)
	if err != nil {
		return nil, fmt.Errorf("kernels: allocate pinned memory: %w", err)
	}
	return &HostMemory{Data: unsafe.Slice((*byte)(host), bytes), Device: at}, nil
}

func (d *device) FreeHost(m *HostMemory) error {
	return d.wrap("free pinned memory", cu.MemFreeHost(unsafe.Pointer(&m.Data[0])))
}

func (d *device) NewStream() (Stream, error) {
	s, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return nil, d.wrap("make a stream", err)
	}
	return &stream{d: d, s: s}, nil
}

func (d *device) Enter() (func(), error) {
	runtime.LockOSThread()
	if err := cu.SetCurrentContext(d.context); err != nil {
		runtime.UnlockOSThread()
		return nil, d.wrap("enter", err)
	}
	return runtime.UnlockOSThread, nil
}

// Close does not destroy the context: other goroutines may still be inside a call.
func (d *device) Close() error { return nil }

// wrap adds what failed, and the meaning of the driver's code, to an error of package cu.
func (d *device) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int { // package cu keeps the type of its codes to itself
		if known := check(int(v.Int())); known != nil {
			err = known
		}
	}
	return fmt.Errorf("kernels: %s: %w", what, err)
}

type stream struct {
	d *device
	s cu.Stream
}

func (s *stream) Upload(dst Address, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return s.d.wrap("upload", cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(&src[0]), int64(len(src)), s.s))
}

func (s *stream) Download(dst []byte, src Address) error {
	if len(dst) == 0 {
		return nil
	}
	return s.d.wrap("download", cu.MemcpyDtoHAsync(unsafe.Pointer(&dst[0]), cu.DevicePtr(src), int64(len(dst)), s.s))
}

func (s *stream) Zero(dst Address, bytes int64) error {
	return s.d.wrap("clear", cu.MemsetD8Async(cu.DevicePtr(dst), 0, bytes, s.s))
}

func (s *stream) Launch(k Kernel, blocks, sharedBytes int, args ...uint64) error {
	if err := launchCooperative(s.d.functions[k], blocks, sharedBytes, s.s, args); err != nil {
		return fmt.Errorf("kernels: launch %s: %w", k, err)
	}
	return nil
}

func (s *stream) Synchronize() error {
	if err := streamSynchronize(s.s); err != nil {
		return fmt.Errorf("kernels: synchronize: %w", err)
	}
	return nil
}

func (s *stream) Close() error { return s.d.wrap("close a stream", s.s.Destroy()) }
