package history

import (
	"fmt"
	"strings"
)

// Keys is how many keys there are. Every other one lies in a named graph.
const Keys = 5

// State is what operations read and change.
type State struct {
	// Sequence is how many changes were committed.
	Sequence uint64
	// Numbers are those of the keys; 0 where one has none.
	Numbers [Keys]int64
	// Flags are the keys that have one.
	Flags [Keys]bool
}

// Kind is what an operation does.
type Kind uint8

const (
	// Read reads all keys.
	Read Kind = iota
	// Put gives a key a number.
	Put
	// Increase adds one to the number of a key that has one.
	Increase
	// Swap exchanges the numbers of two keys that have one.
	Swap
	// Remove takes the number from a key.
	Remove
	// Pass takes the flag of a key, if it has it, and gives another one a flag, by operations on data alone.
	Pass
	// Fill adds a long text that nobody reads, so that the log grows.
	Fill
)

// Operation is what a client asks for.
type Operation struct {
	Kind       Kind
	Key, Other int
	Number     int64
	// If, where it is not nil, is the only sequence at which the change may be made.
	If *uint64
	// Dry asks what the change would do.
	Dry bool
	// Least is the sequence that a Read waits for.
	Least uint64
	// Apart says that a Read opened the store's files for itself, as another process does.
	Apart bool
}

// Answer is what a client was told.
type Answer struct {
	// State is what a Read saw.
	State State
	// Conflict: the change was not made, because the store is not at the sequence of Operation.If.
	Conflict bool
	// Sequence, Added and Removed are what was told of a change.
	Sequence, Added, Removed uint64
}

// fillBytes is the length of the text of Fill.
const fillBytes = 48 << 10

// pattern is the triple of a key and its number.
func pattern(key int, number string) string {
	triple := fmt.Sprintf("<http://e/key%d> <http://e/number> %s .", key, number)
	if key%2 == 1 {
		return fmt.Sprintf("GRAPH <http://e/graph%d> { %s } ", key, triple)
	}
	return triple + " "
}

// flag is the triple of a key that has a flag.
func flag(key int) string { return strings.Replace(pattern(key, "0"), "number", "flag", 1) }

// update is the text of a change.
func (o *Operation) update() string {
	was := pattern(o.Key, "?was")
	switch o.Kind {
	case Put:
		return "DELETE { " + was + "} INSERT { " + pattern(o.Key, fmt.Sprint(o.Number)) + "} WHERE { OPTIONAL { " + was + "} }"
	case Increase:
		return "DELETE { " + was + "} INSERT { " + pattern(o.Key, "?is") + "} WHERE { " + was + "BIND (?was + 1 AS ?is) }"
	case Swap:
		both := was + pattern(o.Other, "?other")
		return "DELETE { " + both + "} INSERT { " + pattern(o.Key, "?other") + pattern(o.Other, "?was") + "} WHERE { " + both + "}"
	case Remove:
		return "DELETE WHERE { " + was + "}"
	case Pass:
		return "DELETE DATA { " + flag(o.Key) + "} ; INSERT DATA { " + flag(o.Other) + "}"
	}
	return fmt.Sprintf(`INSERT DATA { GRAPH <http://e/fill> { <http://e/s> <http://e/p> "%d%s" } }`, o.Number, strings.Repeat("-", fillBytes))
}

// query reads all keys; a flag is the number 0.
const query = "SELECT ?key ?number { VALUES ?kind { <http://e/number> <http://e/flag> } { ?key ?kind ?number } UNION { GRAPH ?graph { ?key ?kind ?number } } }"

// readState takes the numbers from the answer of the query, in TSV.
func readState(tsv string, sequence uint64) (State, error) {
	s := State{Sequence: sequence}
	_, rows, _ := strings.Cut(tsv, "\n")
	for row := range strings.Lines(rows) {
		var key int
		var number int64
		if _, err := fmt.Sscanf(row, "<http://e/key%d>\t%d\n", &key, &number); err != nil {
			return s, fmt.Errorf("history: %q is no key with its number: %w", row, err)
		}
		if key < 0 || key >= Keys || number != 0 && s.Numbers[key] != 0 || number == 0 && s.Flags[key] {
			return s, fmt.Errorf("history: key %d is none, or has two numbers:\n%s", key, tsv)
		}
		if number == 0 {
			s.Flags[key] = true
		} else {
			s.Numbers[key] = number
		}
	}
	return s, nil
}
