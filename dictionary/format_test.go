package dictionary

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/v1 anew, after a change that raises no version")

// Files of version 1 must stay readable as long as the versions in their headers are accepted.
func TestFilesOfVersion1AreRead(t *testing.T) {
	dir := filepath.Join("testdata", "v1")
	if *rewrite {
		writeVersion1(t, dir)
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(dir, "keys.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[rdf.Term]bool)
	for id, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		key, err := strconv.Unquote(line)
		if err != nil || string(d.AppendKey(nil, ID(id))) != key {
			t.Fatalf("ID %d: key %q, want %s (%v)", id, d.AppendKey(nil, ID(id)), line, err)
		}
		all[d.Term(ID(id))] = true
	}
	checkAgainst(t, d, all)
	if len(d.base.symbols) == 0 {
		t.Fatal("there are no symbols in it")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func writeVersion1(t *testing.T, dir string) {
	t.Helper()
	terms, predicates := fuzzTerms()
	for i := range 500 {
		terms = append(terms, rdf.NewString(fmt.Sprintf("%x is followed by %x in some order", i*i*7919, i)))
	}
	memory, err := FromTerms(terms, predicates...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Files() {
		_ = os.Remove(filepath.Join(dir, name)) // it may not be there yet
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []byte
	for i := range memory.Len() {
		list = append(strconv.AppendQuoteToASCII(list, string(memory.AppendKey(nil, ID(i)))), '\n')
		add := w.Add
		if memory.sectionOfID(ID(i)) == Predicates {
			add = w.Predicate
		}
		if _, err := add(memory.AppendKey(nil, ID(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "keys.txt"), list, 0o644); err != nil {
		t.Fatal(err)
	}
}
