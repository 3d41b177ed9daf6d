package rdfgpu

import (
	"fmt"
	"strings"
)

// Info describes a store.
type Info struct {
	Path          string `json:"path"`
	FormatVersion int    `json:"formatVersion"`
	// Triples counts the default graph and all named graphs.
	Triples     uint64 `json:"triples"`
	NamedGraphs int    `json:"namedGraphs"`
	Terms       int    `json:"terms"`
	IRIs        int    `json:"iris"`
	BlankNodes  int    `json:"blankNodes"`
	Literals    int    `json:"literals"`
	Predicates  int    `json:"predicates"`
	Classes     int    `json:"classes"`
	// Bytes is the size on disk, by part.
	Bytes      map[string]int64 `json:"bytes"`
	TotalBytes int64            `json:"totalBytes"`
}

// DeviceInfo describes a GPU.
type DeviceInfo struct {
	// Available reports whether queries can run on it; Reason says why not.
	Available bool   `json:"available"`
	Reason    string `json:"reason,omitempty"`
	Name      string `json:"name,omitempty"`
	// Memory, Free and Resident are bytes: of the device, free on it, and taken by the store's partitions.
	Memory     int64  `json:"memory,omitempty"`
	Free       int64  `json:"free,omitempty"`
	Resident   int64  `json:"resident,omitempty"`
	Capability string `json:"capability,omitempty"`
}

// Schema is the data set at a glance.
type Schema struct {
	Classes    []ClassInfo     `json:"classes"`
	Predicates []PredicateInfo `json:"predicates"`
	// Links are the predicates that lead from members of one class to members of another.
	Links []LinkInfo `json:"links"`
}

// ClassInfo is a class and how many members it has.
type ClassInfo struct {
	IRI     string `json:"iri"`
	Members uint64 `json:"members"`
}

// PredicateInfo is a predicate with its triples, distinct subjects and distinct objects.
type PredicateInfo struct {
	IRI      string `json:"iri"`
	Triples  uint64 `json:"triples"`
	Subjects uint64 `json:"subjects"`
	Objects  uint64 `json:"objects"`
}

// LinkInfo says that about Triples triples of Predicate lead from class From to class To.
type LinkInfo struct {
	From      string `json:"from"`
	Predicate string `json:"predicate"`
	To        string `json:"to"`
	Triples   uint64 `json:"triples"`
}

// Example is a query that comes with a store.
type Example struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// String describes the store in a few lines.
func (i Info) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: format version %d\n", i.Path, i.FormatVersion)
	fmt.Fprintf(&b, "%14d triples, %d named graphs\n", i.Triples, i.NamedGraphs)
	fmt.Fprintf(&b, "%14d terms (%d IRIs, %d blank nodes, %d literals)\n", i.Terms, i.IRIs, i.BlankNodes, i.Literals)
	fmt.Fprintf(&b, "%14d predicates, %d classes\n", i.Predicates, i.Classes)
	fmt.Fprintf(&b, "%14d bytes", i.TotalBytes)
	if i.Triples > 0 {
		fmt.Fprintf(&b, ", %.1f for each triple", float64(i.TotalBytes)/float64(i.Triples))
	}
	for _, part := range sortedKeys(i.Bytes) {
		fmt.Fprintf(&b, "\n%14d   %s", i.Bytes[part], part)
	}
	return b.String()
}

// String describes the device in a line.
func (d DeviceInfo) String() string {
	if !d.Available {
		return "no usable GPU: " + d.Reason
	}
	const gib = 1 << 30
	return fmt.Sprintf("%s, compute capability %s, %.1f GiB (%.1f free), %.3f GiB of the store resident",
		d.Name, d.Capability, float64(d.Memory)/gib, float64(d.Free)/gib, float64(d.Resident)/gib)
}
