package web

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu"
)

// Media types of requests.
const (
	mediaQuery  = "application/sparql-query"
	mediaUpdate = "application/sparql-update"
	mediaForm   = "application/x-www-form-urlencoded"
)

// sendAll is the value of request.send when nobody asked for fewer rows.
const sendAll = -1

// request is an operation of the protocol, read and checked: a query, or an update.
type request struct {
	text    string
	options rdfgpu.QueryOptions
	// update, where it is not nil, says that the text is an update, and how it is done.
	update *rdfgpu.UpdateOptions
	// explain is "", "plan" or "analyze".
	explain string
	// send is how many rows to send while all are counted, or sendAll.
	send int64
	// format is what the parameter asks for, before the Accept header.
	format string
	// graph, where it is not nil, is the graph that the query reads whole.
	graph *target
	// stands says how the query stands, where it is to be told what changes.
	stands standing
	// callback is where it is told of, where that is not the answer.
	callback callback
}

// readRequest reads a request by SPARQL 1.1 Protocol, sections 2.1 and 2.2. A request without a query has text "" and no
// error: it asks for the service description. began is when the request did: its body has the time that a query has. extras are the
// parameters of ours that a query may have here.
func (s *Server) readRequest(w http.ResponseWriter, r *http.Request, began time.Time, hold *hold, extras []extra) (*request, *Problem) {
	content, problem := s.readContent(w, r, began, hold)
	if problem != nil {
		return nil, problem
	}
	return s.understand(w, r, content, extras)
}

// understand is readRequest for a body that has been read.
func (s *Server) understand(w http.ResponseWriter, r *http.Request, content content, extras []extra) (*request, *Problem) {
	values, problem := parseForm(r.URL.RawQuery)
	if problem != nil {
		return nil, problem
	}
	if values.Has("update") {
		return nil, &Problem{Status: http.StatusBadRequest, Title: "bad request", Detail: "an update stands in the address",
			Hint: "send it in the body of a POST, by itself or as the field \"update\" of a form"}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if values == nil {
			return &request{}, nil
		}
	case http.MethodPost:
		if values, problem = content.with(values); problem != nil {
			return nil, problem
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, OPTIONS")
		return nil, &Problem{Status: http.StatusMethodNotAllowed, Title: "method not allowed", Hint: "send queries by GET or POST, updates by POST"}
	}
	if values.Has("update") {
		return s.checkUpdate(r, values)
	}
	return s.checkQuery(r, values, extras)
}

func parseForm(text string) (url.Values, *Problem) {
	if text == "" {
		return nil, nil
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, badRequest("the parameters are not URL-encoded: " + err.Error())
	}
	return values, nil
}

// mediaType reads the Content-Type of a body, which has to be UTF-8.
func mediaType(header string) (name string, parameters map[string]string, problem *Problem) {
	if header == mediaForm || header == mediaQuery || header == mediaUpdate {
		return header, nil, nil // the common cases: nothing but the type
	}
	name, parameters, err := mime.ParseMediaType(header)
	if err != nil {
		return "", nil, unsupportedMedia("a body needs a Content-Type", nil)
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "us-ascii") {
		return "", nil, unsupportedMedia("the only character set is UTF-8", nil)
	}
	return name, parameters, nil
}

// content is the body of a POST, by its media type a query, an update or a form.
type content struct{ media, text string }

// readContent reads the body of a POST; that of another method is left alone.
func (s *Server) readContent(w http.ResponseWriter, r *http.Request, began time.Time, hold *hold) (c content, problem *Problem) {
	if r.Method != http.MethodPost {
		return c, nil
	}
	if c.media, _, problem = mediaType(headerOf(r, "Content-Type")); problem != nil {
		problem.Expected = []string{mediaQuery, mediaUpdate, mediaForm}
		return c, problem
	}
	limit, problem := s.bodyLimit(r, c.media)
	if problem != nil {
		return c, problem
	}
	c.text, problem = s.receive(w, r, limit, began.Add(s.options.Timeout), hold)
	return c, problem
}

// with merges the parameters of the URL with those of a form, or with the text that the body is.
func (c content) with(values url.Values) (url.Values, *Problem) {
	if c.media == mediaForm {
		form, problem := parseForm(c.text)
		return merged(values, form), problem
	}
	name := "query"
	if c.media == mediaUpdate {
		name = "update"
	}
	if values.Has("query") {
		return nil, badRequest("there is a query in the URL and something else in the body")
	}
	return merged(values, url.Values{name: {c.text}}), nil
}

// bodyLimit is the length of the longest body of a media type, of a client that may send it.
func (s *Server) bodyLimit(r *http.Request, media string) (int64, *Problem) {
	switch media {
	case mediaQuery:
		return s.options.MaxBody, nil
	case mediaForm:
		if s.options.Writable && s.mayWrite(r) == nil {
			return max(s.options.MaxBody, s.options.MaxUpdate), nil
		}
		return s.options.MaxBody, nil
	case mediaUpdate:
		return s.options.MaxUpdate, s.mayWrite(r)
	}
	return 0, unsupportedMedia(fmt.Sprintf("%q is not a media type of this operation", media), []string{mediaQuery, mediaUpdate, mediaForm})
}

// merged are the parameters of the URL and of the body together.
func merged(values, more url.Values) url.Values {
	if values == nil {
		return more
	}
	for name, list := range more {
		values[name] = append(values[name], list...)
	}
	return values
}

// one is the only value of a parameter that is a text of SPARQL.
func one(values url.Values, name string) (string, *Problem) {
	list := values[name]
	if len(list) != 1 {
		return "", badRequest(fmt.Sprintf("expected one parameter %q, found %d", name, len(list)))
	}
	if !utf8.ValidString(list[0]) {
		return "", badRequest(fmt.Sprintf("the %s is not UTF-8", name))
	}
	return list[0], nil
}

// checkQuery turns the parameters of a query into a request.
func (s *Server) checkQuery(r *http.Request, values url.Values, extras []extra) (*request, *Problem) {
	text, problem := one(values, "query")
	if problem != nil {
		return nil, problem
	}
	request := &request{text: text, send: sendAll, format: values.Get("format")}
	request.options = rdfgpu.QueryOptions{
		Device: s.options.Device, Timeout: s.options.Timeout, MaxRows: s.options.MaxRows, MaxMemory: s.options.MaxMemory, Base: endpointOf(r),
		DefaultGraphs: values["default-graph-uri"], NamedGraphs: values["named-graph-uri"],
	}
	if problem := absolute(request.options.DefaultGraphs, request.options.NamedGraphs); problem != nil {
		return nil, problem
	}
	return request, request.set(r, values, extras)
}

// checkUpdate turns the parameters of an update into a request.
func (s *Server) checkUpdate(r *http.Request, values url.Values) (*request, *Problem) {
	if problem := s.mayWrite(r); problem != nil {
		return nil, problem
	}
	text, problem := one(values, "update")
	if problem != nil {
		return nil, problem
	}
	if values.Has("query") {
		return nil, badRequest("there are both a query and an update")
	}
	request := &request{text: text, update: &rdfgpu.UpdateOptions{
		Device: s.options.Device, Timeout: s.options.UpdateTimeout, MaxMemory: s.options.MaxMemory, Base: endpointOf(r),
		UsingGraphs: values["using-graph-uri"], UsingNamedGraphs: values["using-named-graph-uri"],
	}}
	if problem := absolute(request.update.UsingGraphs, request.update.UsingNamedGraphs); problem != nil {
		return nil, problem
	}
	return request, request.set(r, values, updateExtras)
}

// absolute checks the names of a data set's graphs.
func absolute(lists ...[]string) *Problem {
	for _, list := range lists {
		for _, graph := range list {
			if !isGraphIRI(graph) {
				return badRequest(fmt.Sprintf("%q is no absolute IRI of a graph", graph))
			}
		}
	}
	return nil
}

// isGraphIRI reports an absolute IRI.
func isGraphIRI(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.IsAbs() && utf8.ValidString(text) && !strings.ContainsAny(text, "<>\"{}|\\^` ")
}
