package main

import "errors"

type serveCommand struct{}

// Run serves.
func (serveCommand) Run() error { return errors.New("not wired up yet") }
