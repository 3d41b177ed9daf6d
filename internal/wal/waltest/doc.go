// Package waltest has a folder for logs that tests can break.
//
// Nouns: [Disk] (files in memory, of which only what was synced survives a crash; any operation can be made to fail).
//
// # The model
//
// A file has bytes as programs see them and bytes as they lie on the disk. [Disk.Crash] makes the second of them the first
// again, after it has written some of what differs: each block of 512 bytes or of 4 KiB, each change of a file's length and
// each change of the folder may or may not have reached the disk, in any order. A failed sync leaves some blocks
// unwritten and forgets that they are: a second sync, which succeeds, does not write them either, as in Linux.
package waltest
