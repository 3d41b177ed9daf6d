package exec

import (
	"fmt"
	"strconv"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// integer is a number as a term.
func (x *execution) integer(n uint64) dictionary.ID {
	return x.terms.ID(rdf.NewTyped(strconv.FormatUint(n, 10), rdf.XSDInteger))
}

// blankKey is a label in a solution.
type blankKey struct{ solution, label uint32 }

// blankOf is the blank node of a label in a solution, made when it is first asked for.
func (x *execution) blankOf(solution, label uint32) dictionary.ID {
	key := blankKey{solution, label}
	node, ok := x.blanks[key]
	if !ok {
		node = x.freshBlank()
		if x.blanks == nil {
			x.blanks = map[blankKey]dictionary.ID{}
		}
		x.blanks[key] = node
	}
	return node
}

// freshBlank makes a blank node that neither the data nor the query have.
func (x *execution) freshBlank() dictionary.ID {
	for {
		x.serial++
		t := rdf.NewBlank(fmt.Sprintf("q%d", x.serial))
		if _, taken := x.terms.Find(t); !taken {
			return x.terms.ID(t)
		}
	}
}
