//go:build !linux

package machine

// Memory is the memory of the machine in bytes; 0 when it cannot be told.
func Memory() int64 { return 0 }
