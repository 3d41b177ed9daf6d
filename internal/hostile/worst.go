package hostile

import (
	"slices"
	"strings"
)

// Worst is a query that broke a limit once, or that asks a stage or an operator for all it can take.
type Worst struct {
	// Name says what is hostile about it.
	Name string
	// Query is its text behind a prologue (see Prologue).
	Query string
	// Must is what must happen where it is asked.
	Must Promise
}

// Promise is what an engine keeps whatever it is asked.
type Promise uint8

const (
	// EndsInTime: over a store of any size the query ends at its time limit, whichever stage it is in then, with an answer or
	// an error that names a limit.
	EndsInTime Promise = 1 << iota
	// StaysSmall: over a few triples a server answers or refuses it, within its limits of time and memory.
	StaysSmall
	// KeepsBudget: over a store of real data, and beside others of its kind, the process keeps to its budget of memory.
	KeepsBudget
)

// Kept are the queries of which a promise is asked, in a fixed order.
func Kept(promise Promise) []Worst {
	return slices.DeleteFunc(slices.Concat(endless, small, greedy), func(w Worst) bool { return w.Must&promise == 0 })
}

// Prologue declares what kept queries speak of: next: and name: are predicates of the store that is asked, given by their
// IRIs; names with : lie in http://example.org/.
func Prologue(next, name string) string {
	return "PREFIX : <http://example.org/> PREFIX next: <" + next + "> PREFIX name: <" + name + ">\n"
}

// repeated writes a text n times, with its number and the next one in place of the marks.
func repeated(n int, text string) string {
	var sb strings.Builder
	for i := range n {
		sb.WriteString(numbered(text, i))
	}
	return sb.String()
}

// nested writes opening and closing texts n times around a middle, the opening ones with their numbers.
func nested(n int, open, middle, end string) string {
	return repeated(n, open) + middle + strings.Repeat(end, n)
}

// doubling is n BINDs in a chain, each of an expression over the value before, ?v§.
func doubling(n int, expression string) string {
	return repeated(n, "BIND ("+expression+" AS ?v¶) ")
}
