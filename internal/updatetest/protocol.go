package updatetest

import (
	"fmt"
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
	// ContentType is the Content-Type of the response, "" for any.
	ContentType string
	// MediaType is that of the response where the test says what it holds, solutions, a boolean or a graph; "" for any.
	MediaType string
	// Boolean is the answer to an ASK, nil for other requests.
	Boolean *bool
	// Graph is what the response holds, where HasGraph is set.
	Graph    []rdf.Quad
	HasGraph bool
}

// What responses to those who accept anything are, here. The tests leave the syntax open.
const (
	tableType = "application/sparql-results+json"
	graphType = "text/turtle"
)

var mediaTypes = map[string]string{"boolean": tableType, "tabular": tableType, "RDF": graphType}

// ProtocolTests reads the 34 tests of the SPARQL Protocol, below the folder of the SPARQL 1.1 suites. Those that query ask
// for graphs of ProtocolData.
func ProtocolTests(folder string) ([]ProtocolTest, error) {
	return readProtocol(filepath.Join(folder, "protocol", "manifest.ttl"), "ProtocolTest")
}

// UpdateProtocolTests are those of ProtocolTests that send updates, 14 of them. They bring their data.
func UpdateProtocolTests(folder string) (tests []ProtocolTest, err error) {
	all, err := ProtocolTests(folder)
	for _, test := range all {
		if strings.Contains(test.Name, "update") {
			tests = append(tests, test)
		}
	}
	return tests, err
}

// ProtocolData reads the three graphs that the tests of the SPARQL Protocol query.
func ProtocolData(folder string) (quads []rdf.Quad, err error) {
	for i := 1; i <= 3; i++ {
		triples, err := readFile(filepath.Join(folder, "protocol", fmt.Sprintf("data%d.nt", i)))
		if err != nil {
			return nil, err
		}
		for _, q := range triples {
			q.Graph = rdf.NewIRI(fmt.Sprintf("http://kasei.us/2009/09/sparql/data/data%d.rdf", i))
			quads = append(quads, q)
		}
	}
	return quads, nil
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
		ContentType: d.header(response).Get("Content-Type"), MediaType: mediaTypes[d.One(response, "expectedFormat").Value],
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
