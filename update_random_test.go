package rdfgpu_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/naive"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/updatetest"
)

// updates draws requests over few terms, so that operations meet.
type updates struct{ *rapid.T }

func (u updates) chance(percent int) bool { return rapid.IntRange(0, 99).Draw(u.T, "chance") < percent }

func (u updates) oneOf(list ...string) string { return rapid.SampledFrom(list).Draw(u.T, "one") }

func (u updates) node() string { return fmt.Sprintf(":n%d", rapid.IntRange(0, 4).Draw(u.T, "node")) }

func (u updates) predicate() string { return u.oneOf(":p", ":q", "a") }

func (u updates) graph() string { return u.oneOf(":g", ":h", ":k") }

func (u updates) object() string {
	if u.chance(40) {
		return u.oneOf("1", "2", "2.0", `"t"`, `"t"@en`, "true")
	}
	return u.node()
}

// data is ground triples, some in graphs.
func (u updates) data(blanks bool) string {
	var b strings.Builder
	for range rapid.IntRange(0, 4).Draw(u.T, "quads") {
		subject, object := u.node(), u.object()
		if blanks && u.chance(15) {
			subject = "_:b"
		}
		triple := fmt.Sprintf("%s %s %s . ", subject, u.predicate(), object)
		if u.chance(40) {
			triple = fmt.Sprintf("GRAPH %s { %s} ", u.graph(), triple)
		}
		b.WriteString(triple)
	}
	return b.String()
}

// term draws a variable or a constant.
func (u updates) term(constant string) string {
	if u.chance(60) {
		return u.oneOf("?x", "?y", "?z")
	}
	return constant
}

func (u updates) triple(blanks bool) string {
	subject, object := u.term(u.node()), u.term(u.object())
	if blanks && u.chance(10) {
		object = "_:new"
	}
	predicate := u.predicate()
	if u.chance(15) {
		predicate = "?p"
	}
	return fmt.Sprintf("%s %s %s . ", subject, predicate, object)
}

// template is quad patterns.
func (u updates) template(blanks bool) string {
	var b strings.Builder
	for range rapid.IntRange(1, 3).Draw(u.T, "patterns") {
		triple := u.triple(blanks)
		if u.chance(30) {
			graph := u.graph()
			if u.chance(40) {
				graph = "?g"
			}
			triple = fmt.Sprintf("GRAPH %s { %s} ", graph, triple)
		}
		b.WriteString(triple)
	}
	return b.String()
}

// where is a pattern with conditions.
func (u updates) where() string {
	pattern := u.template(false)
	switch rapid.IntRange(0, 5).Draw(u.T, "more") {
	case 0:
		pattern += "OPTIONAL { " + u.triple(false) + "} "
	case 1:
		pattern += "FILTER (?x != " + u.node() + ") "
	case 2:
		pattern += "FILTER NOT EXISTS { " + u.triple(false) + "} "
	case 3:
		pattern += "BIND (" + u.oneOf("STR(?x)", "1 + 1", "?y") + " AS ?w) "
	}
	return "{ " + pattern + "}"
}

func (u updates) operation() string {
	silent := u.oneOf("", "SILENT ")
	target := func() string { return u.oneOf("DEFAULT", u.graph()) }
	switch rapid.IntRange(0, 11).Draw(u.T, "operation") {
	case 0, 1, 2:
		return "INSERT DATA { " + u.data(true) + "}"
	case 3:
		return "DELETE DATA { " + u.data(false) + "}"
	case 4:
		return "DELETE WHERE { " + u.template(false) + "}"
	case 5:
		return u.oneOf("CLEAR ", "DROP ") + silent + u.oneOf("DEFAULT", "NAMED", "ALL", "GRAPH "+u.graph())
	case 6:
		return "CREATE " + silent + "GRAPH " + u.graph()
	case 7:
		return u.oneOf("COPY ", "MOVE ", "ADD ") + silent + target() + " TO " + target()
	}
	var b strings.Builder
	if u.chance(25) {
		b.WriteString("WITH " + u.graph() + " ")
	}
	deleting := u.chance(50)
	if deleting {
		b.WriteString("DELETE { " + u.template(false) + "} ")
	}
	if !deleting || u.chance(70) {
		b.WriteString("INSERT { " + u.template(true) + "} ")
	}
	if u.chance(20) {
		b.WriteString("USING " + u.graph() + " ")
	}
	if u.chance(15) {
		b.WriteString("USING NAMED " + u.graph() + " ")
	}
	return b.String() + "WHERE " + u.where()
}

func (u updates) request() string {
	var operations []string
	for range rapid.IntRange(1, 3).Draw(u.T, "operations") {
		operations = append(operations, u.operation())
	}
	return "PREFIX : <http://e/> " + strings.Join(operations, " ; ")
}

// TestRandomUpdates compares what requests make of a store with what a set of quads becomes by the standard's text.
func TestRandomUpdates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		e := &writableEngine{t: t}
		var initial []rdf.Quad
		if err := e.Load(initial); err != nil {
			r.Fatal(err)
		}
		defer e.store.Close()
		var plain naive.Store
		plain.Load(initial)
		for range rapid.IntRange(1, 6).Draw(r, "requests") {
			request := updates{r}.request()
			before := plain.Quads()
			want := plain.Update(request, "")
			_, got := e.store.Update(context.Background(), request, rdfgpu.UpdateOptions{})
			if (got == nil) != (want == nil) {
				r.Fatalf("%s\nerror %v instead of %v, over\n%s", request, got, want, updatetest.Format(before))
			}
			quads, err := e.Quads()
			if err != nil {
				r.Fatal(err)
			}
			if err := updatetest.Compare(quads, plain.Quads()); err != nil {
				r.Fatalf("%s\nover\n%s%v", request, updatetest.Format(before), err)
			}
			if rapid.IntRange(0, 9).Draw(r, "flush") == 0 {
				if err := e.store.Flush(context.Background()); err != nil {
					r.Fatal(err)
				}
			}
		}
	})
}
