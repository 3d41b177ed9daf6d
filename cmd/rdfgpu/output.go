package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// byteSize is a number of bytes with an optional unit: 512MiB, 2G, 1e9.
type byteSize int64

var units = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

// UnmarshalText reads a size; kong calls it.
func (b *byteSize) UnmarshalText(text []byte) error {
	number, factor := strings.ToLower(strings.TrimSpace(string(text))), 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	switch {
	case err == nil && value*factor > 1<<62 || errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%q is too large: expected at most 4EiB", text)
	case err != nil || value < 0 || math.IsNaN(value):
		return fmt.Errorf("%q is no size: expected a number with an optional unit, such as 512MiB or 2G", text)
	}
	*b = byteSize(value * factor)
	return nil
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// nameFile puts the query file's name before an error of the query in it.
func nameFile(err error, file string) error {
	if file == "" {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	stat, err := f.Stat()
	return err == nil && stat.Mode()&os.ModeCharDevice != 0 && !errors.Is(err, os.ErrInvalid)
}

// progress prints a line that overwrites itself on a terminal, and a line a few seconds apart elsewhere.
type progress struct {
	w        io.Writer
	quiet    bool
	terminal bool
	start    time.Time
	last     time.Time
	width    int
}

func newProgress(w io.Writer, quiet bool) *progress {
	now := time.Now()
	return &progress{w: w, quiet: quiet, terminal: isTerminal(w), start: now, last: now}
}

func (p *progress) load(state rdfgpu.LoadProgress) { p.show(state) }

// show prints how far something is, once that is worth a line again.
func (p *progress) show(state fmt.Stringer) {
	interval := 5 * time.Second
	if p.terminal {
		interval = 200 * time.Millisecond
	}
	now := time.Now()
	if p.quiet || now.Sub(p.last) < interval || now.Sub(p.start) < 2*time.Second {
		return
	}
	p.last = now
	line := state.String()
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	fmt.Fprintf(p.w, "\r%-*s", p.width, line)
	p.width = len(line)
}

func (p *progress) done() {
	if p.terminal && p.width > 0 {
		fmt.Fprintf(p.w, "\r%-*s\r", p.width, "")
	}
}
