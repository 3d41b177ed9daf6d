package machine

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Map maps the first size bytes of a file, to be read; the file may be closed. Unmap ends that. A file that is mapped cannot be
// removed.
func Map(file *os.File, size int) ([]byte, error) {
	section, err := windows.CreateFileMapping(windows.Handle(file.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer windows.CloseHandle(section) // the view keeps it
	at, err := windows.MapViewOfFile(section, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	return bytesAt(at, size), nil
}

// bytesAt is memory that the system gave, which Go's collector knows nothing of.
func bytesAt(address uintptr, size int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size)
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// Unmap ends a mapping of Map; nothing may read it any more.
func Unmap(mapped []byte) error {
	return os.NewSyscallError("UnmapViewOfFile", windows.UnmapViewOfFile(addressOf(mapped)))
}

// WillNeed would ask the system to read a mapping ahead; the system does so by itself.
func WillNeed([]byte) {}

// Allocate is memory outside the heap of Go, zero and a multiple of a page; Release gives it back at once.
func Allocate(size int) ([]byte, error) {
	at, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, os.NewSyscallError("VirtualAlloc", err)
	}
	return bytesAt(at, size), nil
}

// Release gives memory of Allocate back.
func Release(b []byte) error {
	return os.NewSyscallError("VirtualFree", windows.VirtualFree(addressOf(b), 0, windows.MEM_RELEASE))
}

// OpenMovable is os.OpenFile (of the flags O_RDONLY or O_RDWR, O_CREATE and O_TRUNC) for a file that may be renamed and removed while
// it is open.
func OpenMovable(path string, flags int) (*os.File, error) {
	access, disposition := uint32(windows.GENERIC_READ), uint32(windows.OPEN_EXISTING)
	if flags&os.O_RDWR != 0 {
		access |= windows.GENERIC_WRITE
	}
	switch flags & (os.O_CREATE | os.O_TRUNC) {
	case os.O_CREATE | os.O_TRUNC:
		disposition = windows.CREATE_ALWAYS
	case os.O_CREATE:
		disposition = windows.OPEN_ALWAYS
	case os.O_TRUNC:
		disposition = windows.TRUNCATE_EXISTING
	}
	return create(path, access, disposition, windows.FILE_ATTRIBUTE_NORMAL)
}

// create opens a file, which others may read, write, rename and remove meanwhile.
func create(path string, access, disposition, attributes uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	const sharing = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, access, sharing, nil, disposition, attributes, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// NamelessFile makes a temporary file in a folder ("" is the system's), of which nothing is left however the process ends: the system
// removes it when it is closed.
func NamelessFile(folder string) (*os.File, error) {
	if folder == "" {
		folder = os.TempDir()
	}
	path := filepath.Join(folder, "rdfgpu-"+rand.Text()+".tmp")
	return create(path, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.CREATE_NEW,
		windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE)
}

// SyncFolder does nothing: folders cannot be synced, and renaming is in the file system's own log.
func SyncFolder(string) error { return nil }

// DiskFull reports an error of a file for which there was no room.
func DiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
