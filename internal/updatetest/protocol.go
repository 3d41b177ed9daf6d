package updatetest

import (
	"net/http"
	"path/filepath"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// ProtocolTest is requests that are sent one after the other to a store that is empty at first.
type ProtocolTest struct {
	Name string
	// Requires are the features that a server may lack: DirectGraphIdentification, POSTGraphCreation.
	Requires  []string
	Exchanges []Exchange
}

// Exchange is a request of HTTP and what it is to be answered.
type Exchange struct {
	// Name tells the exchange from others of its test.
	Name         string
	Method, Path string
	Header       http.Header
	Body         string
	// Status are the codes that may come, or classes of them such as "2xx".
	Status []string
	// Location, where it is not "", is a word that stands for the response's Location in what follows.
	Location string
	// ContentType is the media type of the response, "" for any.
	ContentType string
	// Boolean is the answer to an ASK, nil for other requests.
	Boolean *bool
	// Graph is what the response holds, where HasGraph is set.
	Graph    []rdf.Quad
	HasGraph bool
}

// UpdateProtocolTests reads the tests of the SPARQL Protocol, below the folder of the SPARQL 1.1 suites, that send
// updates: 14 of 34.
func UpdateProtocolTests(folder string) (tests []ProtocolTest, err error) {
	all, err := readProtocol(filepath.Join(folder, "protocol", "manifest.ttl"), "ProtocolTest")
	for _, test := range all {
		if strings.Contains(test.Name, "update") {
			tests = append(tests, test)
		}
	}
	return tests, err
}

// GraphStoreTests reads the 14 tests of the Graph Store Protocol. They ask for graphs below /gsp.
func GraphStoreTests(folder string) (tests []ProtocolTest, err error) {
	for _, name := range []string{"manifest-direct.ttl", "manifest-indirect.ttl"} {
		list, err := readProtocol(filepath.Join(folder, "graph-store-protocol", name), "GraphStoreProtocolTest")
		if err != nil {
			return nil, err
		}
		tests = append(tests, list...)
	}
	return tests, nil
}

func readProtocol(manifest, class string) (tests []ProtocolTest, err error) {
	d, err := ReadDocument(manifest)
	if err != nil {
		return nil, err
	}
	for _, entry := range d.OfType(class) {
		test := ProtocolTest{Name: LocalName(entry)}
		for _, feature := range d.Objects[entry]["requires"] {
			test.Requires = append(test.Requires, LocalName(feature))
		}
		for _, request := range d.List(d.One(d.One(entry, "action"), "requests")) {
			exchange, err := d.exchange(request)
			if err != nil {
				return nil, err
			}
			test.Exchanges = append(test.Exchanges, exchange)
		}
		tests = append(tests, test)
	}
	return tests, nil
}

// exchange reads a ht:Request with its ht:resp.
func (d Document) exchange(request rdf.Term) (Exchange, error) {
	body, response := d.One(request, "body"), d.One(request, "resp")
	e := Exchange{
		Method: d.One(request, "methodName").Value, Path: d.One(request, "absolutePath").Value, Header: d.header(request),
		Body: d.One(body, "chars").Value, Location: d.One(response, "expectedLocation").Value,
		ContentType: mediaType(d.header(response).Get("Content-Type")),
	}
	e.Name = e.Method + " " + e.Path
	if strings.EqualFold(d.One(body, "characterEncoding").Value, "utf-16") {
		e.Body = utf16(e.Body)
	}
	for _, status := range d.Objects[response]["expectedStatus"] {
		e.Status = append(e.Status, statusCode(LocalName(status)))
	}
	if b := d.One(response, "expectedBoolean"); !b.IsZero() {
		value := b.Value == "true"
		e.Boolean = &value
	}
	if graph := d.One(response, "body"); !graph.IsZero() {
		var err error
		e.HasGraph = true
		if e.Graph, err = readTurtle(d.One(graph, "chars").Value); err != nil {
			return e, err
		}
	}
	return e, nil
}

func (d Document) header(of rdf.Term) http.Header {
	header := http.Header{}
	for _, h := range d.List(d.One(of, "headers")) {
		header.Add(d.One(h, "fieldName").Value, d.One(h, "fieldValue").Value)
	}
	return header
}

func mediaType(contentType string) string {
	name, _, _ := strings.Cut(contentType, ";")
	return strings.TrimSpace(name)
}

// statusCode turns the local name of a class or a code of HTTP into "2xx" or "200".
func statusCode(name string) string {
	if class, ok := strings.CutPrefix(name, "StatusCode"); ok {
		return class
	}
	return map[string]string{"OK": "200", "Created": "201", "NoContent": "204", "NotFound": "404"}[name]
}

func utf16(text string) string {
	var b strings.Builder
	b.WriteString("\xfe\xff")
	for _, r := range text {
		b.WriteByte(byte(r >> 8))
		b.WriteByte(byte(r))
	}
	return b.String()
}
