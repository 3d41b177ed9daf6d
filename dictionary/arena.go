package dictionary

import (
	"encoding/binary"
	"slices"
)

// An arena holds the terms of a tail. The record of a term lies in a chunk of bytes, which are written once and never
// move:
//
//	twice the length of the key, plus 1 where the term needs escapes in N-Triples (unsigned varint)
//	the key
//	16 bytes   of a literal of a datatype with values: payload and meta of its value (packValue), zeros where it is ill-formed
//
// Its place is 64 bits in a page, the number of the chunk above the offset in it. A copy of an arena goes on holding the
// terms that it held when it was copied, while the original grows.
type arena struct {
	pages  []*page
	chunks [][]byte
	values valueRuns
}

const (
	pageBits  = 10
	pageTerms = 1 << pageBits

	// firstChunk is the size of an arena's first chunk. The following ones are twice as large each, up to largestChunk, which
	// is also what one term may keep in memory that is held longer than the tail.
	firstChunk     = 4 << 10
	chunkDoublings = 6
	largestChunk   = firstChunk << chunkDoublings

	valueBytes = 16
)

// page holds the places of pageTerms terms.
type page [pageTerms]uint64

// record is the key of term n, the bytes behind it, and whether the term needs escapes in N-Triples.
func (a *arena) record(n ID) (key, rest []byte, escapes bool) {
	place := a.pages[n>>pageBits][n&(pageTerms-1)]
	record := a.chunks[place>>32][uint32(place):]
	size, head := binary.Uvarint(record)
	end := head + int(size>>1)
	return record[head:end:end], record[end:], size&1 != 0
}

func (a *arena) key(n ID) []byte {
	key, _, _ := a.record(n)
	return key
}

// value is the value of term n.
func (a *arena) value(n ID) Value {
	key, value, _ := a.record(n)
	switch key[0] {
	case keyString:
		return Value{Kind: String, Zone: NoZone}
	case keyLang:
		return Value{Kind: LangString, Zone: NoZone}
	case keyOther:
		return Value{Kind: OtherLiteral, Zone: NoZone}
	case keyKnown:
		v, whole := unpackValue(binary.LittleEndian.Uint64(value), binary.LittleEndian.Uint64(value[8:]))
		switch {
		case !whole:
			return parseLexical(v.Datatype, key[2:])
		case v.Kind == NoValue:
			return Value{Kind: OtherLiteral, Datatype: Datatype(key[1] - codeBase), Zone: NoZone}
		}
		return v
	}
	return Value{Zone: NoZone}
}

// arenaWriter adds terms to an arena.
type arenaWriter struct {
	arena
	count   ID
	current int    // the chunk that is being filled
	free    []byte // what is left of it
	bytes   int64  // of memory, with what the tail has beside the arena
}

// add adds a term; grown says that there is a page or a chunk more, which copies of the arena do not have.
func (w *arenaWriter) add(key []byte, p *parts) (grown bool) {
	var head [binary.MaxVarintLen64]byte
	length := binary.PutUvarint(head[:], uint64(len(key))<<1|p.escapes())
	size := length + len(key)
	if p.mark == keyKnown {
		size += valueBytes
	}
	if w.count&(pageTerms-1) == 0 {
		w.sortValues()
	}
	place, record, grown := w.room(size)
	copy(record, head[:length])
	copy(record[length:], key)
	if p.mark == keyKnown {
		putValue(record[size-valueBytes:], p)
	}
	if w.count&(pageTerms-1) == 0 {
		w.pages, grown = append(w.pages, new(page)), true
		w.bytes += 8 * pageTerms
	}
	w.pages[w.count>>pageBits][w.count&(pageTerms-1)] = place
	w.count++
	return grown
}

// putValue writes the value of a literal of a datatype with values.
func putValue(dst []byte, p *parts) {
	v := parseLexical(p.datatype, p.text)
	if v.Kind == OtherLiteral {
		return
	}
	payload, meta := packValue(&v)
	binary.LittleEndian.PutUint64(dst, payload)
	binary.LittleEndian.PutUint64(dst[8:], meta)
}

// room finds zeros for a record. One that would leave much of a chunk unused gets a chunk of its own.
func (w *arenaWriter) room(size int) (place uint64, record []byte, grown bool) {
	if size > len(w.free) {
		number, next := len(w.chunks), largestChunk
		if number < chunkDoublings {
			next = firstChunk << number
		}
		own := size > next/8
		if own {
			next = size
		}
		chunk := make([]byte, next)
		w.chunks = append(w.chunks, chunk)
		w.bytes += int64(next)
		if own {
			return uint64(number) << 32, chunk, true
		}
		w.current, w.free, grown = number, chunk, true
	}
	used := len(w.chunks[w.current]) - len(w.free)
	record, w.free = w.free[:size], w.free[size:]
	return uint64(w.current)<<32 | uint64(used), record, grown
}

// copied is the arena as it is now.
func (w *arenaWriter) copied() *arena {
	return &arena{slices.Clip(w.pages), slices.Clip(w.chunks), w.values}
}
