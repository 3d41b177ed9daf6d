package rdfgpu

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/document"
	"github.com/rdfgpu/rdfgpu/loader"
)

// ConvertOptions are the settings of a conversion.
type ConvertOptions struct {
	// To is the syntax to write: ntriples, nquads, turtle, trig, rdfxml, or an ending of files' names, as nt.
	To string
	// From is the syntax of what does not tell it by its name, Base resolves relative IRIs ("": the file's own address), Stdin is
	// what the file name "-" reads: as of LoadOptions.
	From, Base string
	Stdin      io.Reader
	// Prefixes shorten IRIs in Turtle and TriG.
	Prefixes map[string]string
	// DropGraphs writes the triples of all graphs without the graphs' names.
	DropGraphs bool
	// Progress, when not nil, is called several times a second.
	Progress func(ConvertProgress)
}

// ConvertProgress is how far a conversion is: bytes are those of the files, packed.
type ConvertProgress struct {
	Quads   uint64
	Bytes   int64
	Elapsed time.Duration
}

// String gives the progress in one line.
func (p ConvertProgress) String() string {
	seconds := max(p.Elapsed.Seconds(), 1e-9)
	return fmt.Sprintf("convert: %.2f M quads, %.2f M/s, %.1f MB read", float64(p.Quads)/1e6, float64(p.Quads)/1e6/seconds, float64(p.Bytes)/1e6)
}

// ConvertReport is what a conversion wrote.
type ConvertReport struct {
	Quads   uint64        `json:"quads"`
	Elapsed time.Duration `json:"elapsedNanoseconds"`
}

// ErrCannotCarry: a format has no way to write a quad.
var ErrCannotCarry = document.ErrCannot

// Convert reads RDF files, as Load does, and writes them as one document, quad by quad: nothing is held but the quad before. What was
// written before an error is of no use. A fault in a file is a *DataError; ErrCannotCarry where the format to write has no way to say
// something, ErrNoFormat where a format is unknown.
func Convert(ctx context.Context, files []string, w io.Writer, options ConvertOptions) (ConvertReport, error) {
	inputs, err := LoadOptions{Format: options.From, Base: options.Base, Stdin: options.Stdin}.inputs(files)
	if err != nil {
		return ConvertReport{}, err
	}
	to, err := loader.ParseFormat(options.To)
	if err != nil {
		return ConvertReport{}, err
	}
	out, err := document.NewWriter(w, document.Format(to), document.Options{Prefixes: options.Prefixes, DropGraphs: options.DropGraphs})
	if err != nil {
		return ConvertReport{}, err
	}
	var read atomic.Int64
	c := &conversion{options: options, out: out, read: &read, began: time.Now()}
	c.told = c.began
	err = loader.ReadAll(ctx, inputs, &read, c.quad)
	if err == nil {
		err = out.Close()
	}
	return ConvertReport{Quads: c.written, Elapsed: time.Since(c.began)}, err
}

// conversion is one at work.
type conversion struct {
	options     ConvertOptions
	out         *document.Writer
	read        *atomic.Int64
	written     uint64
	began, told time.Time
}

func (c *conversion) quad(q loader.Quad) error {
	if c.written++; c.written%dumpStep == 0 && c.options.Progress != nil && time.Since(c.told) > dumpInterval {
		c.told = time.Now()
		c.options.Progress(ConvertProgress{Quads: c.written, Bytes: c.read.Load(), Elapsed: time.Since(c.began)})
	}
	return c.out.Write(q)
}

// DetectFormat is the syntax that a file's name tells; ErrNoFormat where it tells none.
func DetectFormat(name string) (string, error) {
	format, _, err := loader.Detect(name)
	return string(format), err
}
