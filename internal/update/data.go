package update

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// bytesOfQuad is what a quad takes on its way, with what sorting and logging it take.
const bytesOfQuad = 64

// insertData adds ground quads. Its blank nodes are new ones.
func (r *runner) insertData(data *parser.Data) error {
	ids := make([]dictionary.ID, len(data.Terms))
	ids[0] = dictionary.None
	nodes := map[string]rdf.Term{} // by label
	for i, term := range data.Terms[1:] {
		if term.Kind == rdf.BlankNode {
			label := term.Value
			if term = nodes[label]; term.IsZero() {
				term = r.blanks.next()
				nodes[label] = term
			}
		}
		id, err := r.tx.Intern(term)
		if err != nil {
			return err
		}
		ids[i+1] = id
	}
	quads, err := r.quads(data, ids)
	if err != nil {
		return err
	}
	return r.tx.Apply(nil, quads)
}

// quads are ground quads by the IDs of their terms.
func (r *runner) quads(data *parser.Data, ids []dictionary.ID) ([]live.Quad, error) {
	if err := r.charge("the quads of an update")(int64(len(data.Quads)) * bytesOfQuad); err != nil {
		return nil, err
	}
	quads := make([]live.Quad, len(data.Quads))
	for i, q := range data.Quads {
		quads[i] = live.Quad{Graph: ids[q.Graph], Subject: ids[q.Subject], Predicate: ids[q.Predicate], Object: ids[q.Object]}
	}
	return quads, nil
}

// missing is the ID of a term that is not in the data set, so that no quad with it is.
const missing = dictionary.None - 1

// deleteData removes ground quads.
func (r *runner) deleteData(data *parser.Data) error {
	ids := make([]dictionary.ID, len(data.Terms))
	ids[0] = dictionary.None
	for i, term := range data.Terms[1:] {
		id, ok := r.tx.Find(term)
		if !ok {
			id = missing
		}
		ids[i+1] = id
	}
	quads, err := r.quads(data, ids)
	if err != nil {
		return err
	}
	return r.tx.Apply(present(quads), nil)
}

// present leaves out quads with a term that is missing.
func present(quads []live.Quad) []live.Quad {
	out := quads[:0]
	for _, q := range quads {
		if q.Graph != missing && q.Subject != missing && q.Predicate != missing && q.Object != missing {
			out = append(out, q)
		}
	}
	return out
}

// blanks makes blank nodes that no store has: their labels begin with random bits.
type blanks struct {
	prefix string
	n      uint64
}

func newBlanks() *blanks {
	var bits [12]byte
	_, _ = rand.Read(bits[:]) // never fails
	return &blanks{prefix: "u" + hex.EncodeToString(bits[:]) + "x"}
}

func (b *blanks) next() rdf.Term {
	b.n++
	return rdf.NewBlank(b.prefix + strconv.FormatUint(b.n, 36))
}
