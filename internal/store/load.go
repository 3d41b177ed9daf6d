package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

const (
	lockFile      = "lock"
	queriesFolder = "queries"
	hooksFolder   = "webhooks"
	defaultFile   = "default.pcsr"
	generation    = "gen-"
	temporary     = ".tmp"
)

// LogFolder is the folder of the log of commits in the store's. The package removes it with the store whose log it is, and
// knows nothing of what lies in it.
const LogFolder = "wal"

// Load is a segment that is being written: Begin, then the files into Dir (dictionary.Create, pcsr.Create on
// DefaultPath, NamedPath and RemovedPath), then Commit or Abort. Not for concurrent use.
type Load struct {
	dir, name string
	lock      *Lock
	disk      *section.Disk
	owned     bool      // the lock was taken for this load
	current   *Manifest // what it adds to: nil where there is no store that can be read
	below     *Manifest // the manifest in the folder, as Begin found it
	removed   []string
	done      bool
}

// Begin takes the lock of the store dir for one load and begins it (TakeLock, Lock.Begin); the lock is given back when the
// load ends.
func Begin(dir string) (*Load, error) {
	lock, err := TakeLock(dir)
	if err != nil {
		return nil, err
	}
	l, err := lock.Begin()
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	l.owned = true
	return l, nil
}

// prepare removes leftovers and makes the new segment's folder, with a number that was not used before. The lock's mu is held.
func (l *Load) prepare() error {
	m, err := readManifest(l.dir)
	// Where the manifest cannot be read, nothing can be said of the segments: they stay until this load has replaced them.
	unknown := errors.Is(err, ErrDamaged) || errors.Is(err, errOlder)
	if err != nil && !unknown && !errors.Is(err, ErrNotStore) {
		return err
	}
	l.below = m
	if l.lock.staged != nil {
		m = l.lock.staged
	}
	l.current = m
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
			if unknown || m.has(name) || l.below.has(name) || l.lock.kept[name] > 0 {
				continue
			}
		} else if name != manifestFile+temporary {
			continue
		}
		l.removed = append(l.removed, name)
	}
	if err := l.removeLeft(); err != nil {
		return fmt.Errorf("store: remove what an earlier load left: %w", err)
	}
	l.name = fmt.Sprintf("%s%06d", generation, last+1)
	if err := l.Disk().Mkdir(l.Dir(), 0o755); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// removeLeft removes what the manifest does not name. It may be a manifest that is not durable yet, where the load that
// wrote it was broken off; the one before it names what is removed.
func (l *Load) removeLeft() (err error) {
	if len(l.removed) > 0 {
		err = l.Disk().SyncFolder(l.dir)
	}
	for _, name := range l.removed {
		if err == nil {
			err = l.Disk().RemoveAll(filepath.Join(l.dir, name))
		}
	}
	return err
}

// Disk is where the files are to be written.
func (l *Load) Disk() *section.Disk { return l.disk }

// has reports whether a folder is a segment of the store; m may be nil.
func (m *Manifest) has(folder string) bool {
	return m != nil && slices.ContainsFunc(m.Segments, func(s Segment) bool { return s.Folder == folder })
}

// Removed are the names of the leftovers of killed loads that Begin removed.
func (l *Load) Removed() []string { return l.removed }

// Current is the manifest of the store as Begin found it, nil where there is none that can be read; not to be changed.
func (l *Load) Current() *Manifest { return l.current }

// Dir is the folder to write the files into. Other files in it at Commit are removed.
func (l *Load) Dir() string { return filepath.Join(l.dir, l.name) }

// DefaultPath is the file of the default graph, which every base has.
func (l *Load) DefaultPath() string { return filepath.Join(l.Dir(), defaultFile) }

// ListsPath is the file that small named graphs share.
func (l *Load) ListsPath() string { return filepath.Join(l.Dir(), listsFile) }

// NamedPath is the file of the named graph with a number that the loader chooses, from 0.
func (l *Load) NamedPath(number int) string { return filepath.Join(l.Dir(), namedFile(number)) }

// RemovedPath is the file of the triples that are removed from a graph, with a number that the loader chooses, from 0.
func (l *Load) RemovedPath(number int) string { return filepath.Join(l.Dir(), removedFile(number)) }

// listsFile is the file that small named graphs share.
const listsFile = "graphs.lists"

func namedFile(number int) string { return fmt.Sprintf("graph-%06d.pcsr", number) }

func removedFile(number int) string { return fmt.Sprintf("removed-%06d.pcsr", number) }

// Contents is what the loader says of the files it wrote.
type Contents struct {
	// Keep is how many segments of the store stay before the new one: 0 makes it the base, and the store is replaced.
	Keep int
	// Sources are those of the whole store, BlankScope and Log as in the Manifest. The log can change only where no segment
	// stays, and goes only forward.
	Sources    []string
	BlankScope int
	Log        Log
	// Terms are those of the segment's dictionary, Predicates the edge labels among them, LatePredicates the terms of
	// kept segments that were no edge labels before.
	Terms, Predicates int
	LatePredicates    []dictionary.ID
	// DefaultTriples may be 0 in an added segment, which then has no file of the default graph.
	DefaultTriples uint64
	// Named are the named graphs; entry i lies in NamedPath(i), or in ListsPath.
	Named []NamedContents
	// Removed are the graphs that triples of kept segments are removed from, dictionary.None being the default graph; entry
	// i lies in RemovedPath(i). Cleared are those of which nothing stays.
	Removed []NamedContents
	Cleared []dictionary.ID
}

// NamedContents is one graph: the ID of its name and how many triples of it a file has.
type NamedContents struct {
	ID      dictionary.ID
	Triples uint64
	// First is the place, from 1 on, of the first of its triples in the file that small named graphs share; 0: it has a file of its own.
	First uint64
}

// Commit makes the kept segments and the files written the store: from here on they are what Open opens, and all other
// segments are removed. The files must be finished and on the disk (their writers' Finish does that). After an error
// the old store is still in place, unless the error is ErrUnsafe.
func (l *Load) Commit(c Contents) error {
	if l.done {
		return errors.New("store: the load has ended")
	}
	s, err := l.finished(c)
	if err == nil {
		err = l.replace(append(l.kept(c.Keep), *s), c.Sources, c.BlankScope, c.Log)
	}
	if err != nil {
		return errors.Join(err, l.Abort())
	}
	return l.end()
}

// finished is the segment of the files written, all of which is on the disk then.
func (l *Load) finished(c Contents) (*Segment, error) {
	s, err := l.segment(c)
	if err = errors.Join(err, l.disk.Wait()); err == nil {
		err = l.removeOthers(s)
	}
	if err == nil {
		err = l.Disk().SyncFolder(l.Dir())
	}
	return s, err
}

// CommitNothing ends a load that had nothing to add: the store stays as it is, or as it was staged, but for its sources and the
// sequence of its log.
func (l *Load) CommitNothing(sources []string, log Log) error {
	if l.done || l.current == nil {
		return errors.New("store: there is nothing to add to")
	}
	_ = l.disk.Wait() // for files that nobody wants
	err := l.disk.RemoveAll(l.Dir())
	if err == nil && (!slices.Equal(sources, l.current.Sources) || log != l.current.Log || l.current != l.below) {
		err = l.replace(l.current.Segments, sources, l.current.BlankScope, log)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("store: %w", err), l.Abort())
	}
	return l.end()
}

// end makes the new manifest safe, removes what it does not name and gives the lock back.
func (l *Load) end() error {
	l.done = true
	err := l.lock.Sync()
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnsafe, err)
	} else {
		l.removeOld()
	}
	return errors.Join(err, l.release())
}

// release lets the next load begin.
func (l *Load) release() error {
	l.lock.ended()
	if l.owned {
		return l.lock.Release()
	}
	return nil
}

// kept are the first segments of the store.
func (l *Load) kept(n int) []Segment {
	if n == 0 {
		return nil
	}
	return slices.Clone(l.current.Segments[:n])
}

// replace makes segments the store.
func (l *Load) replace(segments []Segment, sources []string, blankScope int, log Log) error {
	m, err := l.manifest(segments, sources, blankScope, log)
	if err != nil {
		return err
	}
	if err := l.replaceManifest(m); err != nil {
		return err
	}
	l.current = m
	l.lock.stage(nil)
	return nil
}

// manifest is that of a store of some segments.
func (l *Load) manifest(segments []Segment, sources []string, blankScope int, log Log) (*Manifest, error) {
	m := &Manifest{
		Format: manifestFormat, Version: PlainVersion, Created: now(), Sources: sources, BlankScope: blankScope, Segments: slices.Clone(segments), Log: log,
	}
	l.noteCommits(m)
	path := filepath.Join(l.dir, manifestFile)
	counts, err := m.count()
	if err != nil {
		return nil, damaged(path, err)
	}
	m.Triples = counts.total()
	for _, s := range segments {
		m.Terms += s.Terms
		m.Predicates += s.Predicates + len(s.LatePredicates)
		if s.Lists != nil {
			m.Version = Version
		}
	}
	if m.Checksum, err = m.sum(); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return m, m.check(path)
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// segment describes the files written.
func (l *Load) segment(c Contents) (*Segment, error) {
	if c.Keep > 0 && (l.current == nil || c.Keep > len(l.current.Segments)) {
		return nil, fmt.Errorf("store: there are no %d segments to keep", c.Keep)
	}
	if err := l.checkLog(c); err != nil {
		return nil, err
	}
	s := &Segment{
		Folder: l.name, Created: now(), Triples: c.DefaultTriples, Terms: c.Terms, Predicates: c.Predicates,
		LatePredicates: c.LatePredicates, Cleared: slices.Sorted(slices.Values(c.Cleared)),
	}
	var err error
	file := func(name string) File {
		size, sum, e := section.Identity(filepath.Join(l.Dir(), name))
		err = errors.Join(err, e)
		return File{name, size, formatSum(sum)}
	}
	for _, name := range dictionary.Files() {
		s.Files = append(s.Files, file(name))
	}
	if c.DefaultTriples > 0 || c.Keep == 0 {
		s.Default = &Graph{ID: dictionary.None, Triples: c.DefaultTriples, File: file(defaultFile)}
	}
	for i, g := range c.Named {
		of := Graph{ID: g.ID, Triples: g.Triples, First: g.First}
		if g.First == 0 {
			of.File = file(namedFile(i))
		} else if s.Lists == nil {
			lists := file(listsFile)
			s.Lists = &lists
		}
		s.Named = append(s.Named, of)
		s.Triples += g.Triples
	}
	for i, g := range c.Removed {
		s.Removed = append(s.Removed, Graph{ID: g.ID, Triples: g.Triples, File: file(removedFile(i))})
	}
	for _, graphs := range [][]Graph{s.Named, s.Removed} {
		slices.SortFunc(graphs, func(a, b Graph) int { return cmp.Compare(a.ID, b.ID) })
	}
	if err != nil {
		return nil, fmt.Errorf("store: a file of the new segment is missing: %w", err)
	}
	return s, nil
}

// checkLog refuses to forget commits that no segment has.
func (l *Load) checkLog(c Contents) error {
	if m := l.current; m != nil && m.Log.ID != "" && c.Log.ID == m.Log.ID && c.Log.Sequence < m.Log.Sequence || c.Keep > 0 && c.Log.ID != m.Log.ID {
		return fmt.Errorf("store: the segments hold the log %+v and would hold %+v", m.Log, c.Log)
	}
	return nil
}

// removeOthers removes the loader's temporary files from the segment's folder.
func (l *Load) removeOthers(s *Segment) error {
	ours := map[string]bool{}
	for _, f := range s.AllFiles() {
		ours[f.Name] = true
	}
	entries, err := os.ReadDir(l.Dir())
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, e := range entries {
		if !ours[e.Name()] {
			err = errors.Join(err, l.Disk().RemoveAll(filepath.Join(l.Dir(), e.Name())))
		}
	}
	return err
}

// replaceManifest writes the manifest beside the old one and renames it into its place.
func (l *Load) replaceManifest(m *Manifest) error { return replaceManifest(l.Disk(), l.dir, m) }

func replaceManifest(disk *section.Disk, dir string, m *Manifest) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	path := filepath.Join(dir, manifestFile)
	if err := disk.WriteFile(path+temporary, append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	// The segment's folder must be found after a power cut before the manifest names it.
	if err = disk.SyncFolder(dir); err == nil {
		err = disk.Rename(path+temporary, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("store: %w", err), disk.Remove(path+temporary))
	}
	return nil
}

// removeOld removes the segments that the manifest does not name any more and nobody keeps, and the log of a store that was replaced. Open
// readers of other processes keep what they have mapped. What cannot be removed now is removed by the next load.
func (l *Load) removeOld() {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		log := e.Name() == LogFolder && l.current.Log.ID == ""
		if log || generationName.MatchString(e.Name()) && !l.current.has(e.Name()) && !l.lock.keeps(e.Name()) {
			_ = l.Disk().RemoveAll(filepath.Join(l.dir, e.Name()))
		}
	}
}

// Abort removes the new segment and leaves the old store as it was; after Commit it does nothing.
func (l *Load) Abort() error {
	if l.done {
		return nil
	}
	l.done = true
	_ = l.disk.Wait() // likewise
	err := l.disk.RemoveAll(l.Dir())
	return errors.Join(err, l.release())
}
