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
// which fails when the store has been replaced in the meantime. A graph above 32 KiB costs a mapping, of which Linux
// allows a process about 65,000; a smaller one lies in memory.
const openedAtOnce = 256

// Store is an open store. Its methods are safe for concurrent use, except Close.
type Store struct {
	Dictionary *dictionary.Dictionary
	// Default is the default graph.
	Default *pcsr.Graph

	dir      string
	manifest *Manifest
	mu       sync.Mutex
	named    map[dictionary.ID]*namedGraph
	names    []dictionary.ID
}

type namedGraph struct {
	Graph
	open *pcsr.Graph
}

// Open maps the store in dir. It checks the manifest, and of each file its size and the checksums of header and table;
// it does not read the rest (Verify does). A reader takes no lock: when a load replaces the store meanwhile, it opens
// either the old one or the new one.
func Open(dir string) (*Store, error) {
	for {
		m, err := readManifest(dir)
		if err != nil {
			return nil, err
		}
		s, err := openGeneration(dir, m)
		if err == nil || !errors.Is(err, os.ErrNotExist) {
			return s, err
		}
		// The generation may have been replaced between the two steps.
		if now, e := readManifest(dir); e != nil || now.Generation == m.Generation {
			return nil, fmt.Errorf("store: %w: a file is missing: %w", ErrDamaged, err)
		}
	}
}

func openGeneration(dir string, m *Manifest) (*Store, error) {
	s := &Store{dir: dir, manifest: m, named: make(map[dictionary.ID]*namedGraph, len(m.Named))}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open() error {
	m := s.manifest
	for _, f := range m.Files {
		if err := s.checkFile(f); err != nil {
			return err
		}
	}
	var err error
	if s.Dictionary, err = dictionary.Open(filepath.Join(s.dir, m.Generation)); err != nil {
		return err
	}
	if s.Dictionary.Len() != m.Terms || s.Dictionary.Section(0, dictionary.Predicates).Len() != m.Predicates {
		return damaged(s.path(dictionary.TermsFile), errors.New("it has not as many terms as the manifest says"))
	}
	if s.Default, err = s.openGraph(m.Default); err != nil {
		return err
	}
	for _, g := range m.Named {
		if int(g.ID) >= m.Terms {
			return damaged(filepath.Join(s.dir, manifestFile), fmt.Errorf("graph %s has no name", g.Name))
		}
		n := &namedGraph{Graph: g}
		s.named[g.ID] = n
		s.names = append(s.names, g.ID)
		if len(m.Named) <= openedAtOnce {
			if n.open, err = s.openGraph(g); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, s.manifest.Generation, name) }

// checkFile compares a file's size and header with the manifest.
func (s *Store) checkFile(f File) error {
	path := s.path(f.Name)
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

// CheckFiles compares the sizes and headers of all files with the manifest, as Open did.
func (s *Store) CheckFiles() error {
	files := append(slices.Clone(s.manifest.Files), s.manifest.Default.File)
	for _, g := range s.manifest.Named {
		files = append(files, g.File)
	}
	for _, f := range files {
		if err := s.checkFile(f); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) openGraph(g Graph) (*pcsr.Graph, error) {
	if err := s.checkFile(g.File); err != nil {
		return nil, err
	}
	graph, err := pcsr.Open(s.path(g.Name))
	if err != nil {
		return nil, err
	}
	if graph.Edges() != g.Triples || graph.Vertices() != s.manifest.Terms || graph.Labels() != s.manifest.Predicates {
		err = damaged(s.path(g.Name), errors.New("its numbers of triples, vertices and labels are not the manifest's"))
		return nil, errors.Join(err, graph.Close())
	}
	return graph, nil
}

// Close unmaps everything; nothing that came from the store may be used any more.
func (s *Store) Close() error {
	var err error
	if s.Dictionary != nil {
		err = s.Dictionary.Close()
	}
	if s.Default != nil {
		err = errors.Join(err, s.Default.Close())
	}
	for _, n := range s.named {
		if n.open != nil {
			err = errors.Join(err, n.open.Close())
		}
	}
	s.Dictionary, s.Default, s.named, s.names = nil, nil, nil, nil
	return err
}

// Prefetch asks the system to read the dictionary and the default graph ahead.
func (s *Store) Prefetch() {
	s.Dictionary.Prefetch()
	s.Default.Prefetch()
}

// Manifest is what manifest.json said when the store was opened; not to be changed.
func (s *Store) Manifest() *Manifest { return s.manifest }

// NamedGraphs are the IDs of the names of the named graphs, in ascending order; not to be changed.
func (s *Store) NamedGraphs() []dictionary.ID { return s.names }

// Named is the named graph with that name, nil when there is none.
func (s *Store) Named(name dictionary.ID) (*pcsr.Graph, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.named[name]
	if !ok {
		return nil, nil
	}
	if n.open == nil {
		graph, err := s.openGraph(n.Graph)
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("the store was replaced since it was opened: %w", err)
		}
		if err != nil {
			return nil, err
		}
		n.open = graph
	}
	return n.open, nil
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
