package machine

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of the Windows API.
type memoryStatus struct {
	length, load                                                                          uint32
	totalPhysical, freePhysical, totalPage, freePage, totalVirtual, freeVirtual, extended uint64
}

// Memory is the memory of the machine in bytes; 0 when it cannot be told.
var Memory = sync.OnceValue(func() int64 {
	var status memoryStatus
	status.length = uint32(unsafe.Sizeof(status))
	ask := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if ok, _, _ := ask.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return int64(status.totalPhysical)
})

// FreeDisk is how many bytes this process may still write where dir lies; 0 when it cannot be told.
func FreeDisk(dir string) int64 {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return 0
	}
	return int64(free)
}
