package history

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// change is what a change makes of a state, and how many triples come and go.
func (o *Operation) change(s State) (next State, added, removed uint64) {
	next = s
	a, b := &next.Numbers[o.Key], &next.Numbers[o.Other]
	switch {
	case o.Kind == Put:
		*a = o.Number
	case o.Kind == Increase && *a != 0:
		*a++
	case o.Kind == Swap && *a != 0 && *b != 0:
		*a, *b = *b, *a
	case o.Kind == Remove:
		*a = 0
	case o.Kind == Pass:
		next.Flags[o.Key], next.Flags[o.Other] = false, true
	case o.Kind == Fill:
		added = 1
	}
	for key, is := range next.Numbers {
		if was := s.Numbers[key]; is != was {
			added += oneIf(is != 0)
			removed += oneIf(was != 0)
		}
		added += oneIf(next.Flags[key] && !s.Flags[key])
		removed += oneIf(!next.Flags[key] && s.Flags[key])
	}
	next.Sequence += oneIf(added+removed > 0)
	return next, added, removed
}

func oneIf(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// step reports whether an operation may be answered so in a state, and what the state is then.
func step(s State, o Operation, a Answer) (bool, State) {
	if o.Kind == Read {
		return a == Answer{State: s} && s.Sequence >= o.Least, s
	}
	if conflict := o.If != nil && *o.If != s.Sequence; conflict || a.Conflict {
		return conflict && a == Answer{Conflict: true}, s
	}
	next, added, removed := o.change(s)
	if o.Dry {
		next = s
	}
	return a == Answer{Sequence: next.Sequence, Added: added, Removed: removed}, next
}

// model is step for the checker, from a state on.
func model(from State) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return from },
		Step: func(state, operation, answer any) (bool, any) {
			return step(state.(State), operation.(Operation), answer.(Answer))
		},
		DescribeOperation: func(operation, answer any) string { return fmt.Sprintf("%+v: %+v", operation, answer) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// patience is how long an order is looked for.
const patience = 5 * time.Minute

// Check looks for an order of what was done from a state on. It checks the changes with the reads of this process, and the changes
// with the reads of others: these may see a change a moment before it is acknowledged, which the former never do.
func (h *History) Check(from State) error {
	return errors.Join(h.check(from, "the store's own readers", false), h.check(from, "readers of the files", true))
}

func (h *History) check(from State, whose string, apart bool) error {
	operations := slices.DeleteFunc(slices.Clone(h.operations), func(o porcupine.Operation) bool {
		asked := o.Input.(Operation)
		return asked.Kind == Read && asked.Apart != apart
	})
	result, info := porcupine.CheckOperationsVerbose(model(from), operations, patience)
	if result == porcupine.Ok {
		return nil
	}
	return fmt.Errorf("history: no order explains what %s saw in %d operations (%v); %sdrawn in %s",
		whose, len(operations), result, stuck(from, operations, info), draw(from, info))
}

// stuck tells where the longest order ends, and what was answered next.
func stuck(from State, operations []porcupine.Operation, info porcupine.LinearizationInfo) string {
	var longest []porcupine.Operation
	for _, order := range slices.Concat(info.PartialLinearizationsOperations()...) {
		if len(order) > len(longest) {
			longest = order
		}
	}
	type calls struct{ client, call int64 }
	placed := map[calls]bool{}
	state := from
	for _, o := range longest {
		placed[calls{int64(o.ClientId), o.Call}] = true
		_, state = step(state, o.Input.(Operation), o.Output.(Answer))
	}
	left := slices.DeleteFunc(operations, func(o porcupine.Operation) bool { return placed[calls{int64(o.ClientId), o.Call}] })
	slices.SortFunc(left, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
	text := fmt.Sprintf("after %d of them it is %+v, and none of these may come next:\n", len(longest), state)
	for _, o := range left[:min(len(left), 8)] {
		text += fmt.Sprintf("client %d, %v to %v: %+v: %+v\n", o.ClientId, time.Duration(o.Call), time.Duration(o.Return), o.Input, o.Output)
	}
	return text
}

// draw writes a page that shows how far the orders go, and returns its path.
func draw(from State, info porcupine.LinearizationInfo) string {
	f, err := os.CreateTemp("", "history-*.html")
	if err != nil {
		return err.Error()
	}
	if err := errors.Join(porcupine.Visualize(model(from), info, f), f.Close()); err != nil {
		return err.Error()
	}
	return f.Name()
}
