package rdfgpu

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/rdfgpu/rdfgpu/loader"
)

// LoadOptions are the settings of a load.
type LoadOptions struct {
	// Format is the syntax where a file's name does not tell: ntriples, nquads, turtle, trig, rdfxml.
	Format string
	// Base resolves relative IRIs; "" means the file's own address.
	Base string
	// Append keeps what is in the store and adds to it.
	Append bool
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
	Store string `json:"store"`
	// Triples are those in the store, in all graphs; Duplicates those that stood more than once in the input.
	Triples     uint64 `json:"triples"`
	Duplicates  uint64 `json:"duplicates"`
	Terms       int    `json:"terms"`
	Predicates  int    `json:"predicates"`
	NamedGraphs int    `json:"namedGraphs"`
	// Bytes is the size of the store, Spilled what was written to temporary files.
	Bytes   int64         `json:"bytes"`
	Spilled int64         `json:"spilledBytes"`
	Elapsed time.Duration `json:"elapsedNanoseconds"`
	Phases  []LoadPhase   `json:"phases"`
	// BadLines is how many lines were skipped, Skipped what was wrong with the first of them.
	BadLines uint64   `json:"badLines,omitempty"`
	Skipped  []string `json:"skipped,omitempty"`
}

// LoadPhase is how long a part of a load took.
type LoadPhase struct {
	Name    string        `json:"name"`
	Elapsed time.Duration `json:"elapsedNanoseconds"`
}

// Load reads RDF files (.nt .nq .ttl .trig .rdf .owl, also .gz .zst .bz2; "-" is options.Stdin) into the store in dir,
// replacing what was there once everything has been read. It leaves either the old store or the new one, whenever it
// is interrupted. A fault in a file is a *DataError.
func Load(ctx context.Context, dir string, files []string, options LoadOptions) (LoadReport, error) {
	inputs, err := options.inputs(files)
	if err != nil {
		return LoadReport{}, err
	}
	settings := loader.Options{
		Append: options.Append, Memory: options.Memory, TempDir: options.TempDir, SkipBad: options.SkipBad, Threads: options.Threads,
	}
	if options.Progress != nil {
		settings.Progress = func(p loader.Progress) {
			options.Progress(LoadProgress{
				Phase: string(p.Phase), Triples: p.Triples, Bytes: p.Bytes, TotalBytes: p.TotalBytes,
				Elapsed: p.Elapsed, Remaining: p.Remaining,
			})
		}
	}
	r, err := loader.Load(ctx, dir, inputs, settings)
	report := LoadReport{
		Store: dir, Triples: r.Triples, Duplicates: r.Read - r.Known + r.Kept - r.Triples, Terms: r.Terms, Predicates: r.Predicates,
		NamedGraphs: r.NamedGraphs, Bytes: r.StoreBytes, Spilled: r.SpilledBytes, Elapsed: r.Elapsed,
		BadLines: r.BadLines,
	}
	for _, p := range r.Phases {
		report.Phases = append(report.Phases, LoadPhase{string(p.Phase), p.Elapsed})
	}
	for _, bad := range r.Skipped {
		report.Skipped = append(report.Skipped, bad.Error())
	}
	return report, err
}

// DataError is a fault in an RDF file: file, line, column and what was expected. Get it with errors.As.
type DataError = loader.SyntaxError

func (o LoadOptions) inputs(files []string) ([]loader.Input, error) {
	inputs, err := loader.Files(loader.Format(o.Format), files...)
	for i := range inputs {
		inputs[i].Base = o.Base
		if inputs[i].Reader != nil && o.Stdin != nil {
			inputs[i].Reader = o.Stdin
		}
	}
	return inputs, err
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
