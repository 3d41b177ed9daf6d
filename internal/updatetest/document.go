package updatetest

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// Document is a manifest, or another small RDF document.
type Document struct {
	// Objects are those of a subject, by the local name of the predicate.
	Objects  map[rdf.Term]map[string][]rdf.Term
	subjects []rdf.Term // in order
}

// ReadDocument reads a Turtle file. Relative IRIs in it are files beside it.
func ReadDocument(path string) (Document, error) {
	d := Document{Objects: map[rdf.Term]map[string][]rdf.Term{}}
	quads, err := readFile(path)
	for _, q := range quads {
		if d.Objects[q.Subject] == nil {
			d.subjects = append(d.subjects, q.Subject)
			d.Objects[q.Subject] = map[string][]rdf.Term{}
		}
		p := LocalName(q.Predicate)
		d.Objects[q.Subject][p] = append(d.Objects[q.Subject][p], q.Object)
	}
	return d, err
}

// readFile reads the quads of an RDF file.
func readFile(path string) (quads []rdf.Quad, err error) {
	format, _, err := loader.Detect(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	err = loader.Read(f, format, "file://"+absolute, func(q rdf.Quad) error {
		quads = append(quads, q)
		return nil
	})
	return quads, err
}

// LocalName is the last part of an IRI.
func LocalName(t rdf.Term) string { return t.Value[strings.LastIndexAny(t.Value, "#/")+1:] }

// One is the only value of a property, the zero Term without one.
func (d Document) One(of rdf.Term, property string) rdf.Term {
	if list := d.Objects[of][property]; len(list) > 0 {
		return list[0]
	}
	return rdf.Term{}
}

// List is an RDF list.
func (d Document) List(head rdf.Term) (items []rdf.Term) {
	for head.Value != rdf.RDFNil && !head.IsZero() {
		items = append(items, d.One(head, "first"))
		head = d.One(head, "rest")
	}
	return items
}

// OfType are the subjects of a class, by its local name, in order.
func (d Document) OfType(class string) (list []rdf.Term) {
	for _, s := range d.subjects {
		if LocalName(d.One(s, "type")) == class {
			list = append(list, s)
		}
	}
	return list
}

// filePath is the path of a file: IRI.
func filePath(iri rdf.Term) string {
	u, err := url.Parse(iri.Value)
	if err != nil {
		return iri.Value
	}
	return u.Path
}
