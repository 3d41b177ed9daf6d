package update

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strconv"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// bytesOfQuad is what a quad takes on its way, with what sorting and logging it take.
const bytesOfQuad = 64

// leadingData is how many of some operations, from the first on, are on data alone and can be done as one: those that delete, and
// then those that insert. That is the shape of an edit, and one change of a graph costs little more than each of two.
func leadingData(ops []parser.Operation) (n int) {
	for n < len(ops) && is[*parser.DeleteData](ops[n]) {
		n++
	}
	for n < len(ops) && is[*parser.InsertData](ops[n]) {
		n++
	}
	return n
}

func is[T parser.Operation](op parser.Operation) bool {
	_, ok := op.(T)
	return ok
}

// data does operations on data, of which those that delete come first. Where there is an error, op is the operation that met it.
func (r *runner) data(ctx context.Context, ops []parser.Operation) (op parser.Operation, err error) {
	gone, come, op, err := r.dataOf(ctx, ops)
	if err != nil {
		return op, err
	}
	return ops[0], r.tx.Apply(gone, come)
}

// dataOf are the quads that operations on data remove and add.
func (r *runner) dataOf(ctx context.Context, ops []parser.Operation) (gone, come []live.Quad, op parser.Operation, err error) {
	for _, op := range ops {
		var quads []live.Quad
		switch op := op.(type) {
		case *parser.DeleteData:
			quads, err = r.deleted(&op.Data)
			gone = joined(gone, quads)
		case *parser.InsertData:
			quads, err = r.inserted(&op.Data)
			come = joined(come, quads)
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, nil, op, err
		}
	}
	return gone, come, nil, nil
}

// mostEdited is of how many quads an update is an edit at most: others wait for what is made together with theirs.
const mostEdited = 1 << 10

// EditOf is an update as an edit, whose memory budget opens; ok is false where it is more than one change of not too many quads.
func EditOf(ctx context.Context, u *parser.Update, budget func() *limits.Budget) (edit live.Edit, ok bool) {
	if len(u.Operations) == 0 || leadingData(u.Operations) < len(u.Operations) || quadsOf(u.Operations) > mostEdited {
		return nil, false
	}
	return func(tx *live.Transaction) (gone, come []live.Quad, err error) {
		r := &runner{tx: tx, options: Options{Budget: budget}, blanks: newBlanks()}
		defer r.account()()
		gone, come, op, err := r.dataOf(ctx, u.Operations)
		if err != nil {
			err = At(op, err)
		}
		return gone, come, err
	}, true
}

// quadsOf counts the quads of operations on data.
func quadsOf(ops []parser.Operation) (n int) {
	for _, op := range ops {
		switch op := op.(type) {
		case *parser.DeleteData:
			n += len(op.Data.Quads)
		case *parser.InsertData:
			n += len(op.Data.Quads)
		}
	}
	return n
}

// joined are the quads of two lists, in the memory of the first unless it is empty.
func joined(quads, more []live.Quad) []live.Quad {
	if len(quads) == 0 {
		return more
	}
	return append(quads, more...)
}

// inserted are the quads of INSERT DATA. Its blank nodes are new ones.
func (r *runner) inserted(data *parser.Data) ([]live.Quad, error) {
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
			return nil, err
		}
		ids[i+1] = id
	}
	return r.quads(data, ids)
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

// deleted are the quads of DELETE DATA of which the data set has all terms.
func (r *runner) deleted(data *parser.Data) ([]live.Quad, error) {
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
	return present(quads), err
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
