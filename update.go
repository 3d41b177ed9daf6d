package rdfgpu

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// Durability says when an update is acknowledged.
type Durability uint8

const (
	// Synced updates are on the disk when they are acknowledged: they survive a power cut. Those that wait at the same time
	// share one sync.
	Synced Durability = iota
	// Grouped updates are synced together, once in Options.GroupEvery, and acknowledged then.
	Grouped
	// Unsynced updates are acknowledged once the operating system has them: they survive the end of the process, and all but
	// those of the last second or so a power cut.
	Unsynced
)

// Errors that an update may end with; test with errors.Is.
var (
	// ErrReadOnly: the store was opened without Options.Writable.
	ErrReadOnly = errors.New("the store was opened read-only")
	// ErrConflict: the store is not at the sequence that the update asked for.
	ErrConflict = errors.New("the store has changed since")
	// ErrWriters: more updates wait for their turn than Options.MaxWriters.
	ErrWriters = errors.New("too many updates are waiting")
	// ErrGraphExists and ErrNoGraph: what CREATE, and what DROP, CLEAR, COPY, MOVE, ADD, find where they are not SILENT.
	ErrGraphExists = errors.New("the graph exists already")
	ErrNoGraph     = errors.New("there is no such graph")
)

// UpdateOptions are the settings of one update.
type UpdateOptions struct {
	Semantics Semantics
	Device    Device
	// Timeout ends the update with ErrTimeout, and without a trace, so long after Update was called, until it is committed;
	// 0 means none.
	Timeout time.Duration
	// MaxMemory is as in QueryOptions.
	MaxMemory int64
	// Base resolves relative IRIs in an update without BASE.
	Base string
	// UsingGraphs and UsingNamedGraphs are the protocol's data set for the WHERE of all operations; an update that itself
	// has USING, USING NAMED or WITH is then an error (SPARQL 1.1 Protocol, section 2.2.3).
	UsingGraphs, UsingNamedGraphs []string
	// IfSequence, where it is not nil, lets the update begin only while the store is at this sequence; else ErrConflict.
	IfSequence *uint64
	// DryRun does everything but commit: the report tells what would change.
	DryRun bool
}

// UpdateReport is what an update did.
type UpdateReport struct {
	// Sequence is that of the commit; of an update that changed nothing, and of a dry run, the store's.
	Sequence uint64 `json:"sequence"`
	// Added and Removed are the triples that came and went, in all graphs: the difference between before and after.
	Added   uint64        `json:"added"`
	Removed uint64        `json:"removed"`
	Graphs  []GraphChange `json:"graphs,omitempty"`
	Elapsed time.Duration `json:"elapsedNanoseconds"`
}

// GraphChange is what an update did to one graph; the default graph has no name.
type GraphChange struct {
	Graph   string `json:"graph,omitempty"`
	Added   uint64 `json:"added"`
	Removed uint64 `json:"removed"`
}

// Update runs the operations of a SPARQL 1.1 Update as one transaction: each sees what those before it did, others see
// all of it or nothing. It returns once the change is as durable as Options.Durability says. Updates run one after the other; readers
// never wait for them. The error is a *SyntaxError where the text is wrong, or wraps ErrReadOnly, ErrConflict, ErrWriters,
// ErrTimeout, ErrMemoryLimit, ErrNoGraph or ErrGraphExists; nothing has changed then.
func (s *Store) Update(ctx context.Context, text string, options UpdateOptions) (UpdateReport, error) {
	return UpdateReport{}, ErrReadOnly
}

// Quad is a triple in a graph; the zero Graph is the default graph.
type Quad struct {
	Subject, Predicate, Object, Graph Term
}

// Transaction is a set of changes that become visible together. It is not safe for concurrent use; other updates wait
// until it ends, by Commit or Rollback, one of which must be called.
type Transaction struct{}

// Begin waits for its turn and starts a transaction.
func (s *Store) Begin(ctx context.Context) (*Transaction, error) { return nil, ErrReadOnly }

// Insert adds quads that are not there yet.
func (t *Transaction) Insert(quads ...Quad) error { return ErrReadOnly }

// Delete removes those of the quads that are there.
func (t *Transaction) Delete(quads ...Quad) error { return ErrReadOnly }

// Clear removes a graph's triples; the zero Term is the default graph.
func (t *Transaction) Clear(graph Term) error { return ErrReadOnly }

// Commit makes the changes visible, as durable as Options.Durability says.
func (t *Transaction) Commit(ctx context.Context) (UpdateReport, error) {
	return UpdateReport{}, ErrReadOnly
}

// Rollback drops the changes; after Commit it does nothing.
func (t *Transaction) Rollback() {}

// Sequence is the number of the last commit that readers see: 0 for a store that was never updated.
func (s *Store) Sequence() uint64 { return 0 }

// WaitFor returns once readers see the commit of a sequence.
func (s *Store) WaitFor(ctx context.Context, sequence uint64) error { return nil }

// GraphOptions are the settings of an operation of the Graph Store Protocol.
type GraphOptions struct {
	// Format is the syntax of the body, as a format of Load: ntriples, nquads, turtle, trig, rdfxml.
	Format string
	// Base resolves relative IRIs.
	Base string
	// Replace removes what the graph had before (PUT); else the body is added (POST).
	Replace    bool
	IfSequence *uint64
	// Next, where it is not nil, yields the further documents that go into the graph with the body, each once the one before has
	// been read to its end; io.EOF ends them. Blank nodes of different documents are different.
	Next func() (Document, error)
}

// Document is one document of several that go into a graph together: its text, and the format of that.
type Document struct {
	Body   io.Reader
	Format string
}

// PutGraph adds a document to a graph, or replaces it with that, as one transaction; graph is its IRI, "" the default graph. existed
// tells whether the graph had triples before. A fault in the document is a *DataError.
func (s *Store) PutGraph(ctx context.Context, graph string, body io.Reader, options GraphOptions) (report UpdateReport, existed bool, err error) {
	return UpdateReport{}, false, ErrReadOnly
}

// DropGraph removes a graph; ErrNoGraph where it has no triples. "" is the default graph, which is only emptied.
func (s *Store) DropGraph(ctx context.Context, graph string, options GraphOptions) (UpdateReport, error) {
	return UpdateReport{}, ErrReadOnly
}

// HasGraph reports whether a named graph has triples.
func (s *Store) HasGraph(graph string) (bool, error) { return false, nil }

// Patch applies an RDF Patch (rows A and D; each transaction TX … TC of it is one here too).
func (s *Store) Patch(ctx context.Context, body io.Reader, options UpdateOptions) (UpdateReport, error) {
	return UpdateReport{}, ErrReadOnly
}

// Dump writes the quads of a snapshot, of all graphs or of one (its IRI; nil: all; "" is the default graph), as N-Quads, or as
// N-Triples where it is one graph and triples is set, and tells which sequence it is of. progress may be nil.
func (s *Store) Dump(ctx context.Context, w io.Writer, options DumpOptions) (DumpReport, error) {
	return DumpReport{}, ErrReadOnly
}

// DumpOptions are the settings of a dump.
type DumpOptions struct {
	// Graph, where it is not nil, is the IRI of the one graph to write, "" the default graph.
	Graph *string
	// Triples leaves the names of graphs out: N-Triples.
	Triples bool
	// Progress, when not nil, is called several times a second with the number of quads written.
	Progress func(written, total uint64)
}

// DumpReport is what a dump wrote.
type DumpReport struct {
	Sequence uint64 `json:"sequence"`
	Quads    uint64 `json:"quads"`
}

// LogEntry is one commit of the store's log.
type LogEntry struct {
	Sequence uint64    `json:"sequence"`
	Time     time.Time `json:"time"`
	Added    uint64    `json:"added"`
	Removed  uint64    `json:"removed"`
}

// Log yields the commits from a sequence on that the log still has, oldest first. WritePatch of an entry's sequence tells what changed.
func (s *Store) Log(from uint64) iter.Seq2[LogEntry, error] {
	return func(func(LogEntry, error) bool) {}
}

// WritePatch writes one commit as RDF Patch.
func (s *Store) WritePatch(w io.Writer, sequence uint64) error { return ErrReadOnly }

// LiveInfo is what updates have left of a store: what is not in its segments yet.
type LiveInfo struct {
	Sequence uint64 `json:"sequence"`
	// Added and Removed are the triples of the delta, Terms its terms, DeltaBytes about the memory that it takes, LogBytes the log's files.
	Added      uint64 `json:"added"`
	Removed    uint64 `json:"removed"`
	Terms      int    `json:"terms"`
	DeltaBytes int64  `json:"deltaBytes"`
	LogBytes   int64  `json:"logBytes"`
	// Waiting is how many updates wait for their turn; Flushes and Compactions how many ended since the store was opened.
	Waiting     int    `json:"waiting"`
	Flushes     uint64 `json:"flushes"`
	Compactions uint64 `json:"compactions"`
	// Failed is why the store takes no updates any more; "" while it does.
	Failed string `json:"failed,omitempty"`
}

// Live describes the delta; ok is false for a store that is read-only.
func (s *Store) Live() (info LiveInfo, ok bool) { return LiveInfo{}, false }

// Flush writes the delta as a segment now. It is done by itself when the delta has grown.
func (s *Store) Flush(ctx context.Context) error { return ErrReadOnly }
