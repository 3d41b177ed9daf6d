package loader

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// Estimate is what a load will probably take and make.
type Estimate struct {
	// InputBytes is the size of the inputs as they lie, Triples and Terms what will be in the store.
	InputBytes int64
	Triples    uint64
	Terms      uint64
	// Sampled is how many triples of the inputs were looked at; Whole says that these are all.
	Sampled uint64
	Whole   bool
	// Memory is the most that the load holds, TempBytes what it writes to temporary files, with the budget
	// Options.Memory; MemoryUnspilled is what it would hold with a budget that needs no temporary files.
	Memory, MemoryUnspilled, TempBytes int64
	// StoreBytes is the size of the store, GraphBytes of its graphs alone: what a device needs to hold them.
	StoreBytes, GraphBytes int64
	// Elapsed is the time of the load on this machine as busy as it was while the sample was loaded.
	Elapsed time.Duration
}

// defaultSample is how many bytes of text a plan looks at.
const defaultSample = 64 << 20

// Plan samples the inputs, loads the sample into a folder that it removes, and tells what a load of everything takes.
// It reads a bounded part: 64 MiB of text in all, evenly spaced in files of lines; packed files are unpacked from
// their start for some seconds; of Turtle, TriG and RDF/XML the first statements stand for the rest. Named graphs count
// as the default graph.
func Plan(ctx context.Context, inputs []Input, options Options) (Estimate, error) {
	sources, err := prepare(inputs)
	if err != nil {
		return Estimate{}, err
	}
	return makePlan(ctx, sources, options, defaultSample)
}

func makePlan(ctx context.Context, sources []*source, options Options, sample int64) (Estimate, error) {
	p := &plan{options: options.withDefaults(), sample: sample, estimate: Estimate{Whole: true}, census: newCensus()}
	for _, s := range sources {
		p.estimate.InputBytes += s.size
	}
	if err := p.take(ctx, sources); err != nil {
		return Estimate{}, err
	}
	if err := p.loadSample(ctx); err != nil {
		return Estimate{}, err
	}
	p.extrapolate()
	return p.estimate, nil
}

// plan is a plan in the making.
type plan struct {
	options  Options
	sample   int64 // bytes of text to look at
	estimate Estimate
	census   *census
	blocks   [][]byte
	text     float64 // bytes of all inputs, unpacked
	sampled  float64 // bytes of the sample

	unpacking float64 // bytes of memory

	report     Report
	graphBytes int64
	resources  float64 // share of the terms
	keyBytes   float64 // of a term
}

// take samples every input in proportion to its size.
func (p *plan) take(ctx context.Context, sources []*source) error {
	for _, s := range sources {
		share := int64(float64(p.sample) * float64(s.size) / float64(max(p.estimate.InputBytes, 1)))
		taken, err := s.takeSample(ctx, max(share, min(p.sample, sampleBlock)))
		if err != nil {
			return err
		}
		p.estimate.Whole = p.estimate.Whole && taken.whole
		for _, b := range taken.blocks {
			p.census.add(b)
			p.sampled += float64(len(b))
			p.text += float64(len(b)) * taken.weight
		}
		p.blocks = append(p.blocks, taken.blocks...)
		if s.compression == Zstd {
			p.unpacking = max(p.unpacking, min(zstdMemory, 2*p.text))
		}
	}
	return nil
}

// loadSample loads the sample, to learn what a triple and a term cost.
func (p *plan) loadSample(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp(p.options.TempDir, "plan-*.tmp")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	readers := make([]io.Reader, len(p.blocks))
	for i, b := range p.blocks {
		readers[i] = bytes.NewReader(b)
	}
	options := p.options
	options.Append, options.Progress, options.SkipBad = false, nil, 1<<62
	in := Input{Name: "sample", Format: NQuads, Reader: io.MultiReader(readers...)}
	if p.report, err = Load(ctx, filepath.Join(dir, "store"), []Input{in}, options); err != nil {
		return err
	}
	s, err := store.Open(filepath.Join(dir, "store"))
	if err != nil {
		return err
	}
	base := &s.Manifest().Segments[0]
	p.graphBytes = base.Default.Bytes + base.NamedBytes()
	err = section.Guard(func() error {
		p.look(s.Dictionary)
		return nil
	})
	return errors.Join(err, s.Close())
}

// look finds out what kinds of terms there are, from some thousand of them.
func (p *plan) look(d *dictionary.Dictionary) {
	const looks = 4096
	var key []byte
	n, resources, size := min(looks, d.Len()), 0, 0
	for i := range n {
		id := dictionary.ID(i * d.Len() / n)
		if key = d.AppendKey(key[:0], id); len(key) > 0 && (key[0] == '<' || key[0] == '_') {
			resources++
		}
		size += len(key)
	}
	p.resources, p.keyBytes = float64(resources)/float64(max(n, 1)), float64(size)/float64(max(n, 1))
}

// Costs of a load that follow from what it holds (doc.go); bytes.
const (
	rowBytes      = 12
	tableOverhead = 8 + 16 // a record's header, and a slot of which a third to two thirds are taken
	itemBytes     = 16     // of a term that is sorted
	rankBytes     = 4      // of a provisional ID
	groupBytes    = 24     // of a resource
	sortedBytes   = 16     // of a triple whose key is sorted: all keys, and scratch space for the largest cells
	runBytes      = 13     // of a spilled term, beside its key
	baseMemory    = 80 << 20
	zstdMemory    = 200 << 20 // what unpacking long windows takes at most
	neighbours    = 8         // of a triple in a graph, both ways
)

func (p *plan) extrapolate() {
	e := &p.estimate
	weight := max(p.text/max(p.sampled, 1), 1)
	e.Sampled = p.report.Read
	e.Triples = p.report.Triples
	e.Terms = uint64(p.report.Terms)
	e.StoreBytes, e.GraphBytes, e.Elapsed = p.report.StoreBytes, p.graphBytes, p.report.Elapsed
	if !e.Whole {
		e.Triples = uint64(float64(p.report.Triples) * weight)
		e.Terms = uint64(max(p.census.expected(weight), float64(p.report.Terms)))
		p.size(weight)
	}
	p.memory()
}

// size scales what the sample cost: a triple has two neighbours, all else grows with the terms.
func (p *plan) size(weight float64) {
	e := &p.estimate
	triples, terms := float64(e.Triples), float64(e.Terms)
	sampleTerms := float64(max(p.report.Terms, 1))
	rest := max(float64(p.graphBytes)-neighbours*float64(p.report.Triples), 0)
	e.GraphBytes = int64(neighbours*triples + rest/sampleTerms*terms)
	e.StoreBytes = e.GraphBytes + int64(float64(p.report.StoreBytes-p.graphBytes)/sampleTerms*terms)
	reading, others := 0.0, 0.0
	for _, phase := range p.report.Phases {
		switch phase.Phase {
		case Reading:
			reading = phase.Elapsed.Seconds()
		case Committing:
		default:
			others += phase.Elapsed.Seconds()
		}
	}
	// Reading and half of the rest go with the triples, the other half with the terms.
	seconds := reading*weight + others*(weight+terms/sampleTerms)/2
	e.Elapsed = time.Duration(seconds * float64(time.Second))
}

// memory tells what the load holds at its fullest moment, and what it spills.
func (p *plan) memory() {
	e := &p.estimate
	triples := float64(e.Triples) * float64(p.report.Read) / float64(max(p.report.Triples, 1))
	terms, budget := float64(e.Terms), float64(p.options.Memory)
	table := terms * (p.keyBytes + tableOverhead)
	rows := triples * rowBytes
	sorted := terms*(itemBytes+rankBytes) + terms*p.resources*groupBytes
	keys := triples * sortedBytes
	e.MemoryUnspilled = int64(table+rows+sorted+keys) + baseMemory
	heldRows := min(rows, budget/4)
	base := baseMemory + p.unpacking
	e.MemoryUnspilled += int64(p.unpacking)
	e.TempBytes = int64(rows - heldRows)
	if limit := budget * 3 / 8; table > limit {
		// Every full table is a run, which is merged into a file of terms and then distributed over buckets.
		text := terms * (p.keyBytes + runBytes)
		e.TempBytes += int64(text + 2*terms*(p.keyBytes+3))
		table, sorted = 0, terms*(rankBytes*1.5+p.resources*groupBytes)
		e.Memory = int64(max(limit*4/3+heldRows, sorted+heldRows+min(keys, budget/2))) + int64(base)
		return
	}
	e.Memory = int64(table + heldRows + sorted + min(keys, budget/2) + base)
}
