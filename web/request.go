package web

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu"
)

// Headers of ours.
const (
	headerSemantics = "X-Rdfgpu-Semantics"
	headerDevice    = "X-Rdfgpu-Device"
	headerTimeout   = "X-Rdfgpu-Timeout"
	headerExplain   = "X-Rdfgpu-Explain"
	headerSend      = "X-Rdfgpu-Send"
	headerQueryID   = "X-Rdfgpu-Query-Id"
	headerRows      = "X-Rdfgpu-Rows"
)

// sendAll is the value of request.send when nobody asked for fewer rows.
const sendAll = -1

// request is a query operation, read and checked.
type request struct {
	text    string
	options rdfgpu.QueryOptions
	// explain is "", "plan" or "analyze".
	explain string
	// send is how many rows to send while all are counted, or sendAll.
	send int64
	// format is what the parameter asks for, before the Accept header.
	format string
}

// readRequest reads a request by SPARQL 1.1 Protocol, section 2.1. A request without a query has text "" and no
// error: it asks for the service description. began is when the request did: its body has the time that a query has.
func (s *Server) readRequest(w http.ResponseWriter, r *http.Request, began time.Time) (*request, *Problem) {
	values, problem := parseForm(r.URL.RawQuery)
	if problem != nil {
		return nil, problem
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if values == nil {
			return &request{}, nil
		}
	case http.MethodPost:
		if values, problem = s.readBody(w, r, values, began); problem != nil {
			return nil, problem
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, OPTIONS")
		return nil, &Problem{Status: http.StatusMethodNotAllowed, Title: "method not allowed", Hint: "send queries by GET or POST"}
	}
	return s.checkRequest(r, values)
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

// readBody reads the body of a POST by its media type and merges a form's parameters into those of the URL.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, values url.Values, began time.Time) (url.Values, *Problem) {
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, unsupportedMedia("a POST needs a Content-Type")
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "us-ascii") {
		return nil, unsupportedMedia("the only character set is UTF-8")
	}
	switch mediaType {
	case "application/sparql-query", "application/x-www-form-urlencoded":
	case "application/sparql-update":
		return nil, readOnly()
	default:
		return nil, unsupportedMedia(fmt.Sprintf("%q is not a media type of this operation", mediaType))
	}
	body, problem := s.receive(w, r, began.Add(s.options.Timeout))
	if problem != nil {
		return nil, problem
	}
	if mediaType == "application/sparql-query" {
		if values.Has("query") {
			return nil, badRequest("the query stands both in the URL and in the body")
		}
		if values == nil {
			values = url.Values{}
		}
		values.Set("query", string(body))
		return values, nil
	}
	form, problem := parseForm(string(body))
	if problem != nil {
		return nil, problem
	}
	if values == nil {
		return form, nil
	}
	for name, list := range form {
		values[name] = append(values[name], list...)
	}
	return values, nil
}

// checkRequest turns the parameters into a request.
func (s *Server) checkRequest(r *http.Request, values url.Values) (*request, *Problem) {
	if values.Has("update") {
		return nil, readOnly()
	}
	queries := values["query"]
	if len(queries) != 1 {
		return nil, badRequest(fmt.Sprintf("expected one parameter \"query\", found %d", len(queries)))
	}
	if !utf8.ValidString(queries[0]) {
		return nil, badRequest("the query is not UTF-8")
	}
	request := &request{text: queries[0], send: sendAll, format: values.Get("format")}
	request.options = rdfgpu.QueryOptions{
		Device: s.options.Device, Timeout: s.options.Timeout, MaxRows: s.options.MaxRows, MaxMemory: s.options.MaxMemory,
		DefaultGraphs: values["default-graph-uri"], NamedGraphs: values["named-graph-uri"],
	}
	for _, graph := range append(request.options.DefaultGraphs, request.options.NamedGraphs...) {
		if u, err := url.Parse(graph); err != nil || !u.IsAbs() {
			return nil, badRequest(fmt.Sprintf("%q is no absolute IRI of a graph", graph))
		}
	}
	for _, extra := range extras {
		value := values.Get(extra.name)
		if value == "" {
			value = r.Header.Get(extra.header)
		}
		if value == "" {
			continue
		}
		if err := extra.set(request, value); err != nil {
			return nil, badRequest(fmt.Sprintf("parameter %q: %v", extra.name, err))
		}
	}
	return request, nil
}

// extras are the parameters of ours, also read as headers.
var extras = []struct {
	name, header string
	set          func(*request, string) error
}{
	{"semantics", headerSemantics, (*request).setSemantics},
	{"device", headerDevice, (*request).setDevice},
	{"timeout", headerTimeout, (*request).setTimeout},
	{"explain", headerExplain, (*request).setExplain},
	{"send", headerSend, (*request).setSend},
}

func (q *request) setSemantics(value string) (err error) {
	q.options.Semantics, err = rdfgpu.ParseSemantics(value)
	return err
}

func (q *request) setDevice(value string) error {
	switch device := rdfgpu.Device(value); device {
	case rdfgpu.Auto, rdfgpu.CPU, rdfgpu.GPU:
		q.options.Device = device
		return nil
	}
	return fmt.Errorf("%q is no device: expected auto, cpu or gpu", value)
}

// setTimeout reads a number of seconds or a duration; it can only shorten the server's own limit.
func (q *request) setTimeout(value string) error {
	limit, err := time.ParseDuration(value)
	if err != nil {
		seconds, numberErr := strconv.ParseFloat(value, 64)
		if numberErr != nil || seconds != seconds {
			return fmt.Errorf("%q is no time: expected seconds or a duration such as 500ms", value)
		}
		limit = time.Duration(min(seconds, 1e9) * float64(time.Second))
	}
	if limit <= 0 {
		return fmt.Errorf("%q is not positive", value)
	}
	q.options.Timeout = min(q.options.Timeout, limit)
	return nil
}

func (q *request) setExplain(value string) error {
	switch value {
	case "plan", "true", "1":
		q.explain = "plan"
	case "analyze":
		q.explain = "analyze"
		q.options.Analyze = true
	case "false", "0":
	default:
		return fmt.Errorf("%q: expected plan or analyze", value)
	}
	return nil
}

func (q *request) setSend(value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no number of rows", value)
	}
	q.send = n
	return nil
}
