package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

type healthCommand struct {
	Server  string        `arg:"" optional:"" default:"http://127.0.0.1:7878/" help:"Address of the server."`
	Timeout time.Duration `default:"3s" help:"Longest that the server may take to answer."`
	access
}

// Help is shown by rdfgpu health --help.
func (*healthCommand) Help() string {
	return `Asks a server whether it takes queries: exit code 0 where it does, 1 where it does not. For containers and supervisors that have no
other client at hand.

Example:
  rdfgpu health http://127.0.0.1:7878/`
}

// Run asks the server.
func (c *healthCommand) Run(env *environment) error {
	if !isAddress(c.Server) {
		return usageError(fmt.Sprintf("%q is no address: expected one such as http://127.0.0.1:7878/", c.Server))
	}
	server, err := c.remote(c.Server)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(env.ctx, c.Timeout, fmt.Errorf("%s does not answer within %v", c.Server, c.Timeout))
	defer cancel()
	answer, err := server.ask(ctx, http.MethodGet, "readyz", nil, nil, http.Header{})
	if err != nil {
		return fmt.Errorf("not ready: %w", firstError(context.Cause(ctx), err))
	}
	if err := answer.Body.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(env.stdout, "ready")
	return err
}
