// Package section is the container format of every binary file of a store: a header, named sections that start at
// multiples of 64 bytes and are little-endian, and a table of the sections with their checksums.
//
// Nouns: [Writer] (sections written one after the other, to a file or to memory), [File] (a finished file, mapped or,
// when it is small, in memory; read-only, shared by any number of goroutines).
//
// A File checks its header and table when it is opened, which costs the same for any size. Everything else has a
// checksum for each 16 KiB: [Check] compares those of what is about to be read the first time that this process reads
// it, [File.CheckAll] those of what nobody has read yet, [File.Verify] all. Check panics; [Guard], at the edge of
// what reads files, makes an error of that, and of a mapped file that was cut while it was open.
//
// The views that a File hands out ([File.Bytes], [File.Uint32s] …) are the mapped memory itself: never written to,
// valid until [File.Close], and as long as the file is not changed in place (nothing in a store ever is).
//
// The package knows nothing of what the sections mean; it never repairs a file.
//
// # Format
//
//	offset  bytes  header
//	0       8      magic "rdfgpu\x1a" and the version of the container, 2
//	8       8      kind, ASCII, padded with zeros
//	16      4      version of the kind
//	20      4      number of sections
//	24      8      size of the file
//	32      8      offset of the table
//	40      8      XXH3 of the section "sums" and the padding after it
//	48      8      XXH3 of the table
//	56      8      XXH3 of bytes 0 … 55
//
// The table is the last thing in the file; 40 bytes a section: name (24 bytes, ASCII, padded with zeros), offset and
// length (8 bytes each). The section before it is "sums": the XXH3 of each 16 KiB of the file, up to its own start; the
// first leaves the header out, the last may be shorter. The header is written last: a file that was not finished has
// no magic.
package section
