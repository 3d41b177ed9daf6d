package rdfgpu

import (
	"io"
	"iter"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/patch"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// LogEntry is one commit of the store's log.
type LogEntry struct {
	Sequence uint64    `json:"sequence"`
	Time     time.Time `json:"time"`
	Added    uint64    `json:"added"`
	Removed  uint64    `json:"removed"`
	// InFiles says that the log has these numbers alone: the commit, of a large document or of large graphs that were cleared, was
	// written to the store's files at once; its quads are in the Segment, a folder of the store, as long as that is there. "" where
	// neither numbers nor segment are known, because the process ended before they were noted.
	InFiles bool   `json:"inFiles,omitempty"`
	Segment string `json:"segment,omitempty"`
}

// ErrInFiles: a commit cannot be written as a patch, because its quads were in the store's files alone and these have been compacted
// since, or were made one with other triples at once.
var ErrInFiles = live.ErrInFiles

// Log yields the commits from a sequence on that the log still has, oldest first; WritePatch tells what one changed.
func (s *Store) Log(from uint64) iter.Seq2[LogEntry, error] {
	return func(yield func(LogEntry, error) bool) {
		for record, err := range s.live.Records(from) {
			var e LogEntry
			if err == nil {
				e, err = entryOf(record)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func entryOf(record wal.Record) (LogEntry, error) {
	t, err := wal.ReadTransaction(record.Payload)
	if err != nil {
		return LogEntry{}, err
	}
	e := LogEntry{Sequence: record.Sequence, Time: t.Time, InFiles: t.InFiles(), Segment: t.Segment()}
	for g := range t.Graphs() {
		e.Added += uint64(g.Added)
		e.Removed += uint64(g.Removed)
	}
	return e, nil
}

// WritePatch writes one commit as RDF Patch. Its blank nodes have the labels that they have in the store. One that is InFiles is read from
// the files as it is written; where these do not tell it any more, the error wraps ErrInFiles.
func (s *Store) WritePatch(w io.Writer, sequence uint64) error {
	record, err := s.live.Record(sequence)
	if err != nil {
		return err
	}
	out := patch.NewWriter(w)
	if wal.InFiles(record.Payload) {
		return writeFilePatch(out, s.live.FileChanges(sequence))
	}
	return writePatch(out, record)
}

// writeFilePatch writes nothing where the changes cannot be told.
func writeFilePatch(out *patch.Writer, changes iter.Seq2[live.FileChange, error]) error {
	out.Write(patch.Row{Operation: patch.Begin})
	for c, err := range changes {
		if err != nil {
			return err
		}
		row := patch.Row{Operation: patch.Insert, Subject: c.Quad.Subject, Predicate: c.Quad.Predicate, Object: c.Quad.Object, Graph: c.Quad.Graph}
		if c.Delete {
			row.Operation = patch.Delete
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Write(patch.Row{Operation: patch.Commit})
	return out.Flush()
}

func writePatch(out *patch.Writer, record wal.Record) error {
	t, err := wal.ReadTransaction(record.Payload)
	if err != nil {
		return err
	}
	terms := make([]Term, t.Terms()+1)
	for n := 1; n < len(terms); n++ {
		if terms[n], err = dictionary.ParseKey(t.Key(wal.Term(n))); err != nil {
			return err
		}
	}
	out.Write(patch.Row{Operation: patch.Begin})
	for c := range t.Changes() {
		row := patch.Row{Operation: patch.Insert, Subject: terms[c.Subject], Predicate: terms[c.Predicate], Object: terms[c.Object], Graph: terms[c.Graph]}
		if c.Delete {
			row.Operation = patch.Delete
		}
		out.Write(row)
	}
	out.Write(patch.Row{Operation: patch.Commit})
	return out.Flush()
}
