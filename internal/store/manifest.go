package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	// ErrBusy says that the store is being changed: by a load, or by a process that has it open for updates.
	ErrBusy = errors.New("another process is changing this store")
	// ErrUnsafe says that a load is in place, but the folder could not be made durable (Lock.Sync).
	ErrUnsafe = errors.New("the new store is in place, but may not survive a power cut")

	// errOlder says that the store is of an older version, which a load may replace.
	errOlder = errors.New("load it again")
)

// Version is the format version of manifest.json and of the layout of the folder. A store whose graphs all have files of their own has PlainVersion; one of version 2, which
// has neither removed triples nor a log, is read too.
const Version, PlainVersion, oldestVersion = 4, 3, 2

const (
	manifestFile    = "manifest.json"
	manifestFormat  = "rdfgpu store"
	maxManifestSize = 1 << 30
)

// Manifest is the content of manifest.json.
type Manifest struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Created time.Time `json:"created"`
	Sources []string  `json:"sources,omitempty"`
	// Triples counts those of the default graph and the named graphs that are there, after all segments.
	Triples uint64 `json:"triples"`
	Terms   int    `json:"terms"`
	// Predicates is how many of the terms are edge labels, or were before their triples were removed.
	Predicates int `json:"predicates"`
	// BlankScope is the highest number that keeps the blank nodes of an input apart from those of others.
	BlankScope int `json:"blankScope"`
	// Segments are the base and what was added to it, in this order.
	Segments []Segment `json:"segments"`
	Log
	// Backup says that the folder is a backup, which nothing but the next backup changes.
	Backup bool `json:"backup,omitempty"`
	// Checksum is the XXH3 of the manifest's JSON, without indentation, with an empty Checksum.
	Checksum string `json:"checksum"`
}

// Log says how far the segments follow the log of commits that lies in LogFolder.
type Log struct {
	// ID tells the log from that of any other store (Lock.StartLog); "" where there is none.
	ID string `json:"log,omitempty"`
	// Sequence is the last commit that the segments contain.
	Sequence uint64 `json:"sequence,omitempty"`
}

// Segment is one folder of files, which are never changed: the terms that no segment before it has, and for each graph the
// triples that it adds to what the segments before it have of that graph, and those that it removes from it.
type Segment struct {
	Folder  string    `json:"folder"`
	Created time.Time `json:"created"`
	// Triples counts those that it adds to all its graphs, Terms those of its dictionary, and Predicates the edge labels among them.
	Triples    uint64 `json:"triples"`
	Terms      int    `json:"terms"`
	Predicates int    `json:"predicates"`
	// LatePredicates are the terms of earlier segments that became edge labels with this one, ascending.
	LatePredicates []dictionary.ID `json:"latePredicates,omitempty"`
	// Default is nil where the segment adds nothing to the default graph; the base always has it.
	Default *Graph  `json:"default,omitempty"`
	Named   []Graph `json:"named,omitempty"`
	// Lists is the file that small named graphs share (pcsr.Lists); nil where there are none.
	Lists *File `json:"lists,omitempty"`
	// Removed are the triples of earlier segments that are gone with this one, by graph, Cleared the graphs of which all
	// that earlier segments have is gone; dictionary.None, the default graph, comes last. No graph is in both, and the base
	// has neither.
	Removed []Graph         `json:"removed,omitempty"`
	Cleared []dictionary.ID `json:"cleared,omitempty"`
	// Commits are those of the log whose changes the segment has, and nothing else, or has together with others of the same commits; nil where
	// it has other triples too.
	Commits *Commits `json:"commits,omitempty"`
	// Files are the dictionary's; graphs have their own.
	Files []File `json:"files"`
}

// File is one file of a segment.
type File struct {
	Name  string `json:"name,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
	// Sum is the XXH3 of the file's header, which covers the checksums of all its sections.
	Sum string `json:"sum,omitempty"`
}

// Graph is what a segment adds to one graph of the data set, or removes from it.
type Graph struct {
	// ID is the graph's name; dictionary.None for the default graph.
	ID      dictionary.ID `json:"id"`
	Triples uint64        `json:"triples"`
	// First is the place, from 1 on, of the first of its triples in the segment's Lists, of which it then is without a File of its own.
	First uint64 `json:"first,omitempty"`
	File
}

// Bytes is the size of all files.
func (m *Manifest) Bytes() int64 {
	total := int64(0)
	for i := range m.Segments {
		total += m.Segments[i].Bytes()
	}
	return total
}

// Graphs are the graphs that the segment adds to, the default graph first where it is one of them.
func (s *Segment) Graphs() []Graph {
	if s.Default == nil {
		return s.Named
	}
	return append([]Graph{*s.Default}, s.Named...)
}

// AllFiles are the segment's files: the dictionary's, then those of graphs.
func (s *Segment) AllFiles() []File {
	files := slices.Clone(s.Files)
	for _, g := range slices.Concat(s.Graphs(), s.Removed) {
		if g.First == 0 {
			files = append(files, g.File)
		}
	}
	if s.Lists != nil {
		files = append(files, *s.Lists)
	}
	return files
}

// NamedBytes is the size of the files of named graphs.
func (s *Segment) NamedBytes() int64 {
	total := int64(0)
	for _, g := range s.Named {
		total += g.Bytes
	}
	if s.Lists != nil {
		total += s.Lists.Bytes
	}
	return total
}

// Bytes is the size of the segment's files.
func (s *Segment) Bytes() int64 {
	total := int64(0)
	for _, f := range s.AllFiles() {
		total += f.Bytes
	}
	return total
}

// Removes reports whether triples of earlier segments are gone with the segment.
func (s *Segment) Removes() bool { return len(s.Removed) > 0 || len(s.Cleared) > 0 }

func (m *Manifest) sum() (string, error) {
	plain := *m
	plain.Checksum = ""
	b, err := json.Marshal(&plain)
	return formatSum(xxh3.Hash(b)), err
}

func formatSum(sum uint64) string { return fmt.Sprintf("%016x", sum) }

func readManifest(dir string) (*Manifest, error) {
	m, _, err := readManifestFile(dir)
	return m, err
}

// readManifestFile is readManifest that also tells which file it read.
func readManifestFile(dir string) (*Manifest, os.FileInfo, error) {
	path := filepath.Join(dir, manifestFile)
	file, err := os.Open(path)
	if at, statErr := os.Stat(dir); statErr == nil && !at.IsDir() {
		return nil, nil, fmt.Errorf("store: %s: %w: it is a file, of which load can make one if it is RDF", dir, ErrNotStore)
	} else if errors.Is(err, os.ErrNotExist) {
		why := "there is no " + manifestFile
		switch {
		case strings.Contains(dir, "://"):
			why = "it is an address, and this wants the folder"
		case errors.Is(statErr, os.ErrNotExist):
			why = "there is no such folder"
		}
		return nil, nil, fmt.Errorf("store: %s: %w: %s", dir, ErrNotStore, why)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("store: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("store: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxManifestSize {
		return nil, nil, damaged(path, errors.New("it is no file of a usual size"))
	}
	b, err := io.ReadAll(file)
	if err != nil {
		return nil, nil, fmt.Errorf("store: %w", err)
	}
	m, err := parseManifest(path, b)
	return m, info, err
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
		return nil, fmt.Errorf("store: %s: %w: the store has version %d, this program reads version %d", path, ErrVersion, head.Version, Version)
	}
	if head.Version < oldestVersion {
		return nil, fmt.Errorf("store: %s: %w: the store has version %d, this program reads version %d; %w",
			path, ErrVersion, head.Version, Version, errOlder)
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
	if err := m.check(path); err != nil {
		return nil, err
	}
	return m, nil
}

// check makes sure that the segments fit together and that no name leads out of the store's folder.
func (m *Manifest) check(path string) error {
	var sum Segment
	folders := map[string]bool{}
	for i := range m.Segments {
		s := &m.Segments[i]
		if !generationName.MatchString(s.Folder) || folders[s.Folder] {
			return damaged(path, fmt.Errorf("%q is not the folder of a segment", s.Folder))
		}
		folders[s.Folder] = true
		if err := s.check(path, i == 0); err != nil {
			return err
		}
		sum.Terms += s.Terms
		sum.Predicates += s.Predicates + len(s.LatePredicates)
	}
	counts, err := m.count()
	if err != nil {
		return damaged(path, err)
	}
	if len(m.Segments) == 0 || m.Triples != counts.total() || m.Terms != sum.Terms || m.Predicates != sum.Predicates {
		return damaged(path, errors.New("its segments are not what it sums up"))
	}
	return nil
}

func (s *Segment) check(path string, base bool) error {
	for _, f := range s.AllFiles() {
		if f.Name != filepath.Base(f.Name) {
			return damaged(path, fmt.Errorf("%q is not the name of a file", f.Name))
		}
	}
	for _, g := range s.Named {
		if g.First > 0 && (s.Lists == nil || g.Name != "") {
			return damaged(path, fmt.Errorf("graph %d of segment %s lies in no file, or in two", g.ID, s.Folder))
		}
	}
	if s.Default != nil && s.Default.First > 0 || slices.ContainsFunc(s.Removed, func(g Graph) bool { return g.First > 0 }) {
		return damaged(path, fmt.Errorf("in segment %s more than named graphs are lists", s.Folder))
	}
	if c := s.Commits; c != nil && c.After >= c.Last {
		return damaged(path, fmt.Errorf("segment %s has no commits behind %d up to %d", s.Folder, c.After, c.Last))
	}
	if s.Terms < 0 || s.Predicates < 0 || base && (s.Default == nil || s.Removes()) {
		return damaged(path, fmt.Errorf("segment %s is not whole", s.Folder))
	}
	last := len(s.Named) - 1
	if s.Default != nil && s.Default.ID != dictionary.None || last >= 0 && s.Named[last].ID == dictionary.None ||
		!inOrder(s.Named) || !inOrder(s.Removed) || !slices.IsSorted(s.Cleared) {
		return damaged(path, fmt.Errorf("the graphs of segment %s are out of place", s.Folder))
	}
	triples := uint64(0)
	for _, g := range s.Graphs() {
		triples += g.Triples
	}
	if triples != s.Triples {
		return damaged(path, fmt.Errorf("the graphs of segment %s have %d triples, not %d", s.Folder, triples, s.Triples))
	}
	return nil
}

// inOrder reports whether the names of graphs ascend.
func inOrder(graphs []Graph) bool {
	for i := 1; i < len(graphs); i++ {
		if graphs[i].ID <= graphs[i-1].ID {
			return false
		}
	}
	return true
}

var generationName = regexp.MustCompile(`^gen-[0-9]{6,9}$`)

func damaged(path string, err error) error {
	return fmt.Errorf("store: %s: %w: %w", path, ErrDamaged, err)
}
