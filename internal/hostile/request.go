package hostile

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Request says how a query is sent.
type Request struct {
	// Method is GET, HEAD or POST.
	Method string
	// Direct sends a POST's query as the body itself, not as a form.
	Direct bool
	// Parameters go beside the query, Header with the request.
	Parameters url.Values
	Header     http.Header
	// Limit is the shorter time limit that the request asks for; 0 is the server's.
	Limit time.Duration
	// Leave, where not 0, is when the client closes its connection without waiting for the answer.
	Leave time.Duration
	// Stall, where not 0, is how long the client stops reading after the first bytes of the answer.
	Stall time.Duration
}

// maxAddress is the longest query that is sent in an address; servers refuse long ones.
const maxAddress = 60_000

var (
	solutionTypes = []string{"application/sparql-results+json", "text/tab-separated-values", "application/sparql-results+xml", "text/csv", "text/plain", "*/*", "application/xml;q=0.3, text/csv;q=0.8"}
	tripleTypes   = []string{"text/turtle", "application/n-triples", "application/rdf+xml", "text/plain", "*/*"}
)

// form is the first word of a query.
func (n *Node) form() string {
	word, _, _ := strings.Cut(n.Open, " ")
	return word
}

// request draws how a query of a form is sent.
func (g *Generator) request(form string) Request {
	types := solutionTypes
	if form == "CONSTRUCT" || form == "DESCRIBE" {
		types = tripleTypes
	}
	r := Request{Method: http.MethodPost, Parameters: url.Values{}, Header: http.Header{"Accept": {g.oneOf(types...)}}}
	switch g.pick(10) {
	case 7:
		r.Method = http.MethodGet
	case 8:
		r.Direct = true
	case 9:
		r.Method = g.oneOf(http.MethodGet, http.MethodHead)
	}
	if g.chance(15) {
		r.Header.Set("Accept-Encoding", g.oneOf("gzip", "zstd", "gzip, zstd;q=0.5"))
	}
	switch g.pick(30) {
	case 20, 21, 22:
		r.Limit = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Millisecond}[g.pick(3)]
		r.Parameters.Set("timeout", r.Limit.String())
	case 23:
		r.Parameters.Set("explain", g.oneOf("plan", "analyze"))
	case 24:
		r.Parameters.Set("send", g.oneOf("0", "10", "100000"))
	case 25:
		r.Parameters.Set("semantics", g.oneOf("isomorphism", "edge-isomorphism", "induced"))
	case 26:
		r.Parameters.Set("default-graph-uri", strings.Trim(g.oneOf(g.vocabulary.Graphs...), "<>"))
	case 27, 28:
		r.Leave = time.Duration(1+g.pick(400)) * time.Millisecond
	case 29:
		r.Stall = time.Duration(1+g.pick(1500)) * time.Millisecond
	}
	return r
}

// HTTP makes the request for the endpoint at address.
func (q *Query) HTTP(address string) (*http.Request, error) {
	values := url.Values{}
	for name, list := range q.Parameters {
		values[name] = list
	}
	query := q.Text()
	method, body, media := q.Method, "", ""
	switch {
	case q.Direct:
		method, body, media = http.MethodPost, query, "application/sparql-query"
	case method == http.MethodPost || len(query) > maxAddress:
		values.Set("query", query)
		method, body, media = http.MethodPost, values.Encode(), "application/x-www-form-urlencoded"
		values = nil
	default:
		values.Set("query", query)
	}
	if len(values) > 0 {
		address += "?" + values.Encode()
	}
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, list := range q.Header {
		r.Header[name] = list
	}
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	return r, nil
}
