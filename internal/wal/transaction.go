package wal

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"time"
)

// Transaction is a payload that was read. It refers to the payload's bytes and is valid as long as they are.
type Transaction struct {
	// Time is when it was committed, by the clock of the committer.
	Time time.Time

	payload []byte
	segment string   // of a Summary
	terms   []uint32 // where the length of each key lies in the payload
	groups  []byte   // what follows the number of graphs
	graphs  int
}

// ReadTransaction reads a payload, all of which it checks; the error is ErrPayload.
func ReadTransaction(payload []byte) (*Transaction, error) {
	t := &Transaction{}
	if err := t.Read(payload); err != nil {
		return nil, err
	}
	return t, nil
}

// Read is ReadTransaction into a Transaction whose memory is used again. After an error it is not to be used.
func (t *Transaction) Read(payload []byte) error {
	d := decoder{b: payload}
	if len(payload) < timeBytes || payload[0] != payloadFormat && payload[0] != summaryFormat || len(payload) > MaxPayload {
		return fmt.Errorf("wal: %w: expected %d or %d and a time at its start", ErrPayload, payloadFormat, summaryFormat)
	}
	*t = Transaction{payload: payload, terms: t.terms[:0]}
	t.Time = time.Unix(0, int64(binary.LittleEndian.Uint64(payload[1:])))
	d.at = timeBytes
	if t.InFiles() {
		n := d.skip(d.uvarint())
		t.segment = string(payload[d.at-n : d.at])
	}
	t.readTerms(&d)
	t.graphs = d.count(leastGraph[payload[0]])
	t.groups = payload[d.at:]
	for range t.graphs {
		if t.InFiles() {
			d.summary(len(t.terms))
		} else {
			d.group(len(t.terms))
		}
	}
	if d.failed == "" && d.at < len(payload) {
		d.fail("bytes behind the last change")
	}
	if d.failed != "" {
		return fmt.Errorf("wal: %w: %s at byte %d", ErrPayload, d.failed, d.at)
	}
	return nil
}

// leastGraph is how many bytes a graph takes at least, by format.
var leastGraph = [...]int{payloadFormat: 4, summaryFormat: 3}

// readTerms notes where the terms of the table lie.
func (t *Transaction) readTerms(d *decoder) {
	n := d.count(2)
	if cap(t.terms) < n {
		t.terms = make([]uint32, 0, n)
	}
	for range n {
		t.terms = append(t.terms, uint32(d.at))
		if d.skip(d.uvarint()) == 0 {
			d.fail("a term without bytes")
		}
	}
}

// Terms is the number of terms: they are 1 … Terms().
func (t *Transaction) Terms() int { return len(t.terms) }

// Key is the key of a term, from 1.
func (t *Transaction) Key(n Term) []byte {
	b := t.payload[t.terms[n-1]:]
	length, size := binary.Uvarint(b)
	return b[size : size+int(length) : size+int(length)]
}

// GraphChanges counts the changes of one graph.
type GraphChanges struct {
	Graph          Term
	Added, Removed int
}

// Graphs gives, for each graph that was changed, how many quads were added and removed, in order of first use.
func (t *Transaction) Graphs() iter.Seq[GraphChanges] {
	return func(yield func(GraphChanges) bool) {
		d := decoder{b: t.groups}
		for range t.graphs {
			if !yield(d.counts(t)) {
				return
			}
		}
	}
}

// counts reads how many changes a graph has, and steps over them.
func (d *decoder) counts(t *Transaction) GraphChanges {
	if t.InFiles() {
		return d.summary(len(t.terms))
	}
	g, size := d.groupHead()
	d.at += size
	return g
}

// Changes gives the changes, graph by graph, in the order in which they were added to the builder; none of a Summary.
func (t *Transaction) Changes() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		if t.InFiles() {
			return
		}
		d := decoder{b: t.groups}
		for range t.graphs {
			g, _ := d.groupHead()
			c := Change{Graph: g.Graph}
			for range g.Added + g.Removed {
				d.change(&c)
				if !yield(c) {
					return
				}
			}
		}
	}
}

// decoder reads numbers of a payload. The first fault stays; what is read after it is 0.
type decoder struct {
	b      []byte
	at     int
	failed string
}

func (d *decoder) fail(why string) {
	if d.failed == "" {
		d.failed = why
	}
}

func (d *decoder) uvarint() uint64 {
	if d.failed != "" {
		return 0
	}
	v, n := binary.Uvarint(d.b[d.at:])
	if n <= 0 {
		d.fail("no number")
		return 0
	}
	d.at += n
	return v
}

// count reads the number of things that take so many bytes each, at least.
func (d *decoder) count(bytes int) int {
	n := d.uvarint()
	if n > uint64((len(d.b)-d.at)/bytes) {
		d.fail("more entries than bytes")
		return 0
	}
	return int(n)
}

// skip passes over n bytes, and returns n; 0 where they are not there.
func (d *decoder) skip(n uint64) int {
	if n > uint64(len(d.b)-d.at) {
		d.fail("fewer bytes than expected")
		return 0
	}
	d.at += int(n)
	return int(n)
}

// groupHead reads what stands before the changes of a graph; size is how many bytes these take. Each takes one, at least.
func (d *decoder) groupHead() (g GraphChanges, size int) {
	graph, added, removed, n := d.uvarint(), d.uvarint(), d.uvarint(), d.uvarint()
	if n > uint64(len(d.b)-d.at) || graph > math.MaxUint32 || added > n || removed > n || added+removed == 0 {
		d.fail("a graph that cannot be")
		return GraphChanges{}, 0
	}
	return GraphChanges{Term(graph), int(added), int(removed)}, int(n)
}

// group reads the changes of a graph in a transaction of so many terms, and checks them.
func (d *decoder) group(terms int) {
	g, size := d.groupHead()
	if uint64(g.Graph) > uint64(terms) {
		d.fail("a graph that is not in the table")
	}
	end, c, deletes := d.at+size, Change{}, 0
	for range g.Added + g.Removed {
		d.change(&c)
		if d.failed != "" || d.at > end {
			d.fail("changes that go too far")
			return
		}
		if !within(c.Subject, terms) || !within(c.Predicate, terms) || !within(c.Object, terms) {
			d.fail("a term that is not in the table")
			return
		}
		if c.Delete {
			deletes++
		}
	}
	if d.at != end || deletes != g.Removed {
		d.fail("fewer changes than bytes, or wrongly counted ones")
	}
}

func within(t Term, terms int) bool { return t > 0 && uint64(t) <= uint64(terms) }

// change turns the change before into the next one.
func (d *decoder) change(c *Change) {
	word := d.uvarint()
	c.Delete = word&deleteBit != 0
	c.Object = d.from(c.Object, word>>changeBits)
	if word&subjectBit != 0 {
		c.Subject = d.from(c.Subject, d.uvarint())
	}
	if word&predicateBit != 0 {
		p := d.uvarint()
		if p > math.MaxUint32 {
			p = 0 // no term
		}
		c.Predicate = Term(p)
	}
}

// from is the term that is so far from another; 0, which is no term, where there is none.
func (d *decoder) from(t Term, zigzag uint64) Term {
	v := int64(t) + (int64(zigzag>>1) ^ -int64(zigzag&1))
	if v < 0 || v > math.MaxUint32 {
		return 0
	}
	return Term(v)
}
