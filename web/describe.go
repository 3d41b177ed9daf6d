package web

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// The vocabulary of SPARQL 1.1 Service Description and of VoID.
const (
	sdNS      = "http://www.w3.org/ns/sparql-service-description#"
	voidNS    = "http://rdfs.org/ns/void#"
	formatsNS = "http://www.w3.org/ns/formats/"
)

// serveDescription answers a request for an endpoint without a query or an update: with the service description, or for a
// browser with a way to the workbench.
func (s *Server) serveDescription(w http.ResponseWriter, r *http.Request) {
	accept := strings.Join(r.Header["Accept"], ",")
	if acceptance(accept, "text/html") > acceptance(accept, "text/turtle") {
		// The address is relative and not made absolute, because a proxy may have cut the path that leads here.
		location := "./"
		if strings.HasSuffix(r.URL.Path, "/") {
			location = "../"
		}
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	chosen, problem := negotiate(tripleOffers, r.URL.Query().Get("format"), r.Header["Accept"])
	if problem != nil {
		s.fail(w, r, "", problem)
		return
	}
	graph, err := s.description(r)
	if err != nil {
		s.fail(w, r, "", problemOf(r.Context(), err))
		return
	}
	var text bytes.Buffer
	if err := graph.write(&text, chosen.format); err != nil {
		s.fail(w, r, "", &Problem{Status: http.StatusInternalServerError, Title: "internal error", Detail: err.Error()})
		return
	}
	w.Header().Set("Content-Type", chosen.format.MediaType())
	w.Header().Set("Content-Length", strconv.Itoa(text.Len()))
	w.Write(text.Bytes())
}

// smallGraph is a handful of triples; its terms are their own dictionary.
type smallGraph struct {
	terms []rdfgpu.Term
	cols  [3][]rdfgpu.ID
}

func (g *smallGraph) AppendNTriples(dst []byte, id rdfgpu.ID) []byte {
	return rdf.AppendNTriples(dst, g.terms[id])
}

func (g *smallGraph) AppendText(dst []byte, id rdfgpu.ID) ([]byte, string) {
	return append(dst, g.terms[id].Value...), g.terms[id].Sort()
}

func (g *smallGraph) add(subject rdfgpu.Term, predicate string, objects ...rdfgpu.Term) {
	for _, object := range objects {
		for c, term := range []rdfgpu.Term{subject, rdf.NewIRI(predicate), object} {
			g.cols[c] = append(g.cols[c], g.id(term))
		}
	}
}

func (g *smallGraph) id(term rdfgpu.Term) rdfgpu.ID {
	i := slices.Index(g.terms, term)
	if i < 0 {
		i = len(g.terms)
		g.terms = append(g.terms, term)
	}
	return rdfgpu.ID(i)
}

func (g *smallGraph) write(out *bytes.Buffer, format results.Format) error {
	prefixes := map[string]string{"sd": sdNS, "void": voidNS, "formats": formatsNS}
	w, err := results.NewWriter(out, format, nil, g, results.Options{Prefixes: prefixes})
	if err != nil {
		return err
	}
	if err := w.Write(g.cols[:], len(g.cols[0])); err != nil {
		return err
	}
	return w.Close()
}

// description is the endpoint by SPARQL 1.1 Service Description.
func (s *Server) description(r *http.Request) (*smallGraph, error) {
	g := &smallGraph{}
	iri := rdf.NewIRI
	service, dataset, graph := rdf.NewBlank("service"), rdf.NewBlank("dataset"), rdf.NewBlank("graph")
	number := func(n uint64) rdfgpu.Term { return rdf.NewTyped(strconv.FormatUint(n, 10), rdf.XSDInteger) }
	engine, done := s.use()
	defer done()
	info, err := engine.Info()
	if err != nil {
		return nil, err
	}
	g.add(service, rdf.RDFType, iri(sdNS+"Service"))
	g.add(service, sdNS+"endpoint", iri(endpointOf(r)))
	updates := isPath(r, "/update")
	if !updates {
		g.add(service, sdNS+"supportedLanguage", iri(sdNS+"SPARQL11Query"))
	}
	if updates || s.options.Writable {
		g.add(service, sdNS+"supportedLanguage", iri(sdNS+"SPARQL11Update"))
	}
	for _, format := range []string{"SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV", "Turtle", "N-Triples", "RDF_XML"} {
		g.add(service, sdNS+"resultFormat", iri(formatsNS+format))
	}
	g.add(service, sdNS+"defaultDataset", dataset)
	g.add(dataset, rdf.RDFType, iri(sdNS+"Dataset"))
	g.add(dataset, sdNS+"defaultGraph", graph)
	g.add(graph, rdf.RDFType, iri(sdNS+"Graph"), iri(voidNS+"Dataset"))
	g.add(graph, voidNS+"triples", number(info.Triples))
	g.add(graph, voidNS+"properties", number(uint64(info.Predicates)))
	g.add(graph, voidNS+"classes", number(uint64(info.Classes)))
	return g, nil
}

// originOf is this server as the client knows it: scheme and host, and the path that the server is at where it is one of several.
func originOf(r *http.Request) string { return schemeOf(r) + "://" + r.Host + mountOf(r) }

func schemeOf(r *http.Request) string {
	if forwarded := headerOf(r, "X-Forwarded-Proto"); forwarded == "http" || forwarded == "https" {
		return forwarded
	}
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// endpointOf is the address of a request as the client knows it, without parameters.
func endpointOf(r *http.Request) string {
	return schemeOf(r) + "://" + r.Host + mountOf(r) + r.URL.EscapedPath()
}
