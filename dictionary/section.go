package dictionary

// Section is a range of IDs of one sort; the sections of a dictionary follow each other in the order of the constants.
type Section uint8

const (
	// Predicates are the terms that are edge labels, whatever else they are in the graph.
	Predicates Section = iota
	// Resources are all other IRIs and blank nodes, in groups that the writer chooses, each in the order of its keys.
	Resources
	// Numbers are the well-formed literals of numeric datatypes by exact value, NaN last.
	Numbers
	// Temporals are the well-formed dates and times: by kind (dateTime, date, time, gYear, gYearMonth), those with a
	// zone before those without, then by instant.
	Temporals
	// Booleans are false, then true.
	Booleans
	// Strings are the plain literals in byte order.
	Strings
	// LangStrings are ordered by language tag, then in byte order.
	LangStrings
	// Others are the literals of all other datatypes, and the ill-formed ones, by datatype IRI, then in byte order.
	Others
	// SectionCount is how many sections there are.
	SectionCount
)

// String is the name of the section.
func (s Section) String() string {
	names := [SectionCount]string{"predicates", "resources", "numbers", "dates and times", "booleans", "strings", "language strings", "other literals"}
	if s >= SectionCount {
		return "no section"
	}
	return names[s]
}

// Range is the IDs from From to To, without To.
type Range struct {
	From, To ID
}

// Len is the number of IDs of the range.
func (r Range) Len() int { return int(r.To) - int(r.From) }

// Contains reports whether id lies in the range.
func (r Range) Contains(id ID) bool { return r.From <= id && id < r.To }

// Intersect returns the IDs that lie in both of two lists of ranges, each in order and apart.
func Intersect(a, b []Range) []Range {
	var out []Range
	for i, j := 0, 0; i < len(a) && j < len(b); {
		r := Range{From: max(a[i].From, b[j].From), To: min(a[i].To, b[j].To)}
		if r.From < r.To {
			out = append(out, r)
		}
		if a[i].To < b[j].To {
			i++
		} else {
			j++
		}
	}
	return out
}
