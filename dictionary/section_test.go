package dictionary

import "github.com/rdfgpu/rdfgpu/internal/rdf"

// sectionOfID is the section that an ID lies in, SectionCount where it lies in none.
func (d *Dictionary) sectionOfID(id ID) Section {
	s, local := d.locate(id)
	return s.section(local)
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
