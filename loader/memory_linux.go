package loader

import "golang.org/x/sys/unix"

func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) } // a hint

// discard gives the memory of a mapping back; it is there still, and zero.
func discard(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) } // a hint
