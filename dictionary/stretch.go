package dictionary

import (
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// stretches are the IDs of a segment's section, LangStrings or Others, by language tag or datatype IRI.
func (d *Dictionary) stretches(segment int, of Section) func(yield func(qualifier string, r Range) bool) {
	return func(yield func(string, Range) bool) {
		s := d.segments[segment]
		all := s.Section(of)
		for i := range s.qualifiers {
			from, to := max(s.qualifiers[i].from, all.From), all.To
			if i+1 < len(s.qualifiers) {
				to = min(to, s.qualifiers[i+1].from)
			}
			if from < to && !yield(s.qualifiers[i].text, Range{d.starts[segment] + from, d.starts[segment] + to}) {
				return
			}
		}
	}
}

// Languages are the IDs below Ordered of the literals whose language tag, in the case that they have it in, matches: ascending ranges that do not touch.
func (d *Dictionary) Languages(matches func(tag string) bool) (ranges []Range) {
	for i := range d.segments {
		for tag, r := range d.stretches(i, LangStrings) {
			if matches(tag) {
				ranges = appendRange(ranges, r.From, r.To)
			}
		}
	}
	return ranges
}

// Tagged are the IDs below Ordered, ascending, of a text with a language tag, in whatever case.
func (d *Dictionary) Tagged(text, tag string) (ids []ID) {
	for i := range d.segments {
		for of, r := range d.stretches(i, LangStrings) {
			if !strings.EqualFold(of, tag) {
				continue
			}
			if id := search(r, func(id ID) bool { return d.compareText(id, text) >= 0 }); id < r.To && d.compareText(id, text) == 0 {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Beginning are the IDs below Ordered, and in within, of the strings, with a language tag or without, and with others those of the terms in Others, whose text begins with a
// prefix: ascending ranges that do not touch. They are searched for by halves in the strings of each language, and terms of each datatype; ok is false where that takes more than most searches.
func (d *Dictionary) Beginning(prefix string, others bool, within Range, most int) (ranges []Range, ok bool) {
	return d.texts(prefix, others, within, most, func(r Range) ID { return search(r, func(id ID) bool { return !d.begins(id, prefix) }) })
}

// Spelled are the IDs below Ordered, and in within, of such terms, those in Others included, whose text is another, and of the IRI that is, in no order.
func (d *Dictionary) Spelled(text string, within Range, most int) (ids []ID, ok bool) {
	ranges, ok := d.texts(text, true, within, most, func(r Range) ID {
		if r.Len() > 0 && d.compareText(r.From, text) == 0 {
			return r.From + 1
		}
		return r.From
	})
	for _, r := range ranges {
		for id := r.From; id < r.To; id++ {
			ids = append(ids, id)
		}
	}
	if iri, is := d.Lookup(rdf.NewIRI(text)); is && iri < d.ordered && within.Contains(iri) {
		ids = append(ids, iri)
	}
	return ids, ok
}

// texts finds the terms of such whose text is not before another, in each of at most so many stretches as far as end says.
func (d *Dictionary) texts(text string, others bool, within Range, most int, end func(r Range) ID) (ranges []Range, ok bool) {
	var stretches []Range
	add := func(_ string, r Range) bool {
		if r.From, r.To = max(r.From, within.From), min(r.To, within.To); r.From < r.To {
			stretches = append(stretches, r)
		}
		return len(stretches) <= most
	}
	for i := range d.segments {
		add("", d.Section(i, Strings))
		d.stretches(i, LangStrings)(add)
		if others {
			d.stretches(i, Others)(add)
		}
	}
	if len(stretches) > most {
		return nil, false
	}
	for _, r := range stretches {
		r.From = search(r, func(id ID) bool { return d.compareText(id, text) >= 0 })
		ranges = appendRange(ranges, r.From, end(r))
	}
	return ranges, true
}

// begins reports whether the text of an ID below Ordered begins with a prefix.
func (d *Dictionary) begins(id ID, prefix string) bool {
	var buffer [512]byte
	return strings.HasPrefix(string(d.appendStored(buffer[:0], id)), prefix)
}
