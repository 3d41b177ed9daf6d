package main

import (
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// writing are the flags of commands that open a store to change it.
type writing struct {
	Durability durability `default:"sync" placeholder:"WHEN" help:"When an update is acknowledged: sync (on the disk), group=5ms (on the disk, synced so often), none (with the operating system)."`
	AllowLoad  []string   `placeholder:"PREFIX" help:"What LOAD may read: prefixes of http IRIs, or folders as file IRIs that end in / (default: nothing)."`
}

// in puts the flags into the options of a store.
func (w *writing) in(options *rdfgpu.Options) {
	options.Writable, options.Loads = true, w.AllowLoad
	options.Durability, options.GroupEvery = w.Durability.when, w.Durability.every
}

// durability is sync, group=DURATION or none.
type durability struct {
	when  rdfgpu.Durability
	every time.Duration
}

// UnmarshalText reads it; kong calls it.
func (d *durability) UnmarshalText(text []byte) (err error) {
	d.when, d.every, err = rdfgpu.ParseDurability(string(text))
	return err
}
