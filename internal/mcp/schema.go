package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu"
)

const schemaHelp = `Lists the classes of the default graph with their members, its predicates with their triples, distinct subjects and objects,
and which predicates lead from members of which class to members of which (estimated from samples); largest first.`

// schemaRows is how many of each are listed where nobody says; allOfSchema is how many are looked at to find some.
const (
	schemaRows  = 50
	allOfSchema = 100_000
)

type schemaInput struct {
	Contains string `json:"contains,omitempty" jsonschema:"list those only whose IRI has this in it, in any case"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many of each to list: 50 where none is given, at most 500"`
}

// outline is the schema, or a part of it.
type outline struct {
	Classes    []rdfgpu.ClassInfo     `json:"classes"`
	Predicates []rdfgpu.PredicateInfo `json:"predicates"`
	Links      []rdfgpu.LinkInfo      `json:"links"`
	Note       string                 `json:"note,omitempty" jsonschema:"what is left out"`
}

// schema is the tool schema.
func (s *session) schema(_ context.Context, in schemaInput) (*outline, error) {
	limit, err := rowsOf(in.Limit, schemaRows)
	if err != nil {
		return nil, err
	}
	return s.outline(strings.ToLower(in.Contains), limit)
}

// outline lists at most limit of each whose IRI contains a text.
func (s *session) outline(text string, limit int) (*outline, error) {
	all, err := s.source.Schema(allOfSchema)
	if err != nil {
		return nil, err
	}
	has := func(iri string) bool { return strings.Contains(strings.ToLower(iri), text) }
	o := &outline{
		Classes:    those(all.Classes, func(c rdfgpu.ClassInfo) bool { return has(c.IRI) }),
		Predicates: those(all.Predicates, func(p rdfgpu.PredicateInfo) bool { return has(p.IRI) }),
		Links:      those(all.Links, func(l rdfgpu.LinkInfo) bool { return has(l.From) || has(l.Predicate) || has(l.To) }),
	}
	if over := max(len(o.Classes), len(o.Predicates), len(o.Links)); over > limit {
		o.Note = fmt.Sprintf("there are %d classes, %d predicates and %d links, of which at most %d are listed; contains or limit show others",
			len(o.Classes), len(o.Predicates), len(o.Links), limit)
	}
	o.Classes, o.Predicates, o.Links = o.Classes[:min(limit, len(o.Classes))], o.Predicates[:min(limit, len(o.Predicates))], o.Links[:min(limit, len(o.Links))]
	return o, nil
}

// those are the members of a list that pass a test; never nil.
func those[T any](list []T, passes func(T) bool) []T {
	return append([]T{}, slices.DeleteFunc(slices.Clone(list), func(v T) bool { return !passes(v) })...)
}
