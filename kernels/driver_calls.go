//go:build cuda

package kernels

// What gorgonia.org/cu lacks: pinned host memory, cooperative launches, function attributes, the shim's state.

/*
#cgo LDFLAGS: -lcuda -ldl
#include <cuda.h>
int rdfgpu_driver_state(void);

static CUresult launch(CUfunction f, unsigned blocks, unsigned threads, unsigned shared, CUstream s, unsigned long long *args, int n) {
  void *at[8];
  for (int i = 0; i < n && i < 8; i++) at[i] = args + i;
  return cuLaunchCooperativeKernel(f, blocks, 1, 1, threads, 1, 1, shared, s, at);
}
static CUresult streamWait(CUstream s) { return cuStreamSynchronize(s); }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// driverState is what cuInit answered; -1 where there is no driver library.
func driverState() int { return int(C.rdfgpu_driver_state()) }

func functionHandle(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }

func streamHandle(s cu.Stream) C.CUstream { return *(*C.CUstream)(unsafe.Pointer(&s)) }

func launchCooperative(f cu.Function, blocks, sharedBytes int, s cu.Stream, args []uint64) error {
	return check(int(C.launch(functionHandle(f), C.uint(blocks), Block, C.uint(sharedBytes), streamHandle(s),
		(*C.ulonglong)(unsafe.Pointer(&args[0])), C.int(len(args)))))
}

func streamSynchronize(s cu.Stream) error { return check(int(C.streamWait(streamHandle(s)))) }

// allocPinned returns page-locked host memory mapped into the device's address space.
func allocPinned(bytes int64) (unsafe.Pointer, Address, error) {
	var host unsafe.Pointer
	if err := check(int(C.cuMemHostAlloc(&host, C.size_t(bytes), C.CU_MEMHOSTALLOC_DEVICEMAP|C.CU_MEMHOSTALLOC_PORTABLE))); err != nil {
		return nil, 0, err
	}
	var device C.CUdeviceptr
	if err := check(int(C.cuMemHostGetDevicePointer(&device, host, 0))); err != nil {
		C.cuMemFreeHost(host)
		return nil, 0, err
	}
	return host, Address(device), nil
}

// allowShared lets a kernel have more dynamic shared memory than the default 48 KiB.
func allowShared(f cu.Function, bytes int) error {
	return check(int(C.cuFuncSetAttribute(functionHandle(f), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes))))
}

// check turns a driver's answer into an error. Those that leave the context unusable are ErrLost.
func check(code int) error {
	switch {
	case code == 0:
		return nil
	case code == int(C.CUDA_ERROR_OUT_OF_MEMORY):
		return fmt.Errorf("CUDA error %d: %w", code, ErrOutOfMemory)
	case code >= 700 && code < 720 || code == int(C.CUDA_ERROR_UNKNOWN) || code == int(C.CUDA_ERROR_ECC_UNCORRECTABLE) ||
		code == int(C.CUDA_ERROR_CONTEXT_IS_DESTROYED):
		return fmt.Errorf("CUDA error %d (%s): %w", code, errorName(code), ErrLost)
	}
	return fmt.Errorf("CUDA error %d (%s)", code, errorName(code))
}

func errorName(code int) string {
	var name *C.char
	if C.cuGetErrorName(C.CUresult(code), &name) != 0 || name == nil {
		return "unknown"
	}
	return C.GoString(name)
}
