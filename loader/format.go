package loader

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Format is a syntax for RDF.
type Format string

// The formats that can be read.
const (
	NTriples Format = "ntriples"
	NQuads   Format = "nquads"
	Turtle   Format = "turtle"
	TriG     Format = "trig"
	RDFXML   Format = "rdfxml"
)

var formatOf = map[string]Format{
	"nt": NTriples, "ntriples": NTriples, "n-triples": NTriples,
	"nq": NQuads, "nquads": NQuads, "n-quads": NQuads,
	"ttl": Turtle, "turtle": Turtle,
	"trig": TriG,
	"rdf":  RDFXML, "owl": RDFXML, "rdfxml": RDFXML, "rdf/xml": RDFXML, "xml": RDFXML,
}

// ParseFormat turns a name or a file name's extension (nt, nq, ttl, trig, rdf, owl …) into a Format.
func ParseFormat(name string) (Format, error) {
	if f, ok := formatOf[strings.ToLower(strings.TrimPrefix(name, "."))]; ok {
		return f, nil
	}
	return "", fmt.Errorf("loader: %w: %q: expected ntriples, nquads, turtle, trig or rdfxml", ErrFormat, name)
}

// Compression is how a file is packed.
type Compression string

// The compressions that can be read.
const (
	Plain Compression = ""
	Gzip  Compression = "gzip"
	Zstd  Compression = "zstd"
	Bzip2 Compression = "bzip2"
)

var compressionOf = map[string]Compression{".gz": Gzip, ".zst": Zstd, ".zstd": Zstd, ".bz2": Bzip2}

// Endings are those of the names that tell a format.
const Endings = ".nt .nq .ttl .trig .rdf or .owl (then .gz .zst or .bz2)"

// Detect tells format and compression from a file's name: .nt .nq .ttl .trig .rdf .owl, with .gz .zst or .bz2 behind.
func Detect(name string) (Format, Compression, error) {
	ext := strings.ToLower(filepath.Ext(name))
	c, packed := compressionOf[ext]
	if packed {
		ext = strings.ToLower(filepath.Ext(name[:len(name)-len(ext)]))
	}
	f, ok := formatOf[strings.TrimPrefix(ext, ".")]
	if !ok || ext == "" {
		return "", c, fmt.Errorf("loader: %s: %w: the name should end in %s, or give the format: ntriples, nquads, turtle, trig or rdfxml", name, ErrFormat, Endings)
	}
	return f, c, nil
}
