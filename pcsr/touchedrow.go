package pcsr

import "unsafe"

// touchedRow is a row that differs from that of the ground: its neighbours, as a list or, where that or the ground's is
// long, in another way. It has 16 bytes, as changes copy many of them.
type touchedRow struct {
	at    uint32 // how many rows of the ground come before
	shape uint32 // the number of neighbours, and flags
	// data is the first neighbour, or the *longRow.
	data unsafe.Pointer
}

const (
	rowInGround = 1 << 31 // the ground has such a row
	rowIsLong   = 1 << 30 // data is a *longRow, which has the number of neighbours
	rowDegree   = rowIsLong - 1
)

// shortTouched is the row with a list of its own, which may be empty.
func shortTouched(at uint32, inGround bool, list []Vertex) touchedRow {
	t := touchedRow{at: at, shape: uint32(len(list))}
	if len(list) > 0 {
		t.data = unsafe.Pointer(&list[0])
	}
	if inGround {
		t.shape |= rowInGround
	}
	return t
}

func longTouched(at uint32, inGround bool, long *longRow) touchedRow {
	t := touchedRow{at: at, shape: rowIsLong, data: unsafe.Pointer(long)}
	if inGround {
		t.shape |= rowInGround
	}
	return t
}

func (t *touchedRow) inGround() bool { return t.shape&rowInGround != 0 }

// long returns the long row, nil for others.
func (t *touchedRow) long() *longRow {
	if t.shape&rowIsLong == 0 {
		return nil
	}
	return (*longRow)(t.data)
}

// degree is the number of neighbours; 0 where the row is gone.
func (t *touchedRow) degree() int {
	if long := t.long(); long != nil {
		return long.degree
	}
	return int(t.shape & rowDegree)
}

// neighbours returns the list, nil where the row is gone.
func (t *touchedRow) neighbours() []Vertex {
	if long := t.long(); long != nil {
		return long.neighbours()
	}
	return unsafe.Slice((*Vertex)(t.data), t.shape&rowDegree)
}

// contains reports whether w is a neighbour, and makes no list to find out.
func (t *touchedRow) contains(w Vertex) bool {
	if long := t.long(); long != nil {
		return long.contains(w)
	}
	return Contains(t.neighbours(), w)
}

// rank is what a tree wants to know of a row.
func (t touchedRow) rank() (at uint32, shift int32) {
	return t.at, int32(oneIf(t.degree() > 0)) - int32(oneIf(t.inGround()))
}

// moves reports whether the row appeared or vanished, so that those behind it have other numbers than in the ground.
func (t *touchedRow) moves() bool {
	_, shift := t.rank()
	return shift != 0
}

// bytes is about what an entry takes.
func (t *touchedRow) bytes() int {
	const entry, long = 32, 192
	if r := t.long(); r != nil {
		return entry + long + 8*r.changes.size()
	}
	return entry + 4*t.degree()
}
