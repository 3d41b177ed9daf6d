package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

const (
	lockFile      = "lock"
	queriesFolder = "queries"
	defaultFile   = "default.pcsr"
	generation    = "gen-"
	temporary     = ".tmp"
)

// Load is a data set that is being written: Begin, then the files into Dir (dictionary.Create, pcsr.Create on
// DefaultPath and NamedPath), then Commit or Abort. Not for concurrent use.
type Load struct {
	dir, name string
	lock      *os.File
	removed   []string
	done      bool
}

// Begin makes the folder of the next generation in the store dir, which is created when it is not there. It removes
// what earlier loads left behind when they were killed (Removed). ErrBusy when another load is at work; an error when
// dir is a folder of something else, or a store of a newer version.
func Begin(dir string) (*Load, error) {
	if err := checkTarget(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	lock, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	l := &Load{dir: dir, lock: lock}
	if err := l.prepare(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return l, nil
}

// checkTarget refuses folders in which something else lies.
func checkTarget(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if name != manifestFile && name != manifestFile+temporary && name != lockFile && name != queriesFolder && !generationName.MatchString(name) {
			return fmt.Errorf("store: %s: %w, and not empty: it has %s", dir, ErrNotStore, name)
		}
	}
	if _, err := readManifest(dir); errors.Is(err, ErrVersion) {
		return err
	}
	return nil
}

// takeLock locks the store for this process until the file is closed, be it by its end.
func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("store: %s: %w", dir, ErrBusy)
		}
		return nil, fmt.Errorf("store: lock %s: %w", dir, err)
	}
	return f, nil
}

// prepare removes leftovers and makes the new generation's folder, with a number that was not used before.
func (l *Load) prepare() error {
	current := ""
	if m, err := readManifest(l.dir); err == nil {
		current = m.Generation
	} else if !errors.Is(err, ErrNotStore) && !errors.Is(err, ErrDamaged) {
		return err
	} else if errors.Is(err, ErrDamaged) {
		// Nothing can be said of the generations: they stay until this load has replaced them.
		current = "*"
	}
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	last := 0
	for _, e := range entries {
		name := e.Name()
		if generationName.MatchString(name) {
			n, _ := strconv.Atoi(strings.TrimPrefix(name, generation))
			last = max(last, n)
			if name == current || current == "*" {
				continue
			}
		} else if name != manifestFile+temporary {
			continue
		}
		if err := os.RemoveAll(filepath.Join(l.dir, name)); err != nil {
			return fmt.Errorf("store: remove what an earlier load left: %w", err)
		}
		l.removed = append(l.removed, name)
	}
	l.name = fmt.Sprintf("%s%06d", generation, last+1)
	if err := os.Mkdir(l.Dir(), 0o755); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Removed are the names of the leftovers of killed loads that Begin removed.
func (l *Load) Removed() []string { return l.removed }

// Dir is the folder to write the files into. Other files in it at Commit are removed.
func (l *Load) Dir() string { return filepath.Join(l.dir, l.name) }

// DefaultPath is the file of the default graph, which every store has.
func (l *Load) DefaultPath() string { return filepath.Join(l.Dir(), defaultFile) }

// NamedPath is the file of the named graph with a number that the loader chooses, from 0.
func (l *Load) NamedPath(number int) string { return filepath.Join(l.Dir(), namedFile(number)) }

func namedFile(number int) string { return fmt.Sprintf("graph-%06d.pcsr", number) }

// Contents is what the loader says of the files it wrote.
type Contents struct {
	Sources           []string
	Terms, Predicates int
	DefaultTriples    uint64
	// Named are the named graphs; entry i lies in NamedPath(i).
	Named []NamedContents
}

// NamedContents is one named graph: the ID of its name and its size.
type NamedContents struct {
	ID      dictionary.ID
	Triples uint64
}

// Commit makes the files the store: from here on they are what Open opens, and the files before them are removed. They
// must be finished and on the disk (their writers' Finish does that). After an error the old store is still in
// place, unless the error says that the new one could not be made safe against a power cut.
func (l *Load) Commit(c Contents) error {
	if l.done {
		return errors.New("store: the load has ended")
	}
	m, err := l.manifest(c)
	if err == nil {
		err = l.removeOthers(m)
	}
	if err == nil {
		err = syncFolder(l.Dir())
	}
	if err == nil {
		err = l.replaceManifest(m)
	}
	if err != nil {
		return errors.Join(err, l.Abort())
	}
	l.done = true
	err = syncFolder(l.dir)
	if err != nil {
		err = fmt.Errorf("the new store is in place, but may not survive a power cut: %w", err)
	} else {
		l.removeOld()
	}
	return errors.Join(err, l.lock.Close())
}

func (l *Load) manifest(c Contents) (*Manifest, error) {
	m := &Manifest{
		Format: manifestFormat, Version: Version, Generation: l.name, Created: time.Now().UTC().Truncate(time.Second), Sources: c.Sources,
		Terms: c.Terms, Predicates: c.Predicates, Triples: c.DefaultTriples,
	}
	var err error
	file := func(name string) File {
		size, sum, e := section.Identity(filepath.Join(l.Dir(), name))
		err = errors.Join(err, e)
		return File{name, size, formatSum(sum)}
	}
	for _, name := range dictionary.Files() {
		m.Files = append(m.Files, file(name))
	}
	m.Default = Graph{ID: dictionary.None, Triples: c.DefaultTriples, File: file(defaultFile)}
	for i, g := range c.Named {
		m.Named = append(m.Named, Graph{ID: g.ID, Triples: g.Triples, File: file(namedFile(i))})
		m.Triples += g.Triples
	}
	slices.SortFunc(m.Named, func(a, b Graph) int { return int(int64(a.ID) - int64(b.ID)) })
	if err != nil {
		return nil, fmt.Errorf("store: a file of the new store is missing: %w", err)
	}
	if m.Checksum, err = m.sum(); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return m, m.checkNames(filepath.Join(l.dir, manifestFile))
}

// removeOthers removes the loader's temporary files from the generation.
func (l *Load) removeOthers(m *Manifest) error {
	ours := map[string]bool{m.Default.Name: true}
	for _, f := range m.Files {
		ours[f.Name] = true
	}
	for _, g := range m.Named {
		ours[g.Name] = true
	}
	entries, err := os.ReadDir(l.Dir())
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, e := range entries {
		if !ours[e.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(l.Dir(), e.Name())))
		}
	}
	return err
}

// replaceManifest writes the manifest beside the old one and renames it into its place.
func (l *Load) replaceManifest(m *Manifest) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	path := filepath.Join(l.dir, manifestFile)
	f, err := os.OpenFile(path+temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		// The generation's folder must be found after a power cut before the manifest names it.
		err = syncFolder(l.dir)
	}
	if err == nil {
		err = os.Rename(path+temporary, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("store: %w", err), os.Remove(path+temporary))
	}
	return nil
}

// removeOld removes the generations before this one. Open readers keep their files, which are mapped. What cannot be
// removed now is removed by the next load.
func (l *Load) removeOld() {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if generationName.MatchString(e.Name()) && e.Name() != l.name {
			_ = os.RemoveAll(filepath.Join(l.dir, e.Name()))
		}
	}
}

// Abort removes the new generation and leaves the old store as it was; after Commit it does nothing.
func (l *Load) Abort() error {
	if l.done {
		return nil
	}
	l.done = true
	err := os.RemoveAll(l.Dir())
	return errors.Join(err, l.lock.Close())
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	err = errors.Join(f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("store: sync %s: %w", dir, err)
	}
	return nil
}
