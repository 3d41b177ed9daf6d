package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// openedAtOnce is how many named graphs Open opens; where there are more, each is opened when it is first asked for,
// which fails when another process has replaced the store in the meantime (Lock.Keep). A graph above 32 KiB costs a mapping, of which Linux
// allows a process about 65,000; a smaller one lies in memory.
const openedAtOnce = 256

// Store is an open store. Its methods are safe for concurrent use, except Close.
type Store struct {
	// Dictionary has the terms of all segments.
	Dictionary *dictionary.Dictionary
	// Default is the default graph: what all segments together make of it.
	Default *pcsr.Graph

	dir      string
	manifest *Manifest
	file     os.FileInfo // the manifest's, when it was read
	ends     []int       // by segment: the number of terms up to and including it
	standard *graph      // the default graph
	mu       sync.Mutex  // of named graphs that are opened
	named    map[dictionary.ID]*graph
	lists    map[int]*listedGraphs // by segment
	names    []dictionary.ID       // of those in named that have triples
	unlisted []dictionary.ID       // of those in names that are no lists
	made     []*graph              // made of lists, the last ones, the oldest of them at madeNext where there are mostMade
	madeNext int
}

// Open maps the store in dir. It checks the manifest, and of each file its size and the checksums of header and table;
// it does not read the rest (Verify does). A reader takes no lock: when a load replaces the store meanwhile, it opens
// either the old one or the new one.
func Open(dir string) (*Store, error) {
	for {
		m, file, err := readManifestFile(dir)
		if err != nil {
			return nil, err
		}
		s, err := openSegments(dir, m)
		if err == nil {
			s.file = file
		}
		if err == nil || !errors.Is(err, os.ErrNotExist) {
			return s, err
		}
		// A segment may have been replaced between the two steps.
		if now, e := readManifest(dir); e != nil || now.Checksum == m.Checksum {
			return nil, fmt.Errorf("store: %w: a file is missing: %w", ErrDamaged, err)
		}
	}
}

// Replaced reports whether the store's folder holds another store by now: one that was loaded, added to or compacted. It
// looks at the manifest's entry in the folder only.
func (s *Store) Replaced() bool {
	now, err := os.Stat(filepath.Join(s.dir, manifestFile))
	return err == nil && !(os.SameFile(now, s.file) && now.ModTime().Equal(s.file.ModTime()))
}

// Present is nil while the folder holds a store: this one with every file that it has, or another that took its place. It
// looks at the folder's entries only.
func (s *Store) Present() error {
	if _, err := os.Stat(filepath.Join(s.dir, manifestFile)); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for i := range s.manifest.Segments {
		for _, f := range s.manifest.Segments[i].Files {
			if err := s.checkPresent(i, f); err != nil && !s.Replaced() {
				return err
			}
		}
	}
	return nil
}

func (s *Store) checkPresent(segment int, f File) error {
	path := s.path(segment, f.Name)
	switch info, err := os.Stat(path); {
	case err != nil:
		return fmt.Errorf("store: %w", err)
	case info.Size() != f.Bytes:
		return damaged(path, fmt.Errorf("it has %d bytes, the manifest says %d", info.Size(), f.Bytes))
	}
	return nil
}

func openSegments(dir string, m *Manifest) (*Store, error) {
	s := &Store{dir: dir, manifest: m, standard: &graph{}, named: map[dictionary.ID]*graph{}}
	if err := section.Guard(s.open); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open() error {
	terms := 0
	var folders []string
	for i := range s.manifest.Segments {
		segment := &s.manifest.Segments[i]
		terms += segment.Terms
		s.ends = append(s.ends, terms)
		folders = append(folders, filepath.Join(s.dir, segment.Folder))
		for _, f := range segment.Files {
			if err := s.checkFile(i, f); err != nil {
				return err
			}
		}
		if err := s.openLists(i); err != nil {
			return err
		}
		if err := s.listGraphs(i); err != nil {
			return err
		}
	}
	if err := s.openDictionary(folders); err != nil {
		return err
	}
	var err error
	if s.Default, err = s.union(s.standard); err != nil {
		return err
	}
	for name, g := range s.named {
		if g.triples > 0 {
			s.names = append(s.names, name)
		}
	}
	slices.Sort(s.names)
	for _, name := range s.names {
		if s.listed(name) == nil {
			s.unlisted = append(s.unlisted, name)
		}
	}
	if len(s.names) <= openedAtOnce {
		for _, name := range s.names {
			if _, err := s.Named(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// openDictionary opens the dictionaries of all segments as one.
func (s *Store) openDictionary(folders []string) (err error) {
	if s.Dictionary, err = dictionary.Open(folders...); err != nil {
		return err
	}
	for i, part := range s.Dictionary.Segments() {
		if want := &s.manifest.Segments[i]; part.Len() != want.Terms || part.Section(dictionary.Predicates).Len() != want.Predicates {
			return damaged(s.path(i, dictionary.TermsFile), errors.New("it has not as many terms as the manifest says"))
		}
	}
	return nil
}

func (s *Store) path(segment int, name string) string {
	return filepath.Join(s.dir, s.manifest.Segments[segment].Folder, name)
}

func (s *Store) manifestPath() string { return filepath.Join(s.dir, manifestFile) }

// checkFile compares a file's size and header with the manifest.
func (s *Store) checkFile(segment int, f File) error {
	path := s.path(segment, f.Name)
	size, sum, err := section.Identity(path)
	switch {
	case err != nil:
		return err
	case size != f.Bytes:
		return damaged(path, fmt.Errorf("it has %d bytes, the manifest says %d", size, f.Bytes))
	case formatSum(sum) != f.Sum:
		return damaged(path, errors.New("it is not the file that the manifest was written for"))
	}
	return nil
}

// Close unmaps everything; nothing that came from the store may be used any more.
func (s *Store) Close() error {
	var err error
	if s.Dictionary != nil {
		err = s.Dictionary.Close()
	}
	if s.standard != nil {
		err = errors.Join(err, s.standard.close())
	}
	for _, n := range s.named {
		err = errors.Join(err, n.close())
	}
	for _, l := range s.lists {
		err = errors.Join(err, l.Close())
	}
	s.lists = nil
	s.Dictionary, s.Default, s.standard, s.named, s.names, s.unlisted = nil, nil, nil, nil, nil, nil
	return err
}

// Prefetch asks the system to read the dictionary and the default graph ahead.
func (s *Store) Prefetch() {
	s.Dictionary.Prefetch()
	s.Default.Prefetch()
}

// Manifest is what manifest.json said when the store was opened; not to be changed.
func (s *Store) Manifest() *Manifest { return s.manifest }

// NamedGraphs are the IDs of the names of the named graphs that have triples, in ascending order; not to be changed.
func (s *Store) NamedGraphs() []dictionary.ID { return s.names }

// Triples is how many triples a named graph has.
func (s *Store) Triples(name dictionary.ID) uint64 {
	if g := s.named[name]; g != nil {
		return g.triples
	}
	return 0
}

// Named is the named graph with that name, nil when there is none.
func (s *Store) Named(name dictionary.ID) (*pcsr.Graph, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.named[name]
	if n == nil || n.triples == 0 {
		return nil, nil
	}
	return s.union(n)
}

// Query is an example query that lies in the store.
type Query struct {
	// Name is the name of the file without ".rq".
	Name string
	Text string
}

// maxQuery bounds the example queries, in bytes.
const maxQuery = 1 << 20

// Queries reads the example queries, by name; none when there is no folder of them.
func (s *Store) Queries() ([]Query, error) {
	files, err := filepath.Glob(filepath.Join(s.dir, queriesFolder, "*.rq"))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	slices.Sort(files)
	var queries []Query
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxQuery {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		queries = append(queries, Query{strings.TrimSuffix(filepath.Base(path), ".rq"), string(b)})
	}
	return queries, nil
}
