package section

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Alignment is the multiple of bytes at which every section starts.
const Alignment = 64

const (
	magic       = "rdfgpu\x1a\x02" // the last byte is the version of the container
	headerBytes = 64
	entryBytes  = 40
	nameBytes   = 24
	kindBytes   = 8
	maxSections = 1 << 16

	// sumsName is the section of the checksums, the last one; nobody else may use the name.
	sumsName = "sums"
)

var (
	// ErrDamaged says that a file is not what was written: cut, changed, or of another kind.
	ErrDamaged = errors.New("damaged file")
	// ErrVersion says that a file has a format version that this program does not read.
	ErrVersion = errors.New("unsupported format version")
)

// entry is one row of the section table.
type entry struct {
	name           string
	offset, length uint64
}

func (e *entry) end() uint64 { return e.offset + e.length }

// header is the part of the header that varies.
type header struct {
	kind        string
	version     uint32
	sections    uint32
	size        uint64
	tableOffset uint64
	sumsSum     uint64 // of the bytes from the section of sums up to the table
	tableSum    uint64
}

func (h *header) encode() []byte {
	b := make([]byte, headerBytes)
	copy(b, magic)
	copy(b[8:16], h.kind)
	binary.LittleEndian.PutUint32(b[16:], h.version)
	binary.LittleEndian.PutUint32(b[20:], h.sections)
	binary.LittleEndian.PutUint64(b[24:], h.size)
	binary.LittleEndian.PutUint64(b[32:], h.tableOffset)
	binary.LittleEndian.PutUint64(b[40:], h.sumsSum)
	binary.LittleEndian.PutUint64(b[48:], h.tableSum)
	binary.LittleEndian.PutUint64(b[56:], checksum(b[:56]))
	return b
}

func decodeHeader(b []byte) (header, error) {
	if len(b) < headerBytes || string(b[:7]) != magic[:7] {
		return header{}, fmt.Errorf("%w: no header: the file was not finished or is not a store file", ErrDamaged)
	}
	if binary.LittleEndian.Uint64(b[56:]) != checksum(b[:56]) {
		return header{}, fmt.Errorf("%w: the checksum of the header does not match", ErrDamaged)
	}
	if b[7] != magic[7] {
		return header{}, fmt.Errorf("%w: it was written by another version of the program: load the store again", ErrVersion)
	}
	return header{
		kind:        strings.TrimRight(string(b[8:16]), "\x00"),
		version:     binary.LittleEndian.Uint32(b[16:]),
		sections:    binary.LittleEndian.Uint32(b[20:]),
		size:        binary.LittleEndian.Uint64(b[24:]),
		tableOffset: binary.LittleEndian.Uint64(b[32:]),
		sumsSum:     binary.LittleEndian.Uint64(b[40:]),
		tableSum:    binary.LittleEndian.Uint64(b[48:]),
	}, nil
}

func encodeTable(entries []entry) []byte {
	b := make([]byte, len(entries)*entryBytes)
	for i, e := range entries {
		row := b[i*entryBytes:]
		copy(row[:nameBytes], e.name)
		binary.LittleEndian.PutUint64(row[24:], e.offset)
		binary.LittleEndian.PutUint64(row[32:], e.length)
	}
	return b
}

// decodeTable reads the table of data, whose header is h, and checks that every section lies before the sums, and those
// before the table. The sums are the last entry.
func decodeTable(data []byte, h header) ([]entry, error) {
	size := uint64(len(data))
	switch {
	case h.size != size:
		return nil, fmt.Errorf("it has %d bytes, its header says %d", size, h.size)
	case h.sections == 0 || h.sections > maxSections:
		return nil, fmt.Errorf("it has %d sections", h.sections)
	case h.tableOffset < headerBytes || h.tableOffset > size || size-h.tableOffset != uint64(h.sections)*entryBytes:
		return nil, errors.New("the section table lies outside the file")
	}
	table := data[h.tableOffset:]
	if checksum(table) != h.tableSum {
		return nil, errors.New("the checksum of the section table does not match")
	}
	entries := make([]entry, h.sections)
	for i := range entries {
		row := table[i*entryBytes:]
		e := entry{
			name:   strings.TrimRight(string(row[:nameBytes]), "\x00"),
			offset: binary.LittleEndian.Uint64(row[24:]),
			length: binary.LittleEndian.Uint64(row[32:]),
		}
		if e.offset%Alignment != 0 || e.offset < headerBytes || e.offset > h.tableOffset || e.length > h.tableOffset-e.offset {
			return nil, fmt.Errorf("section %q lies outside the file", e.name)
		}
		entries[i] = e
	}
	sums := entries[len(entries)-1]
	if sums.name != sumsName || sums.length != 8*chunksBelow(sums.offset) {
		return nil, errors.New("it does not end in the sums of its bytes")
	}
	for _, e := range entries[:len(entries)-1] {
		if e.end() > sums.offset {
			return nil, fmt.Errorf("section %q has no sums", e.name)
		}
	}
	return entries, nil
}
