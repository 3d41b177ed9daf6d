package results

import "strings"

// Format is a syntax for results.
type Format string

// Solutions and booleans can be written in the first five, graphs in the next three, everything in the last two.
const (
	TableText Format = "table"
	JSON      Format = "json"
	XML       Format = "xml"
	CSV       Format = "csv"
	TSV       Format = "tsv"
	NTriples  Format = "ntriples"
	Turtle    Format = "turtle"
	RDFXML    Format = "rdfxml"
	Arrow     Format = "arrow"
	Parquet   Format = "parquet"
)

// MediaType is the format's content type, with its character set where the type has that parameter.
func (f Format) MediaType() string {
	switch f {
	case JSON:
		return "application/sparql-results+json"
	case XML:
		return "application/sparql-results+xml"
	case CSV:
		return "text/csv; charset=utf-8"
	case TSV:
		return "text/tab-separated-values; charset=utf-8"
	case NTriples:
		return "application/n-triples"
	case Turtle:
		return "text/turtle; charset=utf-8"
	case RDFXML:
		return "application/rdf+xml"
	case Arrow:
		return "application/vnd.apache.arrow.stream"
	case Parquet:
		return "application/vnd.apache.parquet"
	}
	return "text/plain; charset=utf-8"
}

// Graph reports whether the format is one for triples.
func (f Format) Graph() bool { return f == NTriples || f == Turtle || f == RDFXML }

// Binary reports whether the format is no text.
func (f Format) Binary() bool { return f == Arrow || f == Parquet }

// ParseFormat reads a format's name, as a command line gives it: a format, or a file name extension.
func ParseFormat(name string) (Format, bool) {
	switch strings.ToLower(strings.TrimPrefix(name, ".")) {
	case "table", "text", "txt":
		return TableText, true
	case "json", "srj":
		return JSON, true
	case "xml", "srx":
		return XML, true
	case "csv":
		return CSV, true
	case "tsv":
		return TSV, true
	case "ntriples", "n-triples", "nt":
		return NTriples, true
	case "turtle", "ttl":
		return Turtle, true
	case "rdfxml", "rdf/xml", "rdf":
		return RDFXML, true
	case "arrow", "arrows":
		return Arrow, true
	case "parquet":
		return Parquet, true
	}
	return "", false
}
