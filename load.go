package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/loader"
)

// LoadOptions are the settings of a load.
type LoadOptions struct {
	// Format is the syntax where a file's name does not tell: ntriples, nquads, turtle, trig, rdfxml.
	Format string
	// Base resolves relative IRIs; "" means the file's own address.
	Base string
	// Append keeps what is in the store and adds what is new, at a cost in proportion to the files.
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
	Triples    uint64 `json:"triples"`
	Duplicates uint64 `json:"duplicates"`
	// Added are the triples that the store did not have before, AlreadyThere those of the input that it had.
	Added        uint64 `json:"added"`
	AlreadyThere uint64 `json:"alreadyThere"`
	// Segments is how many segments the store has now, Merged how many earlier ones were made one with what was added.
	Segments    int `json:"segments"`
	Merged      int `json:"merged,omitempty"`
	Terms       int `json:"terms"`
	Predicates  int `json:"predicates"`
	NamedGraphs int `json:"namedGraphs"`
	// Bytes is the size of the store, Written that of the files that are new in it, Spilled what was written to
	// temporary files.
	Bytes   int64         `json:"bytes"`
	Written int64         `json:"writtenBytes"`
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
	if err == nil && options.Append {
		err = flushed(ctx, dir)
	}
	if err != nil {
		return LoadReport{}, err
	}
	r, err := loader.Load(ctx, dir, inputs, options.settings())
	return newReport(dir, r), err
}

// FindFiles lists the files below dir whose names tell that they hold RDF, sorted by path; files and folders whose names begin with
// a dot are passed over, and links to folders are not followed. The error wraps ErrNoFormat where there are none.
func FindFiles(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		if _, _, err := loader.Detect(path); err == nil {
			files = append(files, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		return nil, fmt.Errorf("%s: %w: no file below it ends in %s", dir, ErrNoFormat, loader.Endings)
	}
	slices.Sort(files)
	return files, err
}

// Compact makes all segments of the store in dir, as appends have left them, one base again: queries over it are as
// fast as after a load of everything. It reads no file but those of the store, and leaves either the old store or the
// new one, whenever it is interrupted; processes that have the store open keep the old one. Memory, TempDir, Threads
// and Progress of the options count. A store of one segment stays as it is (Merged is 0).
func Compact(ctx context.Context, dir string, options LoadOptions) (LoadReport, error) {
	if err := flushed(ctx, dir); err != nil {
		return LoadReport{}, err
	}
	r, err := loader.Compact(ctx, dir, options.settings())
	return newReport(dir, r), err
}

// flushed makes sure that all updates of a store, if there is one, are in its files.
func flushed(ctx context.Context, dir string) error {
	s, err := live.Open(ctx, dir, live.Options{})
	if errors.Is(err, store.ErrNotStore) {
		return nil
	}
	if err != nil {
		return err
	}
	behind := s.Behind()
	if err := s.Close(); err != nil || !behind {
		return err
	}
	if s, err = live.Open(ctx, dir, live.Options{Writable: true}); err != nil {
		return err
	}
	return errors.Join(s.Flush(ctx), s.Close())
}

func (o LoadOptions) settings() loader.Options {
	settings := loader.Options{Append: o.Append, Memory: o.Memory, TempDir: o.TempDir, SkipBad: o.SkipBad, Threads: o.Threads}
	if o.Progress != nil {
		settings.Progress = func(p loader.Progress) {
			o.Progress(LoadProgress{
				Phase: string(p.Phase), Triples: p.Triples, Bytes: p.Bytes, TotalBytes: p.TotalBytes,
				Elapsed: p.Elapsed, Remaining: p.Remaining,
			})
		}
	}
	return settings
}

func newReport(dir string, r loader.Report) LoadReport {
	report := LoadReport{
		Store: dir, Triples: r.Triples, Duplicates: r.Read - r.Known + r.Kept - r.Triples, Added: r.Triples - r.Kept,
		AlreadyThere: r.Known, Segments: r.Segments, Merged: r.Merged, Terms: r.Terms, Predicates: r.Predicates,
		NamedGraphs: r.NamedGraphs, Bytes: r.StoreBytes, Written: r.WrittenBytes, Spilled: r.SpilledBytes,
		Elapsed: r.Elapsed, BadLines: r.BadLines,
	}
	for _, p := range r.Phases {
		report.Phases = append(report.Phases, LoadPhase{string(p.Phase), p.Elapsed})
	}
	for _, bad := range r.Skipped {
		report.Skipped = append(report.Skipped, bad.Error())
	}
	return report
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

// Size is the size of the store in words.
func (r LoadReport) Size() string {
	if r.Triples <= tinyStore {
		return fmt.Sprintf("%.1f kB", float64(r.Bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB (%.1f bytes for each triple)", float64(r.Bytes)/1e6, float64(r.Bytes)/float64(r.Triples))
}

// tinyStore is up to how many triples a store's bytes for each of them are not told, nor how many are loaded in a second: they are those of the
// files' headers, and of opening and syncing files.
const tinyStore = 10_000

// String sums the load up in a line.
func (r LoadReport) String() string {
	if r.Added == r.Triples && r.AlreadyThere == 0 && r.Segments == 1 {
		line := fmt.Sprintf("%s: %s (%d repeated), %s, %s, %.2f s", r.Store, counted(r.Triples, "triple"), r.Duplicates, counted(r.Terms, "term"), r.Size(), r.Elapsed.Seconds())
		if r.Triples > tinyStore {
			line += fmt.Sprintf(" (%.2f M triples/s)", float64(r.Triples)/1e6/max(r.Elapsed.Seconds(), 1e-9))
		}
		return line
	}
	line := fmt.Sprintf("%s: %s added (%d were there already, %d repeated), %d in all, %s, %.1f MB, of them %.1f written now",
		r.Store, counted(r.Added, "triple"), r.AlreadyThere, r.Duplicates, r.Triples, counted(r.Terms, "term"), float64(r.Bytes)/1e6, float64(r.Written)/1e6)
	return fmt.Sprintf("%s, %s, %.2f s", line, counted(r.Segments, "segment"), r.Elapsed.Seconds())
}

// counted is a number with its noun.
func counted[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
