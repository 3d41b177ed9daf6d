package waltest

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// Operation is what is asked of a disk.
type Operation string

// The operations that can fail.
const (
	Create   Operation = "create"
	Open     Operation = "open"
	Rename   Operation = "rename"
	Remove   Operation = "remove"
	SyncDir  Operation = "sync folder"
	Read     Operation = "read"
	Write    Operation = "write"
	Allocate Operation = "allocate"
	Truncate Operation = "truncate"
	SyncData Operation = "sync data"
	Sync     Operation = "sync"
)

// Disk is a [wal.Folder] in memory. For use by any number of goroutines.
type Disk struct {
	// Fault, where it is set, is asked before each operation; its error is the operation's. A write, of so many bytes, then
	// writes some of them. It must not call the disk.
	Fault func(op Operation, name string, bytes int) error
	// SyncTakes is how long a sync of a file's data lasts. Others use the disk meanwhile; what they write is not part of it.
	SyncTakes time.Duration

	mu      sync.Mutex
	random  *rand.Rand
	files   map[string]*file
	durable map[string]*file
	changes []change // of the folder, since it was synced
}

// change is a change of the folder: a file gets a name, or a name loses its file.
type change struct {
	name string
	file *file
	from string // the name that the file had, ""
}

func (c *change) apply(files map[string]*file) {
	if c.from != "" {
		delete(files, c.from)
	}
	if c.file == nil {
		delete(files, c.name)
	} else {
		files[c.name] = c.file
	}
}

// New makes an empty disk that makes its choices from a seed.
func New(seed uint64) *Disk {
	return &Disk{random: rand.New(rand.NewPCG(seed, 1)), files: map[string]*file{}, durable: map[string]*file{}}
}

// fault is the error of an operation, nil where it is to succeed; bytes are those of a write.
func (d *Disk) fault(op Operation, name string, bytes int) error {
	if d.Fault == nil {
		return nil
	}
	if err := d.Fault(op, name, bytes); err != nil {
		return &fs.PathError{Op: string(op), Path: name, Err: err}
	}
	return nil
}

// Crash is a power cut: the disk is what of it was durable, and some of what was not. Blocks have so many bytes. Files
// that are open must not be used any more.
func (d *Disk) Crash(block int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ordered := d.random.IntN(2) == 0 // as in a journal: all changes up to one
	until := d.random.IntN(len(d.changes) + 1)
	for i, c := range d.changes {
		if ordered && i < until || !ordered && d.random.IntN(2) == 0 {
			c.apply(d.durable)
		}
	}
	d.changes = nil
	for _, name := range slices.Sorted(maps.Keys(d.durable)) {
		d.durable[name].crash(d.random, block)
	}
	d.files = maps.Clone(d.durable)
}

// Names implements wal.Folder, as do the methods below.
func (d *Disk) Names() ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.files)), nil
}

func (d *Disk) change(op Operation, c change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(op, c.name, 0); err != nil {
		return err
	}
	if op != Create {
		from := c.name
		if op == Rename {
			from = c.from
		}
		if d.files[from] == nil {
			return &fs.PathError{Op: string(op), Path: from, Err: fs.ErrNotExist}
		}
		if op == Rename {
			c.file = d.files[from]
		}
	}
	c.apply(d.files)
	d.changes = append(d.changes, c)
	return nil
}

func (d *Disk) Create(name string) (wal.File, error) {
	f := &file{}
	if err := d.change(Create, change{name: name, file: f}); err != nil {
		return nil, err
	}
	return &handle{d, f, name}, nil
}

func (d *Disk) Open(name string, write bool) (wal.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(Open, name, 0); err != nil {
		return nil, err
	}
	f := d.files[name]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &handle{d, f, name}, nil
}

func (d *Disk) Rename(from, to string) error {
	return d.change(Rename, change{name: to, from: from})
}

func (d *Disk) Remove(name string) error { return d.change(Remove, change{name: name}) }

func (d *Disk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(SyncDir, "", 0); err != nil {
		return err
	}
	for _, c := range d.changes {
		c.apply(d.durable)
	}
	d.changes = nil
	return nil
}

// Bytes are those of a file as programs see them, to be looked at and changed by tests; nil where there is none.
func (d *Disk) Bytes(name string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[name]; f != nil {
		return f.now
	}
	return nil
}

// Put makes a file of some bytes, durable.
func (d *Disk) Put(name string, b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := &file{now: slices.Clone(b), disk: slices.Clone(b)}
	d.files[name], d.durable[name] = f, f
}

// Clone is a disk with the same files, all of them durable.
func (d *Disk) Clone(seed uint64) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := New(seed)
	for name, f := range d.files {
		c.Put(name, f.now)
	}
	return c
}
