package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

var (
	// ErrDamaged says that a file of the store is not what was written; the error names it.
	ErrDamaged = section.ErrDamaged
	// ErrVersion says that the store, or a file of it, has a format version that this program does not read.
	ErrVersion = section.ErrVersion
	// ErrNotStore says that a folder holds no finished store.
	ErrNotStore = errors.New("not a store")
	// ErrBusy says that another load is writing the store.
	ErrBusy = errors.New("another load is writing this store")
)

// Version is the format version of manifest.json and of the layout of the folder.
const Version = 1

const (
	manifestFile    = "manifest.json"
	manifestFormat  = "rdfgpu store"
	maxManifestSize = 1 << 30
)

// Manifest is the content of manifest.json.
type Manifest struct {
	Format     string    `json:"format"`
	Version    int       `json:"version"`
	Generation string    `json:"generation"`
	Created    time.Time `json:"created"`
	Sources    []string  `json:"sources,omitempty"`
	// Triples counts the default graph and the named graphs.
	Triples uint64 `json:"triples"`
	Terms   int    `json:"terms"`
	// Predicates is how many of the terms are edge labels.
	Predicates int     `json:"predicates"`
	Default    Graph   `json:"default"`
	Named      []Graph `json:"named,omitempty"`
	// Files are the dictionary's; a graph has its own.
	Files []File `json:"files"`
	// Checksum is the XXH3 of the manifest's JSON, without indentation, with an empty Checksum.
	Checksum string `json:"checksum"`
}

// File is one file of a generation.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	// Sum is the XXH3 of the file's header, which covers the checksums of all its sections.
	Sum string `json:"sum"`
}

// Graph is one graph of the data set.
type Graph struct {
	// ID is the graph's name; dictionary.None for the default graph.
	ID      dictionary.ID `json:"id"`
	Triples uint64        `json:"triples"`
	File
}

// Bytes is the size of all files.
func (m *Manifest) Bytes() int64 {
	total := m.Default.Bytes
	for _, f := range m.Files {
		total += f.Bytes
	}
	for _, g := range m.Named {
		total += g.Bytes
	}
	return total
}

func (m *Manifest) sum() (string, error) {
	plain := *m
	plain.Checksum = ""
	b, err := json.Marshal(&plain)
	return formatSum(xxh3.Hash(b)), err
}

func formatSum(sum uint64) string { return fmt.Sprintf("%016x", sum) }

func readManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestFile)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("store: %s: %w: there is no %s", dir, ErrNotStore, manifestFile)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxManifestSize {
		return nil, damaged(path, errors.New("it is no file of a usual size"))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return parseManifest(path, b)
}

func parseManifest(path string, b []byte) (*Manifest, error) {
	// A newer version may mean anything by the other fields: it is looked at first.
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(b, &head); err != nil || head.Format != manifestFormat || head.Version < 1 {
		return nil, damaged(path, errors.New("it is not the manifest of a store"))
	}
	if head.Version > Version {
		return nil, fmt.Errorf("store: %s: %w: the store has version %d, this program reads up to %d", path, ErrVersion, head.Version, Version)
	}
	m := new(Manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, damaged(path, err)
	}
	sum, err := m.sum()
	if err != nil {
		return nil, damaged(path, err)
	}
	if sum != m.Checksum {
		return nil, damaged(path, errors.New("its checksum does not match"))
	}
	if !generationName.MatchString(m.Generation) {
		return nil, damaged(path, errors.New("it names no generation"))
	}
	return m, m.checkNames(path)
}

// checkNames makes sure that no name leads out of the generation's folder.
func (m *Manifest) checkNames(path string) error {
	for _, f := range append(m.Files, m.Default.File) {
		if f.Name != filepath.Base(f.Name) {
			return damaged(path, fmt.Errorf("%q is not the name of a file", f.Name))
		}
	}
	for i, g := range m.Named {
		if g.Name != filepath.Base(g.Name) || i > 0 && g.ID <= m.Named[i-1].ID {
			return damaged(path, fmt.Errorf("graph %q is out of place", g.Name))
		}
	}
	return nil
}

var generationName = regexp.MustCompile(`^gen-[0-9]{6,9}$`)

func damaged(path string, err error) error {
	return fmt.Errorf("store: %s: %w: %w", path, ErrDamaged, err)
}
