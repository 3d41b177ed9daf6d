package dictionary

import (
	"errors"
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Dictionary is a list of finished segments, whose terms are numbered through: the global ID of a term is its local ID
// in its segment plus the number of terms in the segments before. No term lies in two segments. Behind them there may be
// the first terms of a Tail (Tail.Dictionary), in order of arrival. All methods are safe for concurrent use, except
// Close, and all IDs are global ones.
//
// An ID that no term has gives the zero Term, the zero Value, nothing. What is read of mapped files is checked when it is
// first read: where it is not what was written, the method panics with a *section.Damage, which section.Guard makes an
// error. Where it is, but cannot be decoded, it is read as if there were no such term, and Err says so.
type Dictionary struct {
	base     *Segment // the first
	end      ID       // where the second starts, or would
	segments []*Segment
	starts   []ID // the first ID of each segment, and the number of terms in all of them
	ordered  ID   // the last of starts
	tail     arrivals
}

// Open maps the segments in some folders, at least one, in their order. It checks headers, tables and counts; Verify
// checks all the rest.
func Open(dirs ...string) (*Dictionary, error) {
	segments := make([]*Segment, 0, len(dirs))
	var err error
	for _, dir := range dirs {
		s, e := openSegment(dir)
		if err = e; err != nil {
			break
		}
		segments = append(segments, s)
	}
	var d *Dictionary
	if err == nil {
		d, err = Join(segments...)
	}
	if err != nil {
		for _, s := range segments {
			err = errors.Join(err, s.Close())
		}
		return nil, err
	}
	return d, nil
}

// Join is the dictionary of some segments, at least one, that have no term in common; it does not check that (Verify
// does). Several dictionaries may share segments; closing any of them closes these.
func Join(segments ...*Segment) (*Dictionary, error) {
	if len(segments) == 0 {
		return nil, errors.New("dictionary: there is no segment")
	}
	d := &Dictionary{base: segments[0], segments: segments, starts: make([]ID, len(segments)+1)}
	for i, s := range segments {
		if s.Len() > math.MaxUint32-int(d.starts[i]) {
			return nil, fmt.Errorf("dictionary: %w", s.files[0].Damaged("its segments have more terms than there are IDs"))
		}
		d.starts[i+1] = d.starts[i] + ID(s.Len())
	}
	d.end, d.ordered = d.starts[1], d.starts[len(segments)]
	return d, nil
}

// locate is the segment that an ID from d.end on lies in and its local ID there; where it lies in none, no segment and its
// number in the tail.
func (d *Dictionary) locate(id ID) (*Segment, ID) {
	if id >= d.ordered {
		return nil, id - d.ordered
	}
	i := len(d.segments) - 1
	for id < d.starts[i] {
		i--
	}
	return d.segments[i], id - d.starts[i]
}

// Segments are the segments in the order of their IDs.
func (d *Dictionary) Segments() []*Segment { return d.segments }

// Start is the first ID of segment i; of the one after the last, Ordered.
func (d *Dictionary) Start(i int) ID { return d.starts[i] }

// Close unmaps the files; nothing that the dictionary handed out as bytes may be used any more.
func (d *Dictionary) Close() (err error) {
	for _, s := range d.segments {
		err = errors.Join(err, s.Close())
	}
	return err
}

// Prefetch asks the system to read all files ahead.
func (d *Dictionary) Prefetch() {
	for _, s := range d.segments {
		for _, f := range s.files {
			f.Prefetch()
		}
	}
}

// Err is the damage that decoding a term met, if any since the dictionary was opened.
func (d *Dictionary) Err() error {
	for _, s := range d.segments {
		if err := s.err(); err != nil {
			return err
		}
	}
	return nil
}

// Len is the number of terms: all IDs are below.
func (d *Dictionary) Len() int { return int(d.ordered) + int(d.tail.count) }

// Ordered is the number of terms in segments. IDs below it mean something by their order, as the package's documentation
// says; those from it up to Len are in order of arrival. Sections, Section and ValueRange speak of the former alone.
func (d *Dictionary) Ordered() ID { return d.ordered }

// Sections are the IDs below Ordered of all terms in the sections from first to last, as ascending ranges that do not
// touch: one for each segment at most.
func (d *Dictionary) Sections(first, last Section) (ranges []Range) {
	for i := range d.segments {
		ranges = appendRange(ranges, d.Section(i, first).From, d.Section(i, last).To)
	}
	return ranges
}

// Section is the range of IDs of one section of segment i. Order by value holds inside of it.
func (d *Dictionary) Section(i int, of Section) Range {
	r := d.segments[i].Section(of)
	return Range{d.starts[i] + r.From, d.starts[i] + r.To}
}

// MomentRanges are the dates and times of segment i: a range for each kind, with a zone and without, in each of which they are in the order of their instants.
func (d *Dictionary) MomentRanges(i int) (ranges []Range) {
	all := d.Section(i, Temporals)
	for from := all.From; from < all.To; {
		v := d.Value(from)
		to := search(Range{from, all.To}, func(id ID) bool {
			w := d.Value(id)
			return w.Kind != v.Kind || (w.Zone == NoZone) != (v.Zone == NoZone)
		})
		ranges = append(ranges, Range{from, to})
		from = max(to, from+1)
	}
	return ranges
}

// Kind is IRI, BlankNode or Literal; 0 for an ID that no term has.
func (d *Dictionary) Kind(id ID) rdf.Kind {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return d.tail.kind(id)
		}
	}
	if id >= s.starts[Numbers] {
		if id >= s.starts[SectionCount] {
			return 0
		}
		return rdf.Literal
	}
	t, ok := s.text(id)
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
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return d.tail.term(id)
		}
	}
	stored, ok := s.text(id)
	if !ok {
		return rdf.Term{}
	}
	if id < s.starts[Numbers] {
		return s.resource(&stored)
	}
	t := rdf.Term{Kind: rdf.Literal, Value: stored.string(0)}
	switch {
	case id < s.starts[Strings]:
		t.Datatype = s.datatype(id).IRI()
	case id < s.starts[LangStrings]:
	case id < s.starts[Others]:
		t.Language = s.qualifierOf(id).text
	default:
		t.Datatype = s.qualifierOf(id).text
	}
	return t
}

// AppendText appends the Value of an ID's term, and returns the rest of it as rdf.Term.Sort does; nothing, and "", where there is
// none.
func (d *Dictionary) AppendText(dst []byte, id ID) (text []byte, sort string) {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return d.tail.appendText(dst, id)
		}
	}
	if id >= s.starts[Numbers] {
		t, ok := s.text(id)
		if !ok {
			return dst, ""
		}
		return t.append(dst), s.sortOf(id)
	}
	if prefix, suffix, ok := s.narrowText(id); ok && len(prefix) > 1 && prefix[0] == keyIRI {
		return append(append(dst, prefix[1:]...), suffix...), rdf.SortIRI
	}
	t, ok := s.text(id)
	if !ok {
		return dst, ""
	}
	switch t.first() {
	case keyIRI:
		return t.appendFrom(dst, len("<")), rdf.SortIRI
	case keyBlank:
		return t.appendFrom(dst, len("_:")), rdf.SortBlank
	}
	s.broken.Store(true)
	return dst, ""
}

// AppendKey appends the key of an ID (the function AppendKey describes keys); nothing where no term has the ID.
func (d *Dictionary) AppendKey(dst []byte, id ID) []byte {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return d.tail.appendKey(dst, id)
		}
	}
	t, ok := s.text(id)
	if !ok {
		return dst
	}
	switch s.section(id) {
	case Predicates, Resources:
	case Strings:
		dst = append(dst, keyString)
	case LangStrings:
		dst = append(dst, keyLang)
		dst = append(append(dst, s.qualifierOf(id).text...), 0)
	case Others:
		iri := s.qualifierOf(id).text
		if known := DatatypeOf(iri); known != OtherDatatype {
			dst = append(dst, keyKnown, codeBase+byte(known))
		} else {
			dst = append(dst, keyOther)
			dst = append(append(dst, iri...), 0)
		}
	default:
		dst = append(dst, keyKnown, codeBase+byte(s.datatype(id)))
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

// LookupKey is Lookup by key. Each segment costs a probe, the first first, and a tail one more.
func (d *Dictionary) LookupKey(key []byte) (ID, bool) {
	p, err := splitKey(key)
	if err != nil {
		return None, false
	}
	hash := xxh3.Hash(key)
	if id, ok := d.findOrdered(hash, &p); ok {
		return id, true
	}
	if n, ok := d.tail.find(hash, key); ok {
		return d.ordered + n, true
	}
	return None, false
}

// findOrdered is the ID of a key that a segment has, given its hash and its parts.
func (d *Dictionary) findOrdered(hash uint64, p *parts) (ID, bool) {
	for i, s := range d.segments {
		if id, ok := s.find(hash, p); ok {
			return d.starts[i] + id, true
		}
	}
	return None, false
}

// Value is the value of an ID, without parsing text (but for numbers that do not fit 64 bits).
func (d *Dictionary) Value(id ID) Value {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return d.tail.value(id)
		}
	}
	switch {
	case id < s.starts[Numbers] || id >= s.starts[SectionCount]:
		return Value{Zone: NoZone}
	case id < s.starts[Strings]:
		return s.storedValue(id)
	case id < s.starts[LangStrings]:
		return Value{Kind: String, Zone: NoZone}
	case id < s.starts[Others]:
		return Value{Kind: LangString, Zone: NoZone}
	}
	return Value{Kind: OtherLiteral, Datatype: DatatypeOf(s.qualifierOf(id).text), Zone: NoZone}
}

// Language is the language tag of an ID, "" for all but language-tagged literals.
func (d *Dictionary) Language(id ID) string {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return d.tail.term(id).Language
		}
	}
	if id < s.starts[LangStrings] || id >= s.starts[Others] {
		return ""
	}
	return s.qualifierOf(id).text
}

// DatatypeIRI is the datatype of a literal in full, "" for an ID that is no literal (rdf.Term.DatatypeIRI).
func (d *Dictionary) DatatypeIRI(id ID) string {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return d.tail.term(id).DatatypeIRI()
		}
	}
	switch {
	case id < s.starts[Numbers] || id >= s.starts[SectionCount]:
		return ""
	case id < s.starts[Strings]:
		return s.datatype(id).IRI()
	case id < s.starts[LangStrings]:
		return rdf.XSDString
	case id < s.starts[Others]:
		return rdf.RDFLangString
	}
	return s.qualifierOf(id).text
}
