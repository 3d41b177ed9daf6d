package wal

import (
	"encoding/binary"
	"time"
)

// Summary is the payload of a transaction that was committed with a store's files: the log has what it changed in numbers
// alone.
type Summary struct {
	// Segment names the files that have the changes; "" where that is not known any more.
	Segment string
	Graphs  []GraphSummary
}

// GraphSummary counts the changes of one graph.
type GraphSummary struct {
	// Key is that of the graph's name, nil for the default graph.
	Key            []byte
	Added, Removed uint64
}

// summaryFormat is the first byte of a summary.
const summaryFormat = 2

// Append appends the payload to dst.
func (s *Summary) Append(dst []byte, at time.Time) []byte {
	dst = append(dst, summaryFormat)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(at.UnixNano()))
	dst = appendBytes(dst, s.Segment)
	named := 0
	for _, g := range s.Graphs {
		if g.Key != nil {
			named++
		}
	}
	dst = binary.AppendUvarint(dst, uint64(named))
	for _, g := range s.Graphs {
		if g.Key != nil {
			dst = appendBytes(dst, string(g.Key))
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.Graphs)))
	term := DefaultGraph
	for _, g := range s.Graphs {
		graph := DefaultGraph
		if g.Key != nil {
			term++
			graph = term
		}
		dst = binary.AppendUvarint(dst, uint64(graph))
		dst = binary.AppendUvarint(dst, g.Added)
		dst = binary.AppendUvarint(dst, g.Removed)
	}
	return dst
}

func appendBytes(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Segment is the name of the files that have the transaction's changes where it is a Summary, if that is known.
func (t *Transaction) Segment() string { return t.segment }

// InFiles reports that the transaction is a Summary: it has no Changes.
func (t *Transaction) InFiles() bool { return InFiles(t.payload) }

// InFiles reports that a payload is that of a Summary.
func InFiles(payload []byte) bool { return len(payload) > 0 && payload[0] == summaryFormat }

// summary reads what a graph's changes are in numbers, in a transaction of so many terms.
func (d *decoder) summary(terms int) (g GraphChanges) {
	graph, added, removed := d.uvarint(), d.uvarint(), d.uvarint()
	if graph > uint64(terms) || added|removed > 1<<62 || added+removed == 0 {
		d.fail("a graph that cannot be")
		return GraphChanges{}
	}
	return GraphChanges{Term(graph), int(added), int(removed)}
}
