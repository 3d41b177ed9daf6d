//go:build !linux && !windows

package machine

// Memory is the memory of the machine in bytes; 0 when it cannot be told.
func Memory() int64 { return 0 }

// FreeDisk is how many bytes this process may still write where dir lies; 0 when it cannot be told.
func FreeDisk(string) int64 { return 0 }
