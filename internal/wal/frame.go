package wal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zeebo/xxh3"
)

// The format is that of docs/STORE.md, "The log". Everything is little-endian.
const (
	magic   = "rdfgpu\x1aL"
	version = 1
	// headerBytes is where frames begin: the header has a block of the disk for itself, which is written once.
	headerBytes = 4096
	// headerUsed is how much of that block is used.
	headerUsed = 64
	// frameBytes is the head of a frame.
	frameBytes = 32
	// alignment is what frames begin at multiples of.
	alignment = 8
)

// kind tells frames apart.
type kind uint8

const (
	// recordFrame has the payload of a record.
	recordFrame kind = iota + 1
	// markFrame says what was durable when nothing more was appended; the next frame is written over it.
	markFrame
	// endFrame says that the log goes on in another file.
	endFrame
)

// fileHeader is what a file says of itself.
type fileHeader struct {
	identity uint64 // of the log
	// seed is the file's own random number, with which its frames are hashed: what an older file left on the disk is no frame.
	seed     uint64
	first    uint64 // the sequence of the file's first record
	previous uint64 // that of the file before, 0 where there was none
}

// random is a number that is not 0.
func random() uint64 { return 1 + rand.Uint64N(math.MaxUint64) }

func (h *fileHeader) encode() []byte {
	b := make([]byte, headerBytes)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], headerBytes)
	binary.LittleEndian.PutUint64(b[16:], h.identity)
	binary.LittleEndian.PutUint64(b[24:], h.seed)
	binary.LittleEndian.PutUint64(b[32:], h.first)
	binary.LittleEndian.PutUint64(b[40:], h.previous)
	binary.LittleEndian.PutUint64(b[56:], xxh3.Hash(b[:56]))
	return b
}

// decodeHeader reads the first bytes of a file.
func decodeHeader(name string, b []byte) (h fileHeader, err error) {
	if len(b) < headerUsed || string(b[:8]) != magic {
		return h, damaged(name, 0, "no header of a log")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return h, fmt.Errorf("wal: %s: %w: %d, this program reads %d", name, ErrVersion, v, version)
	}
	if binary.LittleEndian.Uint64(b[56:]) != xxh3.Hash(b[:56]) || binary.LittleEndian.Uint32(b[12:]) != headerBytes {
		return h, damaged(name, 0, "the checksum of the header does not match")
	}
	return fileHeader{
		identity: binary.LittleEndian.Uint64(b[16:]), seed: binary.LittleEndian.Uint64(b[24:]),
		first: binary.LittleEndian.Uint64(b[32:]), previous: binary.LittleEndian.Uint64(b[40:]),
	}, nil
}

// frame is one frame of a file.
type frame struct {
	kind     kind
	sequence uint64 // of a record; the last record's for other kinds
	synced   uint64 // what was durable when the frame was written
	payload  []byte
}

// frameSize is the length of a frame whose payload has n bytes.
func frameSize(n int) int64 {
	return frameBytes + (int64(n)+alignment-1)/alignment*alignment
}

// appendFrame appends a frame of a file with that seed.
func appendFrame(dst []byte, seed uint64, f frame) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, frameBytes)...)
	dst = append(dst, f.payload...)
	dst = append(dst, make([]byte, frameSize(len(f.payload))-frameBytes-int64(len(f.payload)))...)
	b := dst[start:]
	binary.LittleEndian.PutUint32(b[8:], uint32(len(f.payload)))
	binary.LittleEndian.PutUint32(b[12:], stamp(f.kind, seed))
	binary.LittleEndian.PutUint64(b[16:], f.sequence)
	binary.LittleEndian.PutUint64(b[24:], f.synced)
	binary.LittleEndian.PutUint64(b, xxh3.HashSeed(b[8:], seed))
	return dst
}

// stamp is the word by which a frame is known before it is hashed. Nobody who writes payloads can guess it.
func stamp(k kind, seed uint64) uint32 { return uint32(k)<<24 | uint32(seed)&0xffffff }

// decodeHead reads the head of a frame; ok is false for bytes that begin none of this file. length is that of its payload.
func decodeHead(b []byte, seed uint64) (f frame, length int, ok bool) {
	word := binary.LittleEndian.Uint32(b[12:])
	f = frame{kind: kind(word >> 24), sequence: binary.LittleEndian.Uint64(b[16:]), synced: binary.LittleEndian.Uint64(b[24:])}
	length = int(binary.LittleEndian.Uint32(b[8:]))
	ok = word == stamp(f.kind, seed) && f.kind >= recordFrame && f.kind <= endFrame && length <= MaxPayload &&
		(f.kind == recordFrame || length == 0)
	return f, length, ok
}

// whole reports whether a frame's bytes are those that were written.
func whole(b []byte, seed uint64) bool {
	return binary.LittleEndian.Uint64(b) == xxh3.HashSeed(b[8:], seed)
}

// isZero reports whether bytes are all 0.
func isZero(b []byte) bool {
	for len(b) > len(zeros) {
		if !bytes.Equal(b[:len(zeros)], zeros[:]) {
			return false
		}
		b = b[len(zeros):]
	}
	return bytes.Equal(b, zeros[:len(b)])
}

var zeros [4096]byte
