package federation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/reach"
	"github.com/rdfgpu/rdfgpu/loader"
)

// ErrNotAllowed says that LOAD may not read a document.
var ErrNotAllowed = errors.New("this document is not under a prefix of those that may be loaded")

// Documents reads documents for LOAD: those whose IRIs begin with a prefix on a list. A file IRI that ends in a slash allows
// the files below that folder.
type Documents struct {
	prefixes reach.Prefixes
	http     *http.Client
}

// NewDocuments returns a reader of documents under some prefixes.
func NewDocuments(prefixes []string) *Documents {
	d := &Documents{prefixes: prefixes}
	d.http = &http.Client{
		Timeout: requestTimeout,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 9 || !d.prefixes.Allow(r.URL.String()) {
				return ErrNotAllowed
			}
			return nil
		},
	}
	return d
}

// Open opens the document of an IRI for reading. Its syntax is told by the type that the server gives it, or else by its name.
func (d *Documents) Open(ctx context.Context, iri string) (io.ReadCloser, loader.Format, error) {
	if !d.prefixes.Allow(iri) {
		return nil, "", ErrNotAllowed
	}
	if file, is := strings.CutPrefix(iri, "file://"); is {
		return openFile(file)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, iri, nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Accept", "application/n-triples, text/turtle;q=0.9, application/n-quads;q=0.8, application/trig;q=0.8, application/rdf+xml;q=0.7")
	response, err := d.http.Do(request)
	if err != nil {
		return nil, "", err
	}
	format, err := typeOf(response)
	if err != nil {
		response.Body.Close()
		return nil, "", err
	}
	return response.Body, format, nil
}

// openFile opens a file that lies, links followed, where its name says.
func openFile(name string) (io.ReadCloser, loader.Format, error) {
	name, err := url.PathUnescape(name)
	if err != nil {
		return nil, "", err
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, "", err
	}
	if real != filepath.Clean(name) {
		return nil, "", ErrNotAllowed
	}
	format, packed, err := loader.Detect(name)
	if err != nil {
		return nil, "", err
	}
	if packed != loader.Plain {
		return nil, "", fmt.Errorf("LOAD does not unpack %s", packed)
	}
	f, err := os.Open(name)
	return f, format, err
}

// typeOf is the syntax of a server's answer.
func typeOf(response *http.Response) (loader.Format, error) {
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server answered %s", response.Status)
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if format, ok := FormatOf(kind); ok {
		return format, nil
	}
	format, _, err := loader.Detect(path.Base(response.Request.URL.Path))
	return format, err
}

// formats are the syntaxes by media type.
var formats = map[string]loader.Format{
	"application/n-triples": loader.NTriples, "application/n-quads": loader.NQuads, "text/turtle": loader.Turtle,
	"application/trig": loader.TriG, "application/rdf+xml": loader.RDFXML,
}

// FormatOf is the syntax of a media type.
func FormatOf(mediaType string) (loader.Format, bool) {
	format, ok := formats[strings.ToLower(mediaType)]
	return format, ok
}
