//go:build !linux

package loader

func adviseHuge([]byte) {}

// machineMemory is the size of the machine's memory in bytes, 0 when it cannot be told.
func machineMemory() int64 { return 0 }
