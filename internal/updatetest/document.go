package updatetest

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// document is a manifest: objects by subject and the local name of the predicate.
type document struct {
	subjects []rdf.Term // in order
	objects  map[rdf.Term]map[string][]rdf.Term
}

// readDocument reads a Turtle file. Relative IRIs in it are files beside it.
func readDocument(path string) (document, error) {
	d := document{objects: map[rdf.Term]map[string][]rdf.Term{}}
	quads, err := readFile(path)
	for _, q := range quads {
		if d.objects[q.Subject] == nil {
			d.subjects = append(d.subjects, q.Subject)
			d.objects[q.Subject] = map[string][]rdf.Term{}
		}
		p := localName(q.Predicate)
		d.objects[q.Subject][p] = append(d.objects[q.Subject][p], q.Object)
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

func localName(t rdf.Term) string { return t.Value[strings.LastIndexAny(t.Value, "#/")+1:] }

// one is the only value of a property, the zero Term without one.
func (d document) one(of rdf.Term, property string) rdf.Term {
	if list := d.objects[of][property]; len(list) > 0 {
		return list[0]
	}
	return rdf.Term{}
}

// list is an RDF list.
func (d document) list(head rdf.Term) (items []rdf.Term) {
	for head.Value != rdf.RDFNil && !head.IsZero() {
		items = append(items, d.one(head, "first"))
		head = d.one(head, "rest")
	}
	return items
}

// ofType are the subjects of a class, by its local name, in order.
func (d document) ofType(class string) (list []rdf.Term) {
	for _, s := range d.subjects {
		if localName(d.one(s, "type")) == class {
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
