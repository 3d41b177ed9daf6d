package rdfgpu

import (
	"context"
	"fmt"
	"io"
	"time"
)

// LoadOptions are the settings of a load.
type LoadOptions struct {
	// Format is the syntax where a file's name does not tell: ntriples, nquads, turtle, trig, rdfxml.
	Format string
	// Base resolves relative IRIs; "" means the file's own address.
	Base string
	// Memory is the budget in bytes before the load spills to disk; 0 means half the machine's.
	Memory int64
	// TempDir holds temporary files; "" means the store's folder.
	TempDir string
	// SkipBad is how many bad lines of N-Triples or N-Quads are skipped before the load fails.
	SkipBad uint64
	// Threads bounds parallelism; 0 means all cores.
	Threads int
	// Stdin is what the file name "-" reads.
	Stdin io.Reader
	// Progress, when not nil, is called several times a second.
	Progress func(LoadProgress)
}

// LoadProgress is how far a load is.
type LoadProgress struct {
	Phase      string
	Triples    uint64
	Bytes      int64
	TotalBytes int64
	Elapsed    time.Duration
	// Remaining is an estimate, 0 when unknown.
	Remaining time.Duration
}

// LoadReport is what a load did.
type LoadReport struct {
	Store      string        `json:"store"`
	Triples    uint64        `json:"triples"`
	Duplicates uint64        `json:"duplicates"`
	Terms      int           `json:"terms"`
	Bytes      int64         `json:"bytes"`
	Elapsed    time.Duration `json:"elapsedNanoseconds"`
	Skipped    []string      `json:"skipped,omitempty"`
}

// Load reads RDF files into the store in dir, replacing what was there once everything has been read. It leaves either
// the old store or the new one, whenever it is interrupted.
func Load(ctx context.Context, dir string, files []string, options LoadOptions) (LoadReport, error) {
	return LoadReport{}, errTodo
}

// String gives the progress in one line.
func (p LoadProgress) String() string {
	line := fmt.Sprintf("%s: %.2f M triples, %.2f M/s", p.Phase, float64(p.Triples)/1e6,
		float64(p.Triples)/1e6/max(p.Elapsed.Seconds(), 1e-9))
	if p.TotalBytes > 0 {
		line += fmt.Sprintf(", %d %% read", 100*p.Bytes/p.TotalBytes)
	}
	if p.Remaining > 0 {
		line += fmt.Sprintf(", about %s left", p.Remaining.Round(time.Second))
	}
	return line
}

// String sums the load up in a line.
func (r LoadReport) String() string {
	return fmt.Sprintf("%s: %d triples (%d repeated), %d terms, %.1f MB (%.1f bytes for each triple), %.2f s (%.2f M triples/s)",
		r.Store, r.Triples, r.Duplicates, r.Terms, float64(r.Bytes)/1e6, float64(r.Bytes)/float64(max(r.Triples, 1)),
		r.Elapsed.Seconds(), float64(r.Triples)/1e6/max(r.Elapsed.Seconds(), 1e-9))
}
