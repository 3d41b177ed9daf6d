package results

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

type jsonTerm struct {
	Type     string `json:"type"`
	Value    string `json:"value"`
	Language string `json:"xml:lang"`
	Datatype string `json:"datatype"`
}

func readJSON(in io.Reader) (*Table, error) {
	var answer struct {
		Head struct {
			Vars []string `json:"vars"`
		} `json:"head"`
		Boolean *bool `json:"boolean"`
		Results *struct {
			Bindings []map[string]jsonTerm `json:"bindings"`
		} `json:"results"`
	}
	if err := json.NewDecoder(in).Decode(&answer); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	t := &Table{Variables: answer.Head.Vars}
	if answer.Boolean != nil {
		t.IsBoolean, t.Boolean = true, *answer.Boolean
		return t, nil
	}
	if answer.Results == nil {
		return nil, fmt.Errorf("%w: neither results nor boolean", ErrSyntax)
	}
	columns := t.index()
	for _, binding := range answer.Results.Bindings {
		row := make([]rdf.Term, len(t.Variables))
		for name, value := range binding {
			c, ok := columns[name]
			if !ok {
				return nil, fmt.Errorf("%w: variable %q is not in the head", ErrSyntax, name)
			}
			term, err := value.term()
			if err != nil {
				return nil, err
			}
			row[c] = term
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func (j jsonTerm) term() (rdf.Term, error) {
	switch j.Type {
	case "uri":
		return rdf.NewIRI(j.Value), nil
	case "bnode":
		return rdf.NewBlank(j.Value), nil
	case "literal", "typed-literal":
		if j.Language != "" {
			return rdf.NewLangString(j.Value, j.Language), nil
		}
		return rdf.NewTyped(j.Value, j.Datatype), nil
	}
	return rdf.Term{}, fmt.Errorf("%w: term type %q", ErrSyntax, j.Type)
}
