package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// smallBody is the length up to which a document is read before it is taken in, so that one whose client is slow keeps nobody
// waiting. Longer ones are taken in as they come, a few at a time.
const smallBody = 256 << 10

// documentTypes are the syntaxes of a graph, by media type.
var documentTypes = map[string]string{
	"text/turtle": "turtle", "application/x-turtle": "turtle", "application/n-triples": "ntriples", "application/rdf+xml": "rdfxml",
}

// documentEndings are those of files in a form whose media type does not tell.
var documentEndings = map[string]string{".ttl": "turtle", ".nt": "ntriples", ".rdf": "rdfxml", ".owl": "rdfxml", ".xml": "rdfxml"}

// documents are what the body of a request brings into a graph: one document, or the parts of a form.
type documents struct {
	body *payload
	// head is the beginning of the body, read already; whole: there is nothing behind it.
	head  string
	whole bool
	hold  hold
	// form has the parts of a multipart body, which ends with closing; nil where the body is one document.
	form    *multipart.Reader
	closing string
	tail    tail
	// problem is what is wrong with a part of the form.
	problem *Problem
}

// openDocuments reads the beginning of a body. What the documents hold is freed by close, also where there is a problem.
func (s *Server) openDocuments(w http.ResponseWriter, r *http.Request, until time.Time) (*documents, *Problem) {
	d := &documents{hold: hold{budget: s.options.Budget}}
	body, problem := s.openBody(w, r, until)
	if problem != nil {
		return d, problem
	}
	d.body = body
	if c := connection(r); c != nil && r.ProtoMajor == 1 {
		c.busy.Store(false)
		defer c.busy.Store(true)
	}
	var head strings.Builder
	if length := r.ContentLength; length > 0 && !body.packed {
		if err := d.hold.reach(min(length, smallBody)); err != nil {
			return d, problemOf(r.Context(), err)
		}
		head.Grow(int(min(length, smallBody)))
	}
	n, err := io.CopyN(&head, &measured{body: body, hold: &d.hold}, smallBody)
	if err != nil && err != io.EOF {
		return d, bodyProblem(w, r, err)
	}
	d.head, d.whole = head.String(), n < smallBody
	return d, nil
}

func (d *documents) close() {
	if d.body != nil {
		d.body.Close()
	}
	d.hold.release()
}

// reader is the body from its beginning.
func (d *documents) reader() io.Reader {
	if d.whole {
		return strings.NewReader(d.head)
	}
	return io.MultiReader(strings.NewReader(d.head), d.body)
}

// failure is why the body could not be read; nil where it could.
func (d *documents) failure(w http.ResponseWriter, r *http.Request) *Problem {
	if d.body.err != nil {
		return bodyProblem(w, r, d.body.err)
	}
	return d.problem
}

// first is the first document of a body whose media type is that of one, or of a form.
func (d *documents) first(media, boundary string) (rdfgpu.Document, error) {
	if media == mediaParts {
		d.form, d.closing = multipart.NewReader(io.TeeReader(d.reader(), &d.tail), boundary), "--"+boundary+"--"
		document, err := d.next()
		if err == io.EOF {
			return document, d.refuse(badRequest("the form has no part"))
		}
		return document, err
	}
	format, problem := documentFormat(media, "")
	if problem != nil {
		return rdfgpu.Document{}, d.refuse(problem)
	}
	return rdfgpu.Document{Body: d.reader(), Format: format}, nil
}

// next is the next part of a form; io.EOF where there is none.
func (d *documents) next() (rdfgpu.Document, error) {
	if d.form == nil {
		return rdfgpu.Document{}, io.EOF
	}
	part, err := d.form.NextPart()
	if err == io.EOF && bytes.Contains(d.tail.kept, []byte(d.closing)) {
		return rdfgpu.Document{}, err
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // multipart takes the end of the body for that of the form
	}
	if err != nil {
		return rdfgpu.Document{}, d.refuse(badRequest("the form cannot be read: " + err.Error()))
	}
	var media string
	var problem *Problem
	if header := part.Header.Get("Content-Type"); header != "" {
		media, _, problem = mediaType(header)
	}
	var format string
	if problem == nil {
		format, problem = documentFormat(media, part.FileName())
	}
	if problem != nil {
		return rdfgpu.Document{}, d.refuse(problem)
	}
	return rdfgpu.Document{Body: part, Format: format}, nil
}

// tail keeps the last of what is written to it: more than the form's reader reads at once.
type tail struct{ kept []byte }

const tailBytes = 8 << 10

// Write keeps the end.
func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

// errRefused ends an operation that a problem with its body ends.
var errRefused = errors.New("web: the body cannot be taken")

// refuse remembers a problem for the client.
func (d *documents) refuse(p *Problem) error {
	d.problem = p
	return errRefused
}

// documentFormat is the format of a document by its media type, else by the ending of its file's name.
func documentFormat(media, file string) (string, *Problem) {
	if format := documentTypes[media]; format != "" {
		return format, nil
	}
	if format := documentEndings[strings.ToLower(path.Ext(file))]; format != "" && (media == "" || media == "application/octet-stream") {
		return format, nil
	}
	expected := []string{"text/turtle", "application/n-triples", "application/rdf+xml"}
	if holdsGraphs(media) {
		return "", unsupportedMedia(media+" names graphs itself, and this is for one graph: rdfgpu load --append takes such files, and PATCH takes "+mediaPatch, expected)
	}
	return "", unsupportedMedia(fmt.Sprintf("%q is no syntax of a graph that this server reads", media), expected)
}

// holdsGraphs reports a syntax of several graphs.
func holdsGraphs(media string) bool {
	return strings.Contains(media, "n-quads") || strings.Contains(media, "trig")
}
