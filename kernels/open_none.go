//go:build !cuda

package kernels

import "fmt"

// Built reports whether this binary was built with CUDA.
const Built = false

// Open opens GPU number ordinal. This binary was built without CUDA: it always fails with ErrNoDevice.
func Open(ordinal int) (Driver, error) {
	return nil, fmt.Errorf("kernels: this binary was built without CUDA (make build-gpu builds one with it): %w", ErrNoDevice)
}
