package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/rdfgpu/rdfgpu"
)

// Failure is an error as it crosses the border.
type Failure struct {
	// Kind is one word for what to do about it: syntax, data, timeout, cancelled, limit, read-only, busy, conflict, no-graph,
	// not-store, not-found, closed, damaged, version, unsupported, format, device, request, internal, or error.
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Line and Column count from 1, where a text is at fault; Column counts characters and may be unknown: 0.
	Line   int64 `json:"line,omitempty"`
	Column int   `json:"column,omitempty"`
	// Expected and Hint are of a fault in a query; File is of one in data.
	Expected []string `json:"expected,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	File     string   `json:"file,omitempty"`
}

var (
	errRequest = errors.New("malformed request")
	errClosed  = errors.New("the store is closed")
)

// panicked is a bug of ours.
type panicked struct{ value any }

// Error tells it.
func (p panicked) Error() string { return fmt.Sprintf("rdfgpu failed: %v", p.value) }

// kinds are the words for errors; the first that fits counts.
var kinds = []struct {
	err  error
	kind string
}{
	{errCancelled, "cancelled"}, {errClosed, "closed"}, {errRequest, "request"},
	{rdfgpu.ErrTimeout, "timeout"},
	{rdfgpu.ErrRowLimit, "limit"}, {rdfgpu.ErrMemoryLimit, "limit"}, {rdfgpu.ErrSpillLimit, "limit"}, {rdfgpu.ErrTooMany, "limit"},
	{rdfgpu.ErrWriters, "limit"},
	{rdfgpu.ErrReadOnly, "read-only"}, {rdfgpu.ErrBackup, "read-only"}, {rdfgpu.ErrBusy, "busy"}, {rdfgpu.ErrConflict, "conflict"},
	{rdfgpu.ErrNoGraph, "no-graph"}, {rdfgpu.ErrNotStore, "not-store"}, {rdfgpu.ErrDamaged, "damaged"}, {rdfgpu.ErrVersion, "version"},
	{rdfgpu.ErrUnsupported, "unsupported"}, {rdfgpu.ErrFunction, "unsupported"}, {rdfgpu.ErrPattern, "unsupported"},
	{rdfgpu.ErrFormat, "format"}, {rdfgpu.ErrNoFormat, "format"}, {rdfgpu.ErrNoDevice, "device"},
	{fs.ErrNotExist, "not-found"}, {context.Canceled, "cancelled"},
}

// failure says what an error is.
func failure(err error) Failure {
	f := Failure{Kind: "error", Message: err.Error()}
	var syntax *rdfgpu.SyntaxError
	var data *rdfgpu.DataError
	var bug panicked
	switch {
	case errors.As(err, &bug):
		f.Kind = "internal"
	case errors.As(err, &syntax):
		f.Kind, f.Line, f.Column = "syntax", int64(syntax.Line), syntax.Column
		f.Expected, f.Hint = syntax.Expected, syntax.Hint
	case errors.As(err, &data):
		f.Kind, f.Line, f.Column, f.File = "data", data.Line, data.Column, data.File
	default:
		for _, k := range kinds {
			if errors.Is(err, k.err) {
				f.Kind = k.kind
				break
			}
		}
	}
	return f
}

// json is the failure as text.
func (f Failure) json() []byte {
	text, err := json.Marshal(f)
	if err != nil {
		return []byte(`{"kind":"internal","message":"an error that cannot be told"}`)
	}
	return text
}
