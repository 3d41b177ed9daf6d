package operator

import (
	"fmt"
	"strconv"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Integer is a number as a term.
func (x *Execution) Integer(n uint64) dictionary.ID {
	return x.Terms.ID(rdf.NewTyped(strconv.FormatUint(n, 10), rdf.XSDInteger))
}

// blankKey is a label in a solution.
type blankKey struct{ solution, label uint32 }

// BlankOf is the blank node of a label in a solution, made when it is first asked for.
func (x *Execution) BlankOf(solution, label uint32) dictionary.ID {
	key := blankKey{solution, label}
	x.Common.mu.Lock()
	defer x.Common.mu.Unlock()
	node, ok := x.blanks[key]
	if !ok {
		node = x.FreshBlank()
		if x.blanks == nil {
			x.blanks = map[blankKey]dictionary.ID{}
		}
		x.blanks[key] = node
	}
	return node
}

// FreshBlank makes a blank node that neither the data nor the query have.
func (x *Execution) FreshBlank() dictionary.ID {
	for {
		t := rdf.NewBlank(fmt.Sprintf("q%d", x.serial.Add(1)))
		if _, taken := x.Terms.Find(t); !taken {
			return x.Terms.ID(t)
		}
	}
}
