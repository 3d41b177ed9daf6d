package parser

import (
	"reflect"
	"testing"
)

func TestFootprint(t *testing.T) {
	none, all := Graphs{}, Graphs{Default: true, AllNamed: true}
	standard := Graphs{Default: true}
	named := func(iris ...string) Graphs { return Graphs{Named: iris} }
	for _, c := range []struct {
		update        string
		reads, writes Graphs
	}{
		{"", none, none},
		{"INSERT DATA { <s> <p> 1 }", none, standard},
		{"INSERT DATA { GRAPH <h> { <s> <p> 1 } GRAPH <g> { <s> <p> 1 } GRAPH <e> {} } ; DELETE DATA { GRAPH <g> { <s> <p> 1 } <s> <p> 1 }", none,
			Graphs{Default: true, Named: []string{"g", "h"}}},
		{"DELETE WHERE { ?s ?p ?o }", standard, standard},
		{"DELETE WHERE { GRAPH <g> { ?s ?p ?o } }", named("g"), named("g")},
		{"INSERT { GRAPH ?g { ?s ?p ?o } } WHERE { GRAPH <g> { ?s ?p ?o, ?g } }", named("g"), Graphs{AllNamed: true}},
		{"WITH <w> INSERT { ?s ?p 1 } WHERE { ?s ?p ?o GRAPH <g> { ?s ?p ?o } }", named("g", "w"), named("w")},
		{"WITH <w> INSERT { ?s ?p 1 } USING <u> USING <v> WHERE { ?s <p>+ ?o GRAPH <g> { ?s ?p ?o } }", named("u", "v"), named("w")},
		{"INSERT { ?s ?p 1 } USING NAMED <u> USING NAMED <v> WHERE { ?a ?b ?c GRAPH <u> { ?s ?p ?o } }", named("u"), standard},
		{"INSERT { ?s ?p 1 } USING NAMED <u> USING NAMED <v> WHERE { GRAPH ?g { ?s ?p ?o } }", named("u", "v"), standard},
		{"INSERT { ?s ?p 1 } WHERE { GRAPH <g> { ?s ?p ?o FILTER(1 = 1 || NOT EXISTS { ?o ?p ?s GRAPH <h> { ?s ?p ?o } }) } }", named("g", "h"), standard},
		{"INSERT { ?s ?p 1 } WHERE { SERVICE <e> { ?s ?p ?o } VALUES ?x { 1 } }", none, standard},
		{"INSERT { ?s ?p 1 } WHERE { { SELECT * { GRAPH ?g {} } } UNION { GRAPH <h> { ?s ?p ?o } } }", Graphs{AllNamed: true}, standard},
		{"LOAD <x> INTO GRAPH <g>; CREATE GRAPH <h>", none, named("g", "h")},
		{"CLEAR NAMED", none, Graphs{AllNamed: true}},
		{"DROP ALL", none, all},
		{"CLEAR DEFAULT; DROP GRAPH <g>", none, Graphs{Default: true, Named: []string{"g"}}},
		{"COPY DEFAULT TO <g>", standard, named("g")},
		{"MOVE <h> TO <g>", named("h"), named("g", "h")},
		{"ADD <h> TO DEFAULT", named("h"), standard},
	} {
		reads, writes := mustParseUpdate(t, c.update).Footprint()
		if !reflect.DeepEqual(reads, c.reads) || !reflect.DeepEqual(writes, c.writes) {
			t.Errorf("%s: reads %+v, writes %+v", c.update, reads, writes)
		}
	}
}

func TestMapPattern(t *testing.T) {
	u := mustParseUpdate(t, "CLEAR ALL; WITH <g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o } ")
	for _, o := range u.Operations {
		if MapPattern(o, func(n Node) Node { return n }) != o {
			t.Errorf("%T was made anew although nothing changed", o)
		}
	}
	if Pattern(u.Operations[0]) != nil {
		t.Error("CLEAR has a pattern")
	}
	m := u.Operations[1].(*Modify)
	before := m.Where
	changed := MapPattern(m, func(n Node) Node { return &Distinct{n} }).(*Modify)
	if d, ok := changed.Where.(*Distinct); !ok || d.Input != before || m.Where != before || changed.With != m.With {
		t.Errorf("%+v of %+v", changed, m)
	}
}
