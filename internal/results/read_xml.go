package results

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

type xmlLiteral struct {
	Language string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	Datatype string `xml:"datatype,attr"`
	Value    string `xml:",chardata"`
}

type xmlBinding struct {
	Name    string      `xml:"name,attr"`
	URI     *string     `xml:"uri"`
	Blank   *string     `xml:"bnode"`
	Literal *xmlLiteral `xml:"literal"`
}

func readXML(in io.Reader) (*Table, error) {
	var answer struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/sparql-results# sparql"`
		Head    struct {
			Variables []struct {
				Name string `xml:"name,attr"`
			} `xml:"variable"`
		} `xml:"head"`
		Boolean *string `xml:"boolean"`
		Results *struct {
			Result []struct {
				Binding []xmlBinding `xml:"binding"`
			} `xml:"result"`
		} `xml:"results"`
	}
	if err := xml.NewDecoder(in).Decode(&answer); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	t := &Table{}
	for _, v := range answer.Head.Variables {
		t.Variables = append(t.Variables, v.Name)
	}
	if answer.Boolean != nil {
		t.IsBoolean, t.Boolean = true, strings.TrimSpace(*answer.Boolean) == "true"
		return t, nil
	}
	if answer.Results == nil {
		return nil, fmt.Errorf("%w: neither results nor boolean", ErrSyntax)
	}
	columns := t.index()
	for _, result := range answer.Results.Result {
		row := make([]rdf.Term, len(t.Variables))
		for _, b := range result.Binding {
			c, ok := columns[b.Name]
			if !ok {
				return nil, fmt.Errorf("%w: variable %q is not in the head", ErrSyntax, b.Name)
			}
			row[c] = b.term()
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func (b xmlBinding) term() rdf.Term {
	switch {
	case b.URI != nil:
		return rdf.NewIRI(strings.TrimSpace(*b.URI))
	case b.Blank != nil:
		return rdf.NewBlank(strings.TrimSpace(*b.Blank))
	case b.Literal == nil:
		return rdf.Term{}
	case b.Literal.Language != "":
		return rdf.NewLangString(b.Literal.Value, b.Literal.Language)
	}
	return rdf.NewTyped(b.Literal.Value, b.Literal.Datatype)
}
