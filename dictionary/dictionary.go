package dictionary

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Dictionary is a finished dictionary. All its methods are safe for concurrent use, except Close.
//
// An ID that no term has gives the zero Term, the zero Value, nothing. The same goes for a term whose bytes are damaged;
// Err then says so.
type Dictionary struct {
	files      [3]*section.File // terms, values, hash
	starts     []ID             // SectionCount + 1
	groups     []ID
	blocks     []byte
	offsets    []uint64
	symbols    []byte // tables
	values     []uint64
	qualifiers []qualifier
	hash       hashTable
	broken     atomic.Bool
}

// Open maps the dictionary in a folder. It checks headers, tables and counts; Verify checks all the rest.
func Open(dir string) (*Dictionary, error) {
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
	d, err := newDictionary(files[0], files[1], files[2])
	if err != nil {
		return nil, errors.Join(err, closeAll(files))
	}
	return d, nil
}

func closeAll(files [3]*section.File) (err error) {
	for _, f := range files {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

func newDictionary(terms, values, table *section.File) (*Dictionary, error) {
	d := &Dictionary{files: [3]*section.File{terms, values, table}}
	var err error
	if d.starts, err = terms.Uint32s("sections"); err != nil {
		return nil, err
	}
	if len(d.starts) != int(SectionCount)+1 || d.starts[0] != 0 || !slices.IsSorted(d.starts) {
		return nil, terms.Damaged("the sections are out of order")
	}
	if d.groups, err = terms.Uint32s("groups"); err != nil {
		return nil, err
	}
	if d.blocks, err = terms.Bytes("blocks"); err != nil {
		return nil, err
	}
	if d.offsets, err = terms.Uint64s("offsets"); err != nil {
		return nil, err
	}
	if d.symbols, err = openSymbols(terms); err != nil {
		return nil, err
	}
	count := d.Len()
	if len(d.offsets) != (count+blockTerms-1)/blockTerms+1 || d.offsets[len(d.offsets)-1] != uint64(len(d.blocks)) {
		return nil, terms.Damaged("it has not as many blocks as %d terms need", count)
	}
	if d.qualifiers, err = openQualifiers(terms, d.starts); err != nil {
		return nil, err
	}
	if d.values, err = values.Uint64s("values"); err != nil {
		return nil, err
	}
	if len(d.values) != 2*int(d.starts[Strings]-d.starts[Numbers]) {
		return nil, values.Damaged("it has not as many values as there are numbers, dates and booleans")
	}
	d.hash, err = openHash(table, count)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Close unmaps the files; nothing that the dictionary handed out as bytes may be used any more.
func (d *Dictionary) Close() error { return closeAll(d.files) }

// Prefetch asks the system to read all files ahead.
func (d *Dictionary) Prefetch() {
	for _, f := range d.files {
		f.Prefetch()
	}
}

// Err is the damage that decoding a term met, if any since the dictionary was opened.
func (d *Dictionary) Err() error {
	if d.broken.Load() {
		return d.files[0].Damaged("a block of terms cannot be decoded")
	}
	return nil
}

// Len is the number of terms.
func (d *Dictionary) Len() int { return int(d.starts[SectionCount]) }

// Predicates is the number of predicates: they are the IDs below.
func (d *Dictionary) Predicates() int { return int(d.starts[Resources]) }

// Sections are the ranges of IDs of the sections, indexed by Section.
func (d *Dictionary) Sections() [SectionCount]Range {
	var r [SectionCount]Range
	for s := range r {
		r[s] = d.Section(Section(s))
	}
	return r
}

// Section is the range of IDs of one section.
func (d *Dictionary) Section(s Section) Range { return Range{d.starts[s], d.starts[s+1]} }

// SectionOfID is the section that an ID lies in, SectionCount where it lies in none.
func (d *Dictionary) SectionOfID(id ID) Section {
	s := Section(0)
	for s < SectionCount && id >= d.starts[s+1] {
		s++
	}
	return s
}

// Groups are the IDs that the groups of resources start at.
func (d *Dictionary) Groups() []ID { return d.groups }

// Bytes is the size of each file.
func (d *Dictionary) Bytes() map[string]int64 {
	sizes := make(map[string]int64, len(d.files))
	for i, name := range Files() {
		sizes[name] = d.files[i].Size()
	}
	return sizes
}

// Kind is IRI, BlankNode or Literal; 0 for an ID that no term has.
func (d *Dictionary) Kind(id ID) rdf.Kind {
	if id >= d.starts[Numbers] {
		if id >= d.starts[SectionCount] {
			return 0
		}
		return rdf.Literal
	}
	t, ok := d.text(id)
	switch {
	case !ok:
		return 0
	case t.first() == keyBlank:
		return rdf.BlankNode
	}
	return rdf.IRI
}

// Term is the term of an ID; the zero Term where there is none.
func (d *Dictionary) Term(id ID) rdf.Term {
	stored, ok := d.text(id)
	if !ok {
		return rdf.Term{}
	}
	if id < d.starts[Numbers] {
		return d.resource(&stored)
	}
	t := rdf.Term{Kind: rdf.Literal, Value: stored.string(0)}
	switch {
	case id < d.starts[Strings]:
		t.Datatype = d.datatype(id).IRI()
	case id < d.starts[LangStrings]:
	case id < d.starts[Others]:
		t.Language = d.qualifierOf(id).text
	default:
		t.Datatype = d.qualifierOf(id).text
	}
	return t
}

func (d *Dictionary) resource(t *storedText) rdf.Term {
	switch t.first() {
	case keyIRI:
		return rdf.NewIRI(t.string(1))
	case keyBlank:
		return rdf.NewBlank(t.string(2))
	}
	d.broken.Store(true)
	return rdf.Term{}
}

// AppendText appends the IRI, the blank node's label or the lexical form of an ID.
func (d *Dictionary) AppendText(dst []byte, id ID) []byte {
	start := len(dst)
	t, _ := d.text(id)
	dst = t.append(dst)
	if id >= d.starts[Numbers] || len(dst) == start {
		return dst
	}
	mark := 1
	if dst[start] == keyBlank {
		mark = min(2, len(dst)-start)
	}
	return append(dst[:start], dst[start+mark:]...)
}

// AppendKey appends the key of an ID (the function AppendKey describes keys); nothing where no term has the ID.
func (d *Dictionary) AppendKey(dst []byte, id ID) []byte {
	t, ok := d.text(id)
	if !ok {
		return dst
	}
	switch s := d.SectionOfID(id); s {
	case Predicates, Resources:
	case Strings:
		dst = append(dst, keyString)
	case LangStrings:
		dst = append(dst, keyLang)
		dst = append(append(dst, d.qualifierOf(id).text...), 0)
	case Others:
		iri := d.qualifierOf(id).text
		if known := DatatypeOf(iri); known != OtherDatatype {
			dst = append(dst, keyKnown, codeBase+byte(known))
		} else {
			dst = append(dst, keyOther)
			dst = append(append(dst, iri...), 0)
		}
	default:
		dst = append(dst, keyKnown, codeBase+byte(d.datatype(id)))
	}
	return t.append(dst)
}

// Lookup is the ID of a term; (None, false) when the dictionary does not have it.
func (d *Dictionary) Lookup(t rdf.Term) (ID, bool) {
	var buffer [256]byte
	key, ok := AppendKey(buffer[:0], t)
	if !ok {
		return None, false
	}
	return d.LookupKey(key)
}

// LookupKey is Lookup by key.
func (d *Dictionary) LookupKey(key []byte) (ID, bool) {
	p, err := splitKey(key)
	if err != nil || d.Len() == 0 {
		return None, false
	}
	return d.hash.find(xxh3.Hash(key), func(id ID) bool { return d.is(id, &p) })
}

// is reports whether an ID stands for a key.
func (d *Dictionary) is(id ID, p *parts) bool {
	t, ok := d.text(id)
	if !ok || !t.equal(p.text) {
		return false
	}
	switch d.SectionOfID(id) {
	case Predicates, Resources:
		return p.mark == keyIRI || p.mark == keyBlank
	case Strings:
		return p.mark == keyString
	case LangStrings:
		return p.mark == keyLang && d.qualifierOf(id).text == string(p.qualifier)
	case Others:
		return (p.mark == keyOther || p.mark == keyKnown) && d.qualifierOf(id).text == p.datatypeIRI()
	}
	return p.mark == keyKnown && d.datatype(id) == p.datatype
}

// datatype is the datatype of a number, date or boolean.
func (d *Dictionary) datatype(id ID) Datatype {
	i := 2*int(id-d.starts[Numbers]) + 1
	return Datatype(d.values[i] & 0xff)
}

// Value is the value of an ID, without parsing text (but for numbers that do not fit 64 bits).
func (d *Dictionary) Value(id ID) Value {
	switch {
	case id < d.starts[Numbers] || id >= d.starts[SectionCount]:
		return Value{Zone: NoZone}
	case id < d.starts[Strings]:
		return d.storedValue(id)
	case id < d.starts[LangStrings]:
		return Value{Kind: String, Zone: NoZone}
	case id < d.starts[Others]:
		return Value{Kind: LangString, Zone: NoZone}
	}
	return Value{Kind: OtherLiteral, Datatype: DatatypeOf(d.qualifierOf(id).text), Zone: NoZone}
}

func (d *Dictionary) storedValue(id ID) Value {
	i := 2 * int(id-d.starts[Numbers])
	payload, meta := d.values[i], d.values[i+1]
	v := Value{Datatype: Datatype(meta), Scale: uint8(meta >> 8), Zone: int16(meta >> 16), Nanos: uint32(meta >> 32)}
	if v.Datatype >= datatypes {
		d.broken.Store(true)
		return Value{Kind: OtherLiteral, Zone: NoZone}
	}
	v.Kind = v.Datatype.kind()
	switch {
	case v.Scale > 18:
		t, _ := d.text(id)
		return parseLexical(v.Datatype, t.append(nil))
	case v.Kind == Float || v.Kind == Double:
		v.Float = math.Float64frombits(payload)
	default:
		v.Int = int64(payload)
	}
	return v
}

// Language is the language tag of an ID, "" for all but language-tagged literals.
func (d *Dictionary) Language(id ID) string {
	if id < d.starts[LangStrings] || id >= d.starts[Others] {
		return ""
	}
	return d.qualifierOf(id).text
}

// DatatypeIRI is the datatype of a literal in full, "" for an ID that is no literal (rdf.Term.DatatypeIRI).
func (d *Dictionary) DatatypeIRI(id ID) string {
	switch {
	case id < d.starts[Numbers] || id >= d.starts[SectionCount]:
		return ""
	case id < d.starts[Strings]:
		return d.datatype(id).IRI()
	case id < d.starts[LangStrings]:
		return rdf.XSDString
	case id < d.starts[Others]:
		return rdf.RDFLangString
	}
	return d.qualifierOf(id).text
}
