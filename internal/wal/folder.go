package wal

import "io"

// Folder is the folder of a log, as far as the log needs one. Names are without a path.
type Folder interface {
	// Names lists the files, in any order.
	Names() ([]string, error)
	// Create makes a file of that name, empty, in the place of one that is there.
	Create(name string) (File, error)
	// Open opens a file for reading, and for writing where write is set.
	Open(name string, write bool) (File, error)
	// Rename gives a file another name, in the place of a file that has it.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// Sync makes durable what Create, Rename and Remove did.
	Sync() error
}

// File is an open file of a log. Reads and writes at different places may run at the same time.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Size is the length in bytes.
	Size() (int64, error)
	// Allocate makes the file at least so long, with zeros, and takes the space on the disk for it.
	Allocate(size int64) error
	// Truncate cuts the file, or makes it longer with zeros that take no space.
	Truncate(size int64) error
	// SyncData makes durable the bytes that were written, and the file's growth, but not that it was cut (fdatasync).
	SyncData() error
	// Sync makes the file durable (fsync).
	Sync() error
}
