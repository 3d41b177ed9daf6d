package web

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// pageOffer is the answer as a page for people. It is no offer among the others: a page holds a part of a long answer, so that it is
// sent to those alone who accept nothing else as well as text/html.
var pageOffer = offer{"text/html", "html", "text/html; charset=utf-8"}

// pageRows is how many rows a page has, where the request does not say how many to send.
const pageRows = 1000

// offered picks the format of an answer to a query. A page goes to those who want one; a graph goes as Turtle to those who accept
// solutions alone, as clients do that say with every query what they read of SELECT (RFC 9110, section 15.5.7, lets a server
// disregard Accept).
func (x *exchange) offered(kind rdfgpu.Kind) (offer, *Problem) {
	accept, format := x.r.Header["Accept"], x.request.format
	offers := solutionOffers
	if kind == rdfgpu.Triples {
		offers = tripleOffers
	}
	if x.request.graph == nil && wantsPage(offers, format, accept) {
		return pageOffer, nil
	}
	chosen, problem := negotiate(offers, format, accept)
	if problem != nil && kind == rdfgpu.Triples && x.request.graph == nil {
		if _, readsSolutions := negotiate(solutionOffers, format, accept); readsSolutions == nil {
			return tripleOffers[0], nil
		}
	}
	return chosen, problem
}

// wantsPage reports whether a page is the best that a request accepts.
func wantsPage(offers []offer, format string, accept []string) bool {
	if format != "" {
		return strings.EqualFold(format, "html") || strings.EqualFold(format, pageOffer.mediaType)
	}
	header := strings.Join(accept, ",")
	page := acceptance(header, pageOffer.mediaType)
	if page == 0 || !named(accept, pageOffer.mediaType) {
		return false
	}
	for _, o := range offers {
		if acceptance(header, o.mediaType) >= page {
			return false
		}
	}
	return true
}

const pageHead = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Answer</title>
<style>body{font:14px/1.4 sans-serif;margin:1em}pre{white-space:pre-wrap}table{border-collapse:collapse}th,td{text-align:left;padding:.2em .6em;border-bottom:1px solid #8884;vertical-align:top;overflow-wrap:anywhere}</style>
`

// writePage writes an answer as a page, with the query above it.
func (x *exchange) writePage(answer Answer) (uint64, error) {
	fmt.Fprintf(x.body, "%s<details><summary>Query</summary><pre>%s</pre></details>\n", pageHead, html.EscapeString(x.request.text))
	if answer.Kind() == rdfgpu.Boolean {
		return x.pageBoolean(answer)
	}
	most := uint64(pageRows)
	if x.request.send != sendAll {
		most = uint64(x.request.send)
	}
	io.WriteString(x.body, "<table><thead><tr>")
	for _, v := range answer.Variables() {
		fmt.Fprintf(x.body, "<th>%s", html.EscapeString(v))
	}
	io.WriteString(x.body, "<tbody>\n")
	rows, more, err := x.pageBody(answer, most)
	if err != nil {
		return rows, err
	}
	text := "all rows"
	if more {
		text = `the first rows: other formats have all, as <a href="` + html.EscapeString(x.whole(answer.Kind())) + `">this one</a>`
	}
	_, err = fmt.Fprintf(x.body, "</table>\n<p>%d: %s.</p>\n", rows, text)
	if err == nil {
		err = answer.Err() // terms are decoded up to here
	}
	return rows, err
}

// pageBoolean writes the answer of ASK.
func (x *exchange) pageBoolean(answer Answer) (uint64, error) {
	var text strings.Builder
	_, err := answer.Write(&text, results.CSV)
	if err == nil {
		_, err = fmt.Fprintf(x.body, "<p><strong>%s</strong></p>\n", html.EscapeString(strings.TrimSpace(text.String())))
	}
	return 1, err
}

// pageBody writes rows until there are enough.
func (x *exchange) pageBody(answer Answer, most uint64) (rows uint64, more bool, err error) {
	for batch, err := range answer.Batches() {
		if err != nil {
			return rows, false, err
		}
		for r := range batch.N {
			if rows == most {
				return rows, true, nil
			}
			rows++
			io.WriteString(x.body, "<tr>")
			for _, column := range batch.Cols {
				io.WriteString(x.body, "<td>"+cell(answer.Term(column[r])))
			}
			if _, err := io.WriteString(x.body, "\n"); err != nil {
				return rows, false, err
			}
		}
	}
	return rows, false, nil
}

// cell is a term for people: only IRIs of the web are links.
func cell(t rdfgpu.Term) string {
	if t.IsZero() {
		return ""
	}
	text := html.EscapeString(t.Value)
	switch {
	case t.Kind == rdf.IRI && (strings.HasPrefix(t.Value, "http://") || strings.HasPrefix(t.Value, "https://")):
		return `<a rel="noreferrer" href="` + text + `">` + text + "</a>"
	case t.Kind != rdf.Literal:
		return html.EscapeString(t.String())
	case t.Language != "":
		return `<span lang="` + html.EscapeString(t.Language) + `">` + text + "</span>"
	}
	return text
}

// whole is the address of the same answer in a format that has all of it, relative to this one.
func (x *exchange) whole(kind rdfgpu.Kind) string {
	values := x.r.URL.Query()
	values.Set("query", x.request.text)
	values.Set("format", "csv")
	if kind == rdfgpu.Triples {
		values.Set("format", "turtle")
	}
	return "?" + values.Encode()
}
