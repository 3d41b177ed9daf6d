// Package section is the container format of every binary file of a store: a header, named sections that start at
// multiples of 64 bytes and are little-endian, and a table of the sections with their checksums.
//
// Nouns: [Writer] (sections written one after the other, to a file or to memory), [File] (a finished file, mapped or,
// when it is small, in memory; read-only, shared by any number of goroutines).
//
// A File checks its header and table when it is opened, which costs the same for any size; [File.Verify] reads the
// whole file and compares every checksum. The views that a File hands out ([File.Bytes], [File.Uint32s] …) are the
// mapped memory itself: never written to, valid until [File.Close], and as long as the file is not changed in place
// (nothing in a store ever is).
//
// The package knows nothing of what the sections mean; it never repairs a file.
//
// # Format
//
//	offset  bytes  header
//	0       8      magic "rdfgpu\x1a\n"
//	8       8      kind, ASCII, padded with zeros
//	16      4      version of the kind
//	20      4      number of sections
//	24      8      size of the file
//	32      8      offset of the table
//	40      8      length of the table
//	48      8      XXH3 of the table
//	56      8      XXH3 of bytes 0 … 55
//
// The table is the last thing in the file; 48 bytes a section: name (24 bytes, ASCII, padded with zeros), offset,
// length and XXH3 of the section (8 bytes each). The header is written last: a file that was not finished has no magic.
package section
