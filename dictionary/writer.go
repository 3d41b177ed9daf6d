package dictionary

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// The files of a dictionary, and the kinds and versions in their headers.
const (
	TermsFile  = "terms.dict"
	ValuesFile = "values.dict"
	HashFile   = "hash.dict"

	termsKind     = "dictterm"
	termsVersion  = 1
	valuesKind    = "dictval"
	valuesVersion = 1

	maxText = 1 << 30 // bytes of one term
)

// Files are the names of a segment's files in its folder.
func Files() []string { return []string{TermsFile, ValuesFile, HashFile} }

// ErrOrder says that terms did not come in the order of their IDs.
var ErrOrder = errors.New("term out of order")

// ErrFull says that every ID has a term.
var ErrFull = errors.New("there are 4,294,967,295 terms, as many as there can be")

// tooLong is the error of a term above maxText.
func tooLong(key []byte) error {
	return fmt.Errorf("dictionary: a term has %d bytes, more than %d", len(key), maxText)
}

// Writer writes a segment from keys (AppendKey) in the order of their IDs, which are local ones: all predicates, then the other IRIs and
// blank nodes group by group, then the literals in the order of their sections and sort keys. It checks that order;
// what it cannot see is the same resource in two groups, which Verify finds. Its memory is about 20 MiB and 0.6 bytes a
// term, 0.5 of them for the blocks' offsets. Not for concurrent use. The first error stays.
type Writer struct {
	terms, values, table *section.Writer

	count    ID
	current  Section
	starts   [SectionCount + 1]ID
	groups   []ID
	previous []byte // sort key of the last term, unless fresh
	fresh    bool   // a section or group starts here
	order    []byte
	block    blockBuilder
	strings  stringBuffer
	encoded  []byte
	offsets  []uint64
	written  uint64

	qualifiers qualifierBuilder
	hash       hashBuilder
	memory     bool
	err        error
}

// Create starts a segment in a folder that exists and has none yet.
func Create(dir string) (*Writer, error) { return CreateOn(nil, dir) }

// CreateOn is Create on a disk.
func CreateOn(disk *section.Disk, dir string) (*Writer, error) {
	w := &Writer{}
	open := func(name, kind string, version uint32) (f *section.Writer) {
		if w.err == nil {
			f, w.err = disk.Create(filepath.Join(dir, name), kind, version)
		}
		return f
	}
	w.terms = open(TermsFile, termsKind, termsVersion)
	w.values = open(ValuesFile, valuesKind, valuesVersion)
	w.table = open(HashFile, hashKind, hashVersion)
	if w.err == nil {
		w.hash.spill, w.err = disk.Nameless(dir) // for entries
	}
	w.begin()
	if w.err != nil {
		return nil, errors.Join(w.err, w.Abort())
	}
	return w, nil
}

// newMemoryWriter starts a segment that is kept in memory; after Finish, Segment opens it.
func newMemoryWriter() *Writer {
	w := &Writer{
		memory: true,
		terms:  section.NewMemory(termsKind, termsVersion),
		values: section.NewMemory(valuesKind, valuesVersion),
		table:  section.NewMemory(hashKind, hashVersion),
	}
	w.begin()
	return w
}

func (w *Writer) begin() {
	if w.err == nil {
		w.fresh = true
		w.fail(errors.Join(w.terms.Section("blocks"), w.values.Section("values")))
	}
}

// Len is the number of terms so far: the ID of the next.
func (w *Writer) Len() int { return int(w.count) }

// Predicate adds the next predicate; in the order of their keys, before all other terms.
func (w *Writer) Predicate(key []byte) (ID, error) { return w.add(key, true) }

// Group starts the next group of resources: the order of keys starts anew.
func (w *Writer) Group() {
	if w.current <= Resources {
		w.enter(Resources)
		w.fresh = true
		if len(w.groups) == 0 || w.groups[len(w.groups)-1] != w.count {
			w.groups = append(w.groups, w.count)
		}
	}
}

// Add adds the next term that is no predicate, and returns its ID. The key is copied.
func (w *Writer) Add(key []byte) (ID, error) { return w.add(key, false) }

func (w *Writer) add(key []byte, predicate bool) (ID, error) {
	if w.err != nil {
		return None, w.err
	}
	p, err := splitKey(key)
	if err != nil {
		return None, w.fail(err)
	}
	s, v := p.classify()
	if predicate && s == Resources {
		s = Predicates
	}
	if err := w.check(key, s); err != nil {
		return None, w.fail(err)
	}
	id := w.count
	w.count++
	switch s {
	case Numbers, Temporals, Booleans:
		w.fail(w.writeValue(&v))
	case LangStrings, Others:
		w.qualifiers.add(id, s, &p)
	}
	w.addText(p.text, s)
	w.fail(w.hash.add(key, id))
	return id, w.err
}

// check compares the term with the one before it and moves on to its section.
func (w *Writer) check(key []byte, s Section) error {
	if len(key) > maxText {
		return tooLong(key)
	}
	if w.count == None {
		return fmt.Errorf("dictionary: %w", ErrFull)
	}
	w.order = w.order[:0]
	if s <= Resources {
		w.order = append(w.order, key...)
	} else {
		w.order, _, _ = AppendSortKey(w.order, key) // the key was parsed before
	}
	if s < w.current || s == w.current && !w.fresh && bytes.Compare(w.order, w.previous) <= 0 {
		return fmt.Errorf("dictionary: %w: %q after %q", ErrOrder, key, w.previous)
	}
	if s > w.current {
		w.enter(s)
	}
	w.order, w.previous, w.fresh = w.previous, w.order, false
	return nil
}

// enter ends all sections before s here.
func (w *Writer) enter(s Section) {
	for w.current < s {
		w.current++
		w.starts[w.current] = w.count
		w.fresh = true
	}
}

func (w *Writer) addText(text []byte, s Section) {
	escapes := &literalEscapes
	if s <= Resources {
		escapes = &iriEscapes
	}
	if s >= Strings && w.block.count == 0 {
		if w.strings.add(text); w.strings.full() {
			w.endStrings()
		}
		return
	}
	w.block.add(text, escapes)
	if w.block.count == blockTerms {
		w.endBlock()
	}
}

func (w *Writer) endBlock() {
	w.encoded = w.block.appendTo(w.encoded[:0])
	w.writeBlock(w.encoded)
}

func (w *Writer) writeBlock(block []byte) {
	w.offsets = append(w.offsets, w.written)
	w.written += uint64(len(block))
	_, err := w.terms.Write(block)
	w.fail(err)
}

// endStrings writes the blocks of the strings that were held back.
func (w *Writer) endStrings() {
	w.strings.encode(w.writeBlock)
}

func (w *Writer) writeValue(v *Value) error {
	var b [valueBytes]byte
	payload, meta := packValue(v)
	binary.LittleEndian.PutUint64(b[:], payload)
	binary.LittleEndian.PutUint64(b[8:], meta)
	_, err := w.values.Write(b[:])
	return err
}

// Finish writes what is left and flushes all files to the disk. A Writer must end in Finish or Abort.
func (w *Writer) Finish() error {
	if w.err == nil {
		w.enter(SectionCount)
		if w.block.count > 0 {
			w.endBlock()
		}
		w.endStrings()
		w.offsets = append(w.offsets, w.written)
		w.fail(w.writeTables())
	}
	if w.err == nil {
		w.fail(w.hash.write(w.table))
	}
	if w.err == nil {
		w.fail(errors.Join(w.terms.Finish(), w.values.Finish(), w.table.Finish()))
	}
	if w.err != nil {
		return errors.Join(w.err, w.Abort())
	}
	return w.closeSpill()
}

func (w *Writer) writeTables() error {
	starts := append([]ID{}, w.starts[:]...)
	return errors.Join(
		w.terms.Section("offsets"), section.WriteNumbers(w.terms, w.offsets),
		w.terms.Section("sections"), section.WriteNumbers(w.terms, starts),
		w.terms.Section("groups"), section.WriteNumbers(w.terms, w.groups),
		w.terms.Section("symbols"), section.WriteNumbers(w.terms, w.strings.tables),
		w.qualifiers.write(w.terms),
	)
}

// Segment opens what newMemoryWriter wrote.
func (w *Writer) Segment() (*Segment, error) {
	if !w.memory {
		return nil, errors.New("dictionary: the writer writes files")
	}
	terms, err := w.terms.File()
	if err != nil {
		return nil, err
	}
	values, err := w.values.File()
	if err != nil {
		return nil, err
	}
	table, err := w.table.File()
	if err != nil {
		return nil, err
	}
	return newSegment(terms, values, table)
}

// Abort gives up and removes the files.
func (w *Writer) Abort() error {
	err := w.closeSpill()
	for _, f := range []*section.Writer{w.terms, w.values, w.table} {
		if f != nil {
			err = errors.Join(err, f.Abort())
		}
	}
	w.fail(errors.New("the dictionary was given up"))
	return err
}

func (w *Writer) closeSpill() error {
	if w.hash.spill == nil {
		return nil
	}
	err := w.hash.spill.Close()
	w.hash.spill = nil
	return err
}

func (w *Writer) fail(err error) error {
	if err != nil && w.err == nil {
		w.err = err
	}
	return w.err
}
