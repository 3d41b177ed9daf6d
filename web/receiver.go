package web

import (
	"fmt"
	"io"
	"iter"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// receiver is who is told of a query that stands: by events, over a WebSocket, or at an address of its own. While it takes a change, those
// that follow become one.
type receiver interface {
	// tell passes a change on, as the event of a name. id is what to go on after it with; "" where nobody can.
	tell(c *rdfgpu.Change, event, id string) error
	// rest lets the receiver know that there is nothing new.
	rest() error
	// conclude says why there is no more.
	conclude(p *Problem)
	// failed is why the receiver cannot be reached any more; nil while it can.
	failed() error
	// sent is how many bytes it was sent.
	sent() int64
}

// writeChange writes the data of an event: what has changed, as JSON in one line. Errors are left to out.
func writeChange(out io.Writer, c *rdfgpu.Change, event string) {
	fmt.Fprintf(out, `{"sequence":%d,"way":%q,"memoryBytes":%d`, c.Sequence, c.Way, c.Held)
	if event != eventProgress {
		writeRows(out, "added", c.Variables, c.Added)
		writeRows(out, "removed", c.Variables, c.Removed)
	}
	io.WriteString(out, "}")
}

// writeRows writes a member with solutions, behind others.
func writeRows(out io.Writer, name string, variables []string, rows []rdfgpu.ChangedRow) {
	fmt.Fprintf(out, `,%q:`, name)
	_ = results.WriteBindings(out, variables, repeated(rows))
}

// repeated are the solutions, each as often as it counts.
func repeated(rows []rdfgpu.ChangedRow) iter.Seq[[]rdfgpu.Term] {
	return func(yield func([]rdfgpu.Term) bool) {
		for _, r := range rows {
			for range r.Count {
				if !yield(r.Terms) {
					return
				}
			}
		}
	}
}

func countRows(rows []rdfgpu.ChangedRow) (n uint64) {
	for _, r := range rows {
		n += r.Count
	}
	return n
}
