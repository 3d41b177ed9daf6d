package updatetest

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
)

// ProseTests reads the 18 older tests of the Graph Store Protocol, which people were to read: they are one conversation,
// and become one test of 18 exchanges and one that they left out.
//
// They contradict each other and Turtle in places, and newer ones (GraphStoreTests) took their place. What is mended is
// listed below.
func ProseTests(folder string) (ProtocolTest, error) {
	test := ProtocolTest{Name: "http-rdf-update", Requires: []string{"DirectGraphIdentification", "POSTGraphCreation"}}
	d, err := ReadDocument(filepath.Join(folder, "http-rdf-update", "manifest.ttl"))
	if err != nil {
		return test, err
	}
	for _, entry := range d.OfType("GraphStoreProtocolTest") {
		for _, comment := range d.Objects[entry]["comment"] {
			request, response, ok := strings.Cut(comment.Value, "#### Response")
			if !ok {
				continue
			}
			e, err := readProse(LocalName(entry), request, response)
			if err != nil {
				return test, fmt.Errorf("%s: %w", LocalName(entry), err)
			}
			if before, ok := missing[e.Name]; ok {
				test.Exchanges = append(test.Exchanges, before)
			}
			test.Exchanges = append(test.Exchanges, e)
		}
	}
	return test, nil
}

// missing are exchanges that have to come before others: no test puts the graph that is deleted.
var missing = map[string]Exchange{
	"delete__existing_graph": {
		Name: "put before delete__existing_graph", Method: "PUT", Path: "/gsp/person/2.ttl", Header: http.Header{"Content-Type": {"text/turtle"}},
		Body: "[] a <http://xmlns.com/foaf/0.1/Person> .", Status: []string{"201"},
	},
}

// mended are replacements in the text of a test: triples get their last point, and a graph what earlier tests have made
// of it.
var mended = map[string][]string{
	"post__existing_graph":        {`"Jane Doe"`, `"Jane Doe" .`},
	"post__multipart_formdata":    {"\n\n--", " .\n\n--"},
	"get_of_post__existing_graph": {"a foaf:Person;", `a foaf:Person; foaf:name "Jane Doe";`, "John Doe", "Jane Doe"},
}

var proseBlock = regexp.MustCompile(`(?m)^ {4}`)

// readProse reads the indented blocks of a request and its response.
func readProse(name, request, response string) (Exchange, error) {
	e := Exchange{Name: name, Header: http.Header{}}
	line, header, body := proseParts(request)
	mend := strings.NewReplacer(mended[name]...)
	body, response = mend.Replace(body), mend.Replace(response)
	e.Method, e.Path, _ = strings.Cut(strings.TrimSuffix(line, " HTTP/1.1"), " ")
	e.Body = body
	if strings.HasPrefix(header.Get("Content-Type"), "multipart/") {
		e.Body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	header.Del("Host")
	e.Header = header
	line, header, body = proseParts(response)
	e.Status = proseStatus(e, line[:3])
	e.Location = header.Get("Location")
	e.ContentType = header.Get("Content-Type")
	if body == "" || e.Method == "HEAD" {
		return e, nil
	}
	var err error
	e.HasGraph = true
	e.Graph, err = readTurtle(body)
	return e, err
}

// proseParts are the first line, the header and the body of a message.
func proseParts(text string) (line string, header http.Header, body string) {
	_, text, _ = strings.Cut(text, "    ")
	text = proseBlock.ReplaceAllString("    "+text, "")
	text = strings.NewReplacer("$HOST$", "www.example", "/$GRAPHSTORE$", "/gsp", "$GRAPHSTORE$", "/gsp").Replace(text)
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	header = http.Header{}
	for _, l := range lines[1:] {
		name, value, _ := strings.Cut(l, ":")
		if value = strings.TrimSpace(value); value != "..." {
			header.Add(strings.TrimSpace(name), value)
		}
	}
	return lines[0], header, strings.TrimSpace(body)
}

// proseStatus are the codes that do as well as the one that is written: the newer tests take 200 and 204 alike, and leave
// open whether the default graph is created.
func proseStatus(e Exchange, written string) []string {
	switch {
	case e.Method == "PUT" && strings.HasSuffix(e.Path, "?default"):
		return []string{"200", "201", "204"}
	case e.Method != "GET" && e.Method != "HEAD" && (written == "200" || written == "204"):
		return []string{"200", "204"}
	}
	return []string{written}
}
