package dictionary

import "github.com/rdfgpu/rdfgpu/internal/rdf"

// sectionOfID is the section that an ID lies in, SectionCount where it lies in none.
func (d *Dictionary) sectionOfID(id ID) Section {
	for i, s := range d.segments {
		if id >= d.starts[i] && id < d.starts[i+1] {
			return s.section(id - d.starts[i])
		}
	}
	return SectionCount
}

// sectionOfTerm is SectionOf for a term, by its parsed value in place of its key.
func sectionOfTerm(t rdf.Term) Section {
	if t.Kind != rdf.Literal {
		return Resources
	}
	switch v := ParseValue(t); v.Kind {
	case String:
		return Strings
	case LangString:
		return LangStrings
	default:
		return sectionOfValue(v.Kind)
	}
}
