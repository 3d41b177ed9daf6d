package dictionary

import (
	"errors"
	"path/filepath"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Segment is one set of files: terms with local IDs, dense from 0 and in the order of the package's documentation. It is
// read through the Dictionary that it is part of, which adds the segment's start to its IDs.
type Segment struct {
	files      [3]*section.File // terms, values, hash
	starts     [SectionCount + 1]ID
	groups     []ID // the local IDs that the groups of resources start at
	blocks     []byte
	offsets    []uint64
	symbols    []byte // tables
	values     []uint64
	qualifiers []qualifier
	hash       hashTable
	hot        atomic.Pointer[hotTexts]
	broken     atomic.Bool
}

// openSegment maps the segment in a folder. It checks headers, tables and counts.
func openSegment(dir string) (*Segment, error) {
	kinds := [3]string{termsKind, valuesKind, hashKind}
	versions := [3]uint32{termsVersion, valuesVersion, hashVersion}
	var files [3]*section.File
	for i, name := range Files() {
		f, err := section.Open(filepath.Join(dir, name), kinds[i], versions[i])
		if err != nil {
			return nil, errors.Join(err, closeAll(files))
		}
		files[i] = f
	}
	s, err := newSegment(files[0], files[1], files[2])
	if err != nil {
		return nil, errors.Join(err, closeAll(files))
	}
	return s, nil
}

func closeAll(files [3]*section.File) (err error) {
	for _, f := range files {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

func newSegment(terms, values, table *section.File) (*Segment, error) {
	s := &Segment{files: [3]*section.File{terms, values, table}}
	err := errors.Join(terms.CheckSections(termsChecked...), table.CheckSections(hashChecked...))
	if err != nil {
		return nil, err
	}
	starts, err := terms.Uint32s("sections")
	if err != nil {
		return nil, err
	}
	if len(starts) != len(s.starts) || starts[0] != 0 || !slices.IsSorted(starts) {
		return nil, terms.Damaged("the sections are out of order")
	}
	copy(s.starts[:], starts)
	if s.groups, err = terms.Uint32s("groups"); err != nil {
		return nil, err
	}
	if s.blocks, err = terms.Bytes("blocks"); err != nil {
		return nil, err
	}
	if s.offsets, err = terms.Uint64s("offsets"); err != nil {
		return nil, err
	}
	if s.symbols, err = openSymbols(terms); err != nil {
		return nil, err
	}
	count := s.Len()
	if len(s.offsets) != (count+blockTerms-1)/blockTerms+1 || s.offsets[len(s.offsets)-1] != uint64(len(s.blocks)) {
		return nil, terms.Damaged("it has not as many blocks as %d terms need", count)
	}
	if s.qualifiers, err = openQualifiers(terms, starts); err != nil {
		return nil, err
	}
	if s.values, err = values.Uint64s("values"); err != nil {
		return nil, err
	}
	if len(s.values) != 2*int(s.starts[Strings]-s.starts[Numbers]) {
		return nil, values.Damaged("it has not as many values as there are numbers, dates and booleans")
	}
	s.hash, err = openHash(table, count)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close unmaps the files.
func (s *Segment) Close() error { return closeAll(s.files) }

// Len is the number of terms.
func (s *Segment) Len() int { return int(s.starts[SectionCount]) }

// Section is the range of local IDs of one section.
func (s *Segment) Section(of Section) Range { return Range{s.starts[of], s.starts[of+1]} }

// Bytes is the size of each file.
func (s *Segment) Bytes() map[string]int64 {
	sizes := make(map[string]int64, len(s.files))
	for i, name := range Files() {
		sizes[name] = s.files[i].Size()
	}
	return sizes
}

func (s *Segment) err() error {
	if s.broken.Load() {
		return s.files[0].Damaged("a block of terms cannot be decoded")
	}
	return nil
}

// section is the section that a local ID lies in, SectionCount where it lies in none.
func (s *Segment) section(id ID) Section {
	in := Section(0)
	for in < SectionCount && id >= s.starts[in+1] {
		in++
	}
	return in
}

// find is the local ID of a key, given its hash and its parts.
func (s *Segment) find(hash uint64, p *parts) (ID, bool) {
	if s.starts[SectionCount] == 0 {
		return None, false
	}
	return s.hash.find(hash, func(id ID) bool { return s.is(id, p) })
}

// is reports whether a local ID stands for a key.
func (s *Segment) is(id ID, p *parts) bool {
	t, ok := s.text(id)
	if !ok || !t.equal(p.text) {
		return false
	}
	switch s.section(id) {
	case Predicates, Resources:
		return p.mark == keyIRI || p.mark == keyBlank
	case Strings:
		return p.mark == keyString
	case LangStrings:
		return p.mark == keyLang && s.qualifierOf(id).text == string(p.qualifier)
	case Others:
		return (p.mark == keyOther || p.mark == keyKnown) && s.qualifierOf(id).text == p.datatypeIRI()
	}
	return p.mark == keyKnown && s.datatype(id) == p.datatype
}

func (s *Segment) resource(t *storedText) rdf.Term {
	switch t.first() {
	case keyIRI:
		return rdf.NewIRI(t.string(1))
	case keyBlank:
		return rdf.NewBlank(t.string(2))
	}
	s.broken.Store(true)
	return rdf.Term{}
}

// sortOf is what rdf.Term.Sort is of a literal; datatypes that are not known are none.
func (s *Segment) sortOf(id ID) string {
	switch {
	case id < s.starts[Strings]:
		if iri := s.datatype(id).IRI(); iri != "" {
			return iri
		}
		return rdf.XSDString
	case id < s.starts[LangStrings]:
		return rdf.XSDString
	case id < s.starts[Others]:
		return s.qualifierOf(id).tail[1:]
	}
	return s.qualifierOf(id).text
}

// words are those of the value of a number, date or boolean.
func (s *Segment) words(id ID) (payload, meta uint64) {
	i := 2 * int(id-s.starts[Numbers])
	if s.files[1].Unchecked() {
		s.checkValue(i)
	}
	return s.values[i], s.values[i+1]
}

// datatype is the datatype of a number, date or boolean.
func (s *Segment) datatype(id ID) Datatype {
	_, meta := s.words(id)
	return Datatype(meta & 0xff)
}

// storedValue is the value of a number, date or boolean.
func (s *Segment) storedValue(id ID) Value {
	v, whole := unpackValue(s.words(id))
	switch {
	case whole:
		return v
	case v.Datatype >= datatypes:
		s.broken.Store(true)
		return Value{Kind: OtherLiteral, Zone: NoZone}
	}
	t, _ := s.text(id)
	return parseLexical(v.Datatype, t.append(nil))
}

// qualifierOf is the qualifier of an ID in LangStrings or Others.
func (s *Segment) qualifierOf(id ID) *qualifier {
	i := sort.Search(len(s.qualifiers), func(i int) bool { return s.qualifiers[i].from > id })
	return &s.qualifiers[max(i-1, 0)]
}
