package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// offer is a media type that an answer can be sent as.
type offer struct {
	mediaType string
	format    rdfgpu.Format
	// contentType is what the response says; "" means the format's own.
	contentType string
}

// header is what the response says.
func (o offer) header() string { return cmp.Or(o.contentType, o.format.MediaType()) }

// The offers for solutions and booleans, and for triples, best first. The first is for those who accept anything.
var (
	solutionOffers = []offer{
		{"application/sparql-results+json", rdfgpu.JSON, ""},
		{"application/json", rdfgpu.JSON, "application/json"},
		{"application/sparql-results+xml", rdfgpu.XML, ""},
		{"text/tab-separated-values", rdfgpu.TSV, ""},
		{"text/csv", rdfgpu.CSV, ""},
		{"application/xml", rdfgpu.XML, "application/xml"},
		{"text/xml", rdfgpu.XML, "text/xml; charset=utf-8"},
		{"text/plain", rdfgpu.Table, ""},
		{"application/vnd.apache.arrow.stream", rdfgpu.Arrow, ""},
		{"application/vnd.apache.parquet", rdfgpu.Parquet, ""},
	}
	tripleOffers = []offer{
		{"text/turtle", rdfgpu.Turtle, ""},
		{"application/n-triples", rdfgpu.NTriples, ""},
		{"application/x-turtle", rdfgpu.Turtle, ""},
		{"text/n3", rdfgpu.Turtle, "text/n3; charset=utf-8"},
		{"text/rdf+n3", rdfgpu.Turtle, "text/rdf+n3; charset=utf-8"},
		{"application/rdf+xml", rdfgpu.RDFXML, ""},
		{"application/xml", rdfgpu.RDFXML, "application/xml"},
		{"text/plain", rdfgpu.NTriples, "text/plain; charset=utf-8"},
		{"application/vnd.apache.arrow.stream", rdfgpu.Arrow, ""},
		{"application/vnd.apache.parquet", rdfgpu.Parquet, ""},
	}
)

// negotiate picks the format of an answer, by the format parameter or else by the Accept headers (RFC 9110, section
// 12.5.1). Among equals the order of the offers decides. Some clients send a format parameter of another server's
// vocabulary with every query: one that means nothing here gives way to an Accept header that names a type.
func negotiate(offers []offer, parameter string, accept []string) (offer, *Problem) {
	if parameter != "" {
		if o, ok := chosen(offers, parameter); ok {
			return o, nil
		}
		for _, o := range offers {
			if named(accept, o.mediaType) {
				return negotiate(offers, "", accept)
			}
		}
		return offer{}, notAcceptable(offers)
	}
	if len(accept) == 0 {
		return offers[0], nil
	}
	if len(accept) == 1 {
		for _, o := range offers { // the common case: one type, exactly
			if accept[0] == o.mediaType {
				return o, nil
			}
		}
	}
	header := strings.Join(accept, ",")
	best, quality := offers[0], 0.0
	for _, o := range offers {
		if q := acceptance(header, o.mediaType); q > quality {
			best, quality = o, q
		}
	}
	if quality == 0 {
		return best, notAcceptable(offers)
	}
	return best, nil
}

// chosen finds the offer that the format parameter names: a format or a media type.
func chosen(offers []offer, parameter string) (offer, bool) {
	format, _ := results.ParseFormat(parameter)
	for _, o := range offers {
		if o.format == format || strings.EqualFold(o.mediaType, parameter) {
			return o, true
		}
	}
	return offer{}, false
}

// named reports whether the Accept headers name a media type in full.
func named(accept []string, mediaType string) bool {
	for _, header := range accept {
		for part := range strings.SplitSeq(header, ",") {
			name, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), mediaType) {
				return true
			}
		}
	}
	return false
}

func notAcceptable(offers []offer) *Problem {
	types := make([]string, len(offers))
	for i, o := range offers {
		types[i] = o.mediaType
	}
	return &Problem{Status: http.StatusNotAcceptable, Title: "not acceptable", Expected: types,
		Detail: "the answer to this query cannot be sent in a format that the request accepts"}
}

// acceptance is the quality that an Accept header gives to a media type; the most specific range decides.
func acceptance(header, mediaType string) float64 {
	quality, specificity := 0.0, -1
	major, _, _ := strings.Cut(mediaType, "/")
	for part := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		level := -1
		switch {
		case name == mediaType:
			level = 2
		case strings.HasSuffix(name, "/*") && name[:len(name)-2] == major:
			level = 1
		case name == "*/*" || name == "*":
			level = 0
		}
		if level > specificity {
			quality, specificity = weight(parameters), level
		}
	}
	return quality
}

// weight reads the q parameter; 1 without one, 0 for a broken one.
func weight(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}

// encodings are the compressions of a response, best first.
var encodings = [...]string{"zstd", "gzip"}

// encoding picks the compression of a response, one of encodings or "".
func encoding(accept string) string {
	if accept == "" {
		return ""
	}
	best, quality := "", 0.0
	for _, name := range encodings {
		if q := acceptance(accept, name); q > quality {
			best, quality = name, q
		}
	}
	return best
}
