package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu"
)

// dumpOffers are for all graphs together.
var dumpOffers = []offer{{"application/n-quads", rdfgpu.NTriples, "application/n-quads"}, {"text/x-nquads", rdfgpu.NTriples, "text/x-nquads"}}

// same says in the header which state of the store an answer is of, and reports whether the client has that answer already: it
// has been told so then.
func (x *exchange) same(engine *edition, sequence uint64, repeatable bool) bool {
	tag := ""
	switch {
	case !repeatable || !x.mayBeTagged():
	case x.request.graph != nil:
		tag = engine.graphTag(sequence, x.offer.format)
	default:
		tag = engine.answerTag(sequence, x.request, x.offer)
	}
	return x.says(strconv.FormatUint(sequence, 10), tag)
}

// mayBeTagged reports whether the answer is one to a method whose answers are told apart by tags.
func (x *exchange) mayBeTagged() bool {
	return x.r.Method == http.MethodGet || x.r.Method == http.MethodHead
}

// says is same for a sequence as text and a tag, "" for none.
func (x *exchange) says(sequence, tag string) bool {
	setField(x.w, headerSequence, sequence)
	if tag == "" || !x.mayBeTagged() {
		return false
	}
	setField(x.w, headerTag, tag)
	setField(x.w, "Cache-Control", "no-cache") // may be kept, and has to be asked for again
	if !unchanged(x.r, tag) || !x.claim() {
		return false
	}
	setField(x.w, "Vary", "Accept, Accept-Encoding")
	x.w.WriteHeader(http.StatusNotModified)
	x.log(nil)
	return true
}

// missing is the problem of a graph that is asked for and not there.
func (x *exchange) missing(engine *edition) *Problem {
	t := x.request.graph
	if t == nil || t.name == "" {
		return nil
	}
	there, err := engine.HasGraph(t.name)
	if err != nil {
		return problemOf(x.ctx, err)
	}
	if there {
		return nil
	}
	return t.missing()
}

// explained adds to the problem of a graph that is asked for in a syntax of several.
func (x *exchange) explained(p *Problem) *Problem {
	if x.request.graph != nil && slices.ContainsFunc(append(x.r.Header["Accept"], x.request.format), holdsGraphs) {
		p.Hint = "N-Quads and TriG name graphs, and this is one graph: " + storePath + " without a graph is all of them, as N-Quads"
	}
	return p
}

// dump sends all graphs as they are at one moment.
func (x *exchange) dump() {
	format := strings.Replace(x.request.format, "nquads", "application/n-quads", 1)
	var problem *Problem
	if x.offer, problem = negotiate(dumpOffers, format, x.r.Header["Accept"]); problem != nil {
		problem.Hint = "graph=IRI or default asks for one graph, in these and other formats"
		x.fail(problem)
		return
	}
	if x.r.Method == http.MethodHead {
		x.w.Header().Set("Content-Type", x.offer.contentType)
		x.log(nil)
		return
	}
	if !x.begin() {
		x.log(x.told)
		return
	}
	engine, done := x.server.use()
	defer done()
	report, err := engine.Dump(x.ctx, x.body, rdfgpu.DumpOptions{})
	x.rows, x.dumped = report.Quads, &report
	x.turn.leave()
	x.conclude(err)
}
