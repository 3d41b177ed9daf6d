package main

import (
	"io"
	"log/slog"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/mcp"
)

type mcpCommand struct {
	Store   string        `arg:"" help:"Folder of the store."`
	Timeout time.Duration `default:"60s" help:"Longest a query may take."`
	Device  string        `enum:"auto,cpu,gpu" default:"auto" help:"Where patterns are matched: auto, cpu or gpu."`
	Threads int           `placeholder:"N" help:"Threads to use (default: all cores)."`
	limits
	GPUMemory    byteSize `name:"gpu-memory" placeholder:"SIZE" help:"Device memory to use (default: most of it); graphs may be larger."`
	AllowService []string `placeholder:"URL" help:"SPARQL endpoints that SERVICE may ask (default: none)."`
}

// Help is shown by rdfgpu mcp --help.
func (*mcpCommand) Help() string {
	return `A client starts this command and speaks to it; docs/MCP.md has the configuration of some. A server has the same
tools at /mcp.

Example:
  claude mcp add my-graph -- rdfgpu mcp /path/to/my.store`
}

// Run answers until standard input ends.
func (c *mcpCommand) Run(env *environment) error {
	budget := c.budget()
	store, err := rdfgpu.Open(c.Store, rdfgpu.Options{
		Threads: c.Threads, GPUMemory: int64(c.GPUMemory), Device: rdfgpu.Device(c.Device), Services: c.AllowService, Budget: budget,
	})
	if err != nil {
		return err
	}
	open := &governed{store, budget.Govern()}
	defer open.Close()
	source := mcp.StoreSource(store, rdfgpu.QueryOptions{Timeout: c.Timeout, MaxMemory: int64(c.QueryMemory)})
	tools := mcp.New(mcp.Options{Budget: budget, Log: slog.New(slog.NewTextHandler(env.stderr, nil))})
	err = tools.Serve(env.ctx, source, closer(env.stdin), nopCloser{env.stdout})
	if env.ctx.Err() != nil {
		return nil
	}
	return err
}

// closer is a reader that ends its reading when it is closed, where it can.
func closer(r io.Reader) io.ReadCloser {
	if c, ok := r.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(r)
}

// nopCloser is a writer that stays open.
type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }
