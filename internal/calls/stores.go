package calls

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/rdfgpu/rdfgpu"
)

// opened is a store that calls use. It is closed once the last of them has ended.
type opened struct {
	store  *rdfgpu.Store
	mu     sync.Mutex
	closed bool
	users  map[*Call]bool
	last   sync.WaitGroup
}

// use keeps a store open while do runs; closing the store cancels the call.
func (c *Call) use(number uint64, do func(*rdfgpu.Store) (any, error)) (any, error) {
	c.engine.mu.Lock()
	s := c.engine.stores[number]
	c.engine.mu.Unlock()
	if s == nil || !s.enter(c) {
		return nil, errClosed
	}
	defer s.leave(c)
	return do(s.store)
}

func (s *opened) enter(c *Call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.users[c] = true
	s.last.Add(1)
	return true
}

func (s *opened) leave(c *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.users, c)
	s.last.Done()
}

// close ends what uses the store, waits for it and closes the store.
func (s *opened) close() error {
	s.mu.Lock()
	s.closed = true
	for c := range s.users {
		c.cancel(errClosed)
	}
	s.mu.Unlock()
	s.last.Wait()
	return s.store.Close()
}

// openRequest asks for a store.
type openRequest struct {
	Path string `json:"path"`
	// Create makes an empty store where the path holds none.
	Create     bool     `json:"create"`
	Writable   bool     `json:"writable"`
	Threads    int      `json:"threads"`
	Device     string   `json:"device"`
	GPUMemory  int64    `json:"gpuMemory"`
	TempDir    string   `json:"tempDir"`
	Durability string   `json:"durability"`
	Services   []string `json:"services"`
	Loads      []string `json:"loads"`
}

// storeNumber names an open store.
type storeNumber struct {
	Store uint64 `json:"store"`
}

func (c *Call) open(r openRequest) (any, error) {
	durability, every, err := rdfgpu.ParseDurability(cmp.Or(r.Durability, "sync"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRequest, err)
	}
	device, err := deviceNamed(r.Device)
	if err != nil {
		return nil, err
	}
	if r.Create {
		if err := c.create(r.Path); err != nil {
			return nil, err
		}
	}
	store, err := rdfgpu.Open(r.Path, rdfgpu.Options{
		Threads: r.Threads, Device: device, GPUMemory: r.GPUMemory, TempDir: r.TempDir, Writable: r.Writable, Durability: durability, GroupEvery: every,
		Services: r.Services, Loads: r.Loads,
	})
	if err != nil {
		return nil, err
	}
	e := c.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	e.number++
	e.stores[e.number] = &opened{store: store, users: map[*Call]bool{}}
	return storeNumber{e.number}, nil
}

// create makes an empty store where there is nothing, or an empty folder.
func (c *Call) create(path string) error {
	if there, err := os.ReadDir(path); err == nil && len(there) > 0 {
		return nil
	}
	_, err := rdfgpu.Load(c.ctx, path, []string{"-"}, rdfgpu.LoadOptions{Format: "ntriples", Stdin: strings.NewReader("")})
	return c.cause(err)
}

// cause is why a call ended: that it was cancelled, rather than what that led to.
func (c *Call) cause(err error) error {
	if err != nil && c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return err
}

// deviceNamed reads "auto", "cpu" or "gpu" ("" is the store's).
func deviceNamed(name string) (rdfgpu.Device, error) {
	switch d := rdfgpu.Device(name); d {
	case "", rdfgpu.Auto, rdfgpu.CPU, rdfgpu.GPU:
		return d, nil
	}
	return "", fmt.Errorf("%w: %q is no device: expected auto, cpu or gpu", errRequest, name)
}

func (c *Call) close(r storeNumber) (any, error) {
	e := c.engine
	e.mu.Lock()
	s := e.stores[r.Store]
	delete(e.stores, r.Store)
	e.mu.Unlock()
	if s == nil {
		return nil, nil
	}
	return nil, s.close()
}

// loadRequest asks for files to be read into a store that is not open for writing.
type loadRequest struct {
	Path    string   `json:"path"`
	Files   []string `json:"files"`
	Format  string   `json:"format"`
	Base    string   `json:"base"`
	Append  bool     `json:"append"`
	Memory  int64    `json:"memory"`
	TempDir string   `json:"tempDir"`
	SkipBad uint64   `json:"skipBad"`
	Threads int      `json:"threads"`
	// Progress asks for events of the kind Told.
	Progress bool `json:"progress"`
}

// progress is how far a load is.
type progress struct {
	Phase      string  `json:"phase"`
	Triples    uint64  `json:"triples"`
	Bytes      int64   `json:"bytes"`
	TotalBytes int64   `json:"totalBytes"`
	Elapsed    float64 `json:"elapsed"`
	Remaining  float64 `json:"remaining"`
}

func (c *Call) load(r loadRequest) (any, error) {
	files, err := expand(r.Files)
	if err != nil {
		return nil, err
	}
	report, err := rdfgpu.Load(c.ctx, r.Path, files, c.loadOptions(r))
	return report, c.cause(err)
}

func (c *Call) compact(r loadRequest) (any, error) {
	report, err := rdfgpu.Compact(c.ctx, r.Path, c.loadOptions(r))
	return report, c.cause(err)
}

func (c *Call) loadOptions(r loadRequest) rdfgpu.LoadOptions {
	options := rdfgpu.LoadOptions{
		Format: r.Format, Base: r.Base, Append: r.Append, Memory: r.Memory, TempDir: r.TempDir, SkipBad: r.SkipBad, Threads: r.Threads,
		Stdin: strings.NewReader(""),
	}
	if r.Progress {
		options.Progress = func(p rdfgpu.LoadProgress) {
			_ = c.tellJSON(progress{p.Phase, p.Triples, p.Bytes, p.TotalBytes, p.Elapsed.Seconds(), p.Remaining.Seconds()})
		}
	}
	return options
}

// expand puts the files of a folder in its place.
func expand(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		below := []string{path}
		if info.IsDir() {
			if below, err = rdfgpu.FindFiles(path); err != nil {
				return nil, err
			}
		}
		files = append(files, below...)
	}
	return files, nil
}

// putRequest asks for a document to be put into a graph of an open store.
type putRequest struct {
	storeNumber
	// Graph is the IRI of the graph; "" is the default graph.
	Graph string `json:"graph"`
	// File is the document, which may be packed; where it is "", Data is it, in the syntax of Format.
	File   string `json:"file"`
	Data   []byte `json:"data"`
	Format string `json:"format"`
	Base   string `json:"base"`
	// Replace removes what the graph had.
	Replace bool `json:"replace"`
}

func (c *Call) put(r putRequest) (any, error) {
	return c.use(r.Store, func(s *rdfgpu.Store) (any, error) {
		options := rdfgpu.GraphOptions{Format: r.Format, Base: r.Base, Replace: r.Replace}
		if r.File == "" {
			report, _, err := s.PutGraph(c.ctx, r.Graph, bytes.NewReader(r.Data), options)
			return report, c.cause(err)
		}
		in, out := io.Pipe()
		read := make(chan error, 1)
		go func() {
			_, err := rdfgpu.Convert(c.ctx, []string{r.File}, out, rdfgpu.ConvertOptions{To: "ntriples", From: r.Format, Base: r.Base})
			out.CloseWithError(err)
			read <- err
		}()
		options.Format = "ntriples"
		report, _, err := s.PutGraph(c.ctx, r.Graph, in, options)
		in.CloseWithError(errStop)
		if fault := <-read; fault != nil && !errors.Is(fault, errStop) {
			err = fault // what PutGraph met was its echo
		}
		return report, c.cause(err)
	})
}

// errStop ends a reader whose document is not wanted any more.
var errStop = errors.New("stop")

// dumpRequest asks for a snapshot as N-Quads.
type dumpRequest struct {
	storeNumber
	// Graph, where it is there, is the one graph to write, "" the default graph.
	Graph *string `json:"graph"`
	// Triples leaves the names of graphs out.
	Triples bool `json:"triples"`
}

func (c *Call) dump(r dumpRequest) (any, error) {
	return c.use(r.Store, func(s *rdfgpu.Store) (any, error) {
		report, err := s.Dump(c.ctx, pieces{c}, rdfgpu.DumpOptions{Graph: r.Graph, Triples: r.Triples})
		return report, c.cause(err)
	})
}

// pieces tells what is written to it.
type pieces struct{ call *Call }

// Write tells a copy of p.
func (w pieces) Write(p []byte) (int, error) {
	if err := w.call.tell(Event{Kind: Bytes, Text: append([]byte(nil), p...)}); err != nil {
		return 0, err
	}
	return len(p), nil
}
