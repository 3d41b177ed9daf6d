package gpu

import (
	"unsafe"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// image is a block of device memory in the making: values are laid down one after the other and have their final
// addresses from the start.
type image struct {
	base  kernels.Address
	words []uint64
}

// put lays down an array and returns its address; 0 for an empty one.
func put[T any](im *image, values []T) kernels.Address {
	if len(values) == 0 {
		return 0
	}
	at := im.reserve(len(values) * int(unsafe.Sizeof(values[0])))
	copy(im.bytes()[at-im.base:], kernels.Bytes(values))
	return at
}

// reserve lays down zeros.
func (im *image) reserve(bytes int) kernels.Address {
	for len(im.words)%2 != 0 { // 16-byte alignment
		im.words = append(im.words, 0)
	}
	at := im.base + kernels.Address(8*len(im.words))
	im.words = append(im.words, make([]uint64, (bytes+7)/8)...)
	return at
}

func (im *image) bytes() []byte { return kernels.Bytes(im.words) }

// program is the Program at the front.
func (im *image) program() *kernels.Program { return (*kernels.Program)(unsafe.Pointer(&im.words[0])) }
