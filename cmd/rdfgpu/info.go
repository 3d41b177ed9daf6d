package main

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu"
)

type infoCommand struct {
	Store  string `arg:"" optional:"" help:"Folder of the store."`
	Device bool   `help:"Describe the GPU instead, and what of the store is resident there."`
	JSON   bool   `name:"json" help:"As JSON."`
}

// Help is shown by rdfgpu info --help.
func (*infoCommand) Help() string {
	return `Examples:
  rdfgpu info my.store
  rdfgpu info --device`
}

// Run describes the store or the device.
func (c *infoCommand) Run(env *environment) error {
	if c.Device && c.Store == "" {
		return c.print(env, rdfgpu.DescribeDevice())
	}
	if c.Store == "" {
		return usageError("name a store, or ask for --device")
	}
	store, err := rdfgpu.Open(c.Store, rdfgpu.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	if c.Device {
		return c.print(env, store.Device())
	}
	info, err := store.Info()
	if err != nil {
		return err
	}
	return c.print(env, info)
}

func (c *infoCommand) print(env *environment, v fmt.Stringer) error {
	if c.JSON {
		return writeJSON(env.stdout, v)
	}
	_, err := fmt.Fprintln(env.stdout, v)
	return err
}

type verifyCommand struct {
	Store string `arg:"" help:"Folder of the store."`
}

// Help is shown by rdfgpu verify --help.
func (*verifyCommand) Help() string {
	return `Reads all of every segment: checksums, what each file promises, and that no segment has a term or a triple
that one before it has.

Example:
  rdfgpu verify my.store`
}

// Run checks the store.
func (c *verifyCommand) Run(env *environment) error {
	if err := rdfgpu.Verify(c.Store); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.stdout, "%s: every checksum and invariant holds\n", c.Store)
	return err
}
