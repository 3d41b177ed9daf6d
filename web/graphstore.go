package web

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// Media types of the Graph Store Protocol.
const (
	mediaParts = "multipart/form-data"
	mediaPatch = "application/rdf-patch"
)

// storePath is where the Graph Store Protocol is spoken.
const storePath = "/store"

// target is the graph that a request of the Graph Store Protocol is about: the default graph where all is false and name is "".
type target struct {
	name string
	// all: the request names no graph, so it is about all of them.
	all bool
}

func (t target) String() string {
	switch {
	case t.all:
		return "all graphs"
	case t.name == "":
		return "the default graph"
	}
	return "<" + t.name + ">"
}

// query reads the graph.
func (t target) query() string {
	if t.name == "" {
		return "CONSTRUCT WHERE { ?s ?p ?o }"
	}
	return "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <" + t.name + "> { ?s ?p ?o } }"
}

// missing is the problem of a graph that is not there.
func (t target) missing() *Problem {
	return &Problem{Status: http.StatusNotFound, Title: "no such graph", Detail: "there is no triple in " + t.String(), outcome: "refused"}
}

// target reads which graph a request is about (SPARQL 1.1 Graph Store HTTP Protocol, section 4).
func (s *Server) target(r *http.Request) (target, *Problem) {
	values, problem := parseForm(r.URL.RawQuery)
	if problem != nil {
		return target{}, problem
	}
	graphs, isDefault, direct := values["graph"], values.Has("default"), strings.TrimSuffix(r.URL.Path, "/") != storePath
	if direct && !s.options.DirectGraphs {
		return target{}, &Problem{Status: http.StatusNotFound, Title: "not found", Detail: "addresses below " + storePath + " are no graphs here",
			Hint: storePath + "?graph=IRI is a graph; --direct-graphs makes addresses names of graphs"}
	}
	named := len(graphs)
	if isDefault {
		named++
	}
	if direct {
		named++
	}
	switch {
	case named > 1:
		return target{}, badRequest("the request names more than one graph")
	case isDefault:
		return target{}, nil
	case direct:
		return target{name: endpointOf(r)}, nil
	case named == 0:
		return target{all: true}, nil
	case !isGraphIRI(graphs[0]):
		return target{}, badRequest(fmt.Sprintf("%q is no absolute IRI of a graph", graphs[0]))
	}
	return target{name: graphs[0]}, nil
}

// serveGraphs is the Graph Store Protocol: graphs are read by GET and HEAD, replaced by PUT, added to by POST, and removed by
// DELETE; PATCH applies an RDF Patch to all of them.
func (s *Server) serveGraphs(w http.ResponseWriter, r *http.Request) {
	began := arrival(r)
	t, problem := s.target(r)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if problem == nil {
			problem = s.readGraph(w, r, t, began)
		}
	case http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodPatch:
		if refused := s.mayWrite(r); refused != nil {
			problem = refused
		}
		if problem == nil {
			problem = s.changeGraph(w, r, t, began)
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, PUT, POST, DELETE, PATCH, OPTIONS")
		problem = &Problem{Status: http.StatusMethodNotAllowed, Title: "method not allowed"}
	}
	if problem != nil {
		s.metrics.finished("refused", 0)
		s.fail(w, r, "", problem)
	}
}

// readGraph answers with a graph, or with all of them; the problem is one of the request.
func (s *Server) readGraph(w http.ResponseWriter, r *http.Request, t target, began time.Time) *Problem {
	values := r.URL.Query()
	request := &request{text: t.query(), send: sendAll, format: values.Get("format"), graph: &t}
	request.options = rdfgpu.QueryOptions{Device: s.options.Device, Timeout: s.options.UpdateTimeout, MaxMemory: s.options.MaxMemory}
	if t.all {
		request.text = "# all graphs, as N-Quads"
	}
	if problem := request.set(r, values, queryExtras); problem != nil {
		return problem
	}
	x := &exchange{server: s, w: w, r: r, request: request, ctx: r.Context()}
	x.ask(began)
	return nil
}

// changeGraph does what changes a graph; the problem is one of the request.
func (s *Server) changeGraph(w http.ResponseWriter, r *http.Request, t target, began time.Time) *Problem {
	settings := &request{update: &rdfgpu.UpdateOptions{Timeout: s.options.UpdateTimeout, MaxMemory: s.options.MaxMemory}}
	if problem := settings.set(r, r.URL.Query(), updateExtras); problem != nil {
		return problem
	}
	condition, problem := readCondition(r)
	if problem != nil {
		return problem
	}
	c := &change{server: s, w: w, r: r, began: began, text: "# " + r.Method + " " + t.String(), limit: settings.update.Timeout,
		admit: s.updates, dryRun: settings.update.DryRun}
	if c.dryRun && r.Method != http.MethodPatch {
		return badRequest("dry-run is for updates and patches")
	}
	switch r.Method {
	case http.MethodDelete:
		return c.drop(t, condition)
	case http.MethodPatch:
		return c.patch(t, condition, settings.update)
	}
	return c.put(t, condition)
}

// drop removes a graph.
func (c *change) drop(t target, condition condition) *Problem {
	if t.all {
		return badRequest("name a graph, by graph=IRI or default; the update DROP ALL removes all graphs")
	}
	c.missing = t.missing()
	c.do = func(ctx context.Context, e *edition) (report rdfgpu.UpdateReport, created bool, err error) {
		options := rdfgpu.GraphOptions{}
		if options.IfSequence, err = condition.pin(e, t.exists(e)); err == nil {
			report, err = e.DropGraph(ctx, t.name, options)
		}
		return report, false, err
	}
	c.serve()
	return nil
}

// exists asks an engine whether it has the graph.
func (t target) exists(e *edition) func() (bool, error) {
	return func() (bool, error) { return e.HasGraph(t.name) }
}

// open reads the beginning of the body; a long body is for the uploads to admit.
func (c *change) open() (problem *Problem) {
	c.documents, problem = c.server.openDocuments(c.w, c.r, c.began.Add(c.limit))
	if problem == nil && !c.documents.whole {
		c.admit = c.server.uploads
	}
	return problem
}

// put adds documents to a graph, or replaces it by one.
func (c *change) put(t target, condition condition) *Problem {
	if t.all && c.r.Method == http.MethodPut {
		return badRequest("name a graph, by graph=IRI or default")
	}
	media, parameters, problem := mediaType(c.r.Header.Get("Content-Type"))
	if problem != nil {
		return problem
	}
	if problem = c.open(); problem == nil {
		problem = c.putDocuments(t, condition, media, parameters["boundary"])
	}
	c.documents.close()
	return problem
}

func (c *change) putDocuments(t target, condition condition, media, boundary string) *Problem {
	first, err := c.documents.first(media, boundary)
	if err != nil {
		return c.documents.failure(c.w, c.r)
	}
	if t.all { // section 5.5: a POST to the graph store makes a graph
		t = target{name: originOf(c.r) + storePath + "/" + strings.ToLower(rand.Text())}
		c.location, c.text = t.name, "# POST "+t.String()
	}
	base := t.name
	if base == "" {
		base = endpointOf(c.r)
	}
	c.do = func(ctx context.Context, e *edition) (report rdfgpu.UpdateReport, created bool, err error) {
		options := rdfgpu.GraphOptions{Format: first.Format, Base: base, Replace: c.r.Method == http.MethodPut}
		if c.documents.form != nil {
			options.Next = c.documents.next
		}
		if options.IfSequence, err = condition.pin(e, t.exists(e)); err != nil {
			return report, false, err
		}
		report, existed, err := e.PutGraph(ctx, t.name, first.Body, options)
		return report, !existed && report.Added > 0, err
	}
	c.serve()
	return nil
}

// patch applies an RDF Patch.
func (c *change) patch(t target, condition condition, options *rdfgpu.UpdateOptions) *Problem {
	if !t.all {
		return badRequest("a patch names its graphs itself: send it to " + storePath + " without a graph")
	}
	media, _, problem := mediaType(c.r.Header.Get("Content-Type"))
	if problem == nil && media != mediaPatch {
		problem = unsupportedMedia(fmt.Sprintf("%q is no patch", media), []string{mediaPatch})
		problem.Hint = "updates go to /update"
	}
	if problem != nil {
		return problem
	}
	if problem = c.open(); problem == nil {
		c.do = func(ctx context.Context, e *edition) (report rdfgpu.UpdateReport, created bool, err error) {
			if options.IfSequence, err = condition.pin(e, t.exists(e)); err == nil {
				report, err = e.Patch(ctx, c.documents.reader(), *options)
			}
			return report, false, err
		}
		c.serve()
	}
	c.documents.close()
	return problem
}
