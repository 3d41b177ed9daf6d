package match

import (
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Format prints a lowering, a line for each step, its lists below it, with constants as term names them: tests read it.
func (l *Lowering) Format(term func(dictionary.ID) string) string {
	w := textWriter{Lowering: l, term: term}
	if l.Never {
		return "never\n"
	}
	if l.Automorphisms > 1 {
		w.printf("each solution stands for %d\n", l.Automorphisms)
	}
	if s := l.Input; s != nil {
		w.printf("seeds: %d edges to check, %d pairs to differ\n", len(s.Plan.Checks), len(s.Plan.EdgeDistinct))
	}
	for _, s := range l.Steps {
		w.step(s)
	}
	return w.text.String()
}

type textWriter struct {
	*Lowering
	term func(dictionary.ID) string
	text strings.Builder
}

func (w *textWriter) printf(format string, args ...any) { fmt.Fprintf(&w.text, format, args...) }

func (w *textWriter) slot(slot int) string { return "?" + w.Plan.Slots[slot].Variable }

func (w *textWriter) operand(o bgp.Operand) string {
	if o.IsConstant() {
		return w.term(o.Constant)
	}
	return w.slot(o.Slot)
}

func (w *textWriter) step(s *Step) {
	w.printf("%s", w.slot(s.Slot))
	if s.Low != 0 || s.High != dictionary.None {
		w.printf(" from %d below %d", s.Low, s.High)
	}
	for _, slot := range s.Above {
		w.printf(" above %s", w.slot(slot))
	}
	for _, slot := range s.Under {
		w.printf(" under %s", w.slot(slot))
	}
	for _, o := range s.Distinct {
		w.printf(" not %s", w.operand(o))
	}
	if len(s.Reads) > 0 {
		w.printf(", reads")
		for _, slot := range s.Reads {
			w.printf(" %s", w.slot(slot))
		}
	}
	w.printf("\n")
	for i := range s.Lists {
		w.printf("  %s\n", w.list(&s.Lists[i]))
	}
}

func (w *textWriter) list(l *List) string {
	switch l.Kind {
	case Set:
		return fmt.Sprintf("%d candidates", len(l.Members))
	case Rows:
		return fmt.Sprintf("%d rows", l.Partition.Rows())
	case Fixed:
		return fmt.Sprintf("%d members", len(l.Members))
	}
	switch l.Link.Kind {
	case bgp.EdgeLabels:
		return fmt.Sprintf("labels of %s, %s", w.operand(l.Link.From), l.Link.Dir)
	case bgp.Rows:
		return fmt.Sprintf("rows of (%s, %s)", w.operand(l.Link.Label), l.Link.Dir)
	}
	return fmt.Sprintf("N(%s, %s, %s)", w.operand(l.Link.From), w.operand(l.Link.Label), l.Link.Dir)
}
