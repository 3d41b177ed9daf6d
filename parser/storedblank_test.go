package parser

import (
	"context"
	"strings"
	"testing"
)

func TestABlankNodeOfTheDataHasAName(t *testing.T) {
	q, err := Parse("BASE <http://e/> SELECT * { <_:b1> ?p <_:x.y> VALUES ?v { <_:b2> } FILTER(?v = <_:b2>) }", Options{})
	if err != nil {
		t.Fatal(err)
	}
	where := FormatNode(q.Where)
	for _, name := range []string{"_:b1", "_:x.y", "_:b2"} {
		if !strings.Contains(where, name) || strings.Contains(where, "<"+name) {
			t.Errorf("no %s in %s", name, where)
		}
	}
	for _, text := range []string{
		"CONSTRUCT { <_:b> ?p ?o } WHERE { ?s ?p ?o }",
		"CONSTRUCT { ?s ?p <_:b> } WHERE { ?s ?p ?o }",
	} {
		if _, err := Parse(text, Options{}); err == nil || !strings.Contains(err.Error(), "unexpected <_:b>") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"INSERT DATA { <_:b> <p> 1 }", "DELETE DATA { <s> <p> <_:b> }", "INSERT DATA { GRAPH <_:b> { <s> <p> 1 } }",
		"INSERT { GRAPH <_:b> { ?s ?p 1 } } WHERE { ?s ?p ?o }", "INSERT { <_:b> ?p 1 } WHERE { ?s ?p ?o }",
	} {
		if _, err := ParseUpdate(context.Background(), text, Options{}); err == nil || !strings.Contains(err.Error(), "unexpected <_:b>") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ParseUpdate(context.Background(), "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o . <_:b> ?p ?o }", Options{}); err != nil {
		t.Error(err)
	}
}
