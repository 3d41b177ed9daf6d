package dictionary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// largeOnDisk writes a dictionary whose files are all mapped, and returns it as it should be.
func largeOnDisk(t *testing.T) (dir string, right *Dictionary) {
	t.Helper()
	var terms []rdf.Term
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 15_000 {
		terms = append(terms, rdf.NewIRI(fmt.Sprintf("http://example.org/%x/%d", rng.Uint64(), i)), rdf.NewTyped(fmt.Sprint(i), rdf.XSDInteger),
			rdf.NewString(fmt.Sprintf("text %x", rng.Uint32())), rdf.NewLangString(fmt.Sprintf("word %d", i), "en"))
	}
	right, err := FromTerms(terms, rdf.NewIRI("http://example.org/p"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for id := range ID(right.Len()) {
		add := w.Add
		if right.sectionOfID(id) == Predicates {
			add = w.Predicate
		}
		if _, err := add(right.AppendKey(nil, id)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return dir, right
}

// compareAll reads everything that a dictionary tells of some terms and compares it; the first wrong answer is returned.
func compareAll(d, right *Dictionary, ids []ID) (wrong string) {
	for _, id := range ids {
		key := right.AppendKey(nil, id)
		switch found, ok := d.LookupKey(key); {
		case !ok || found != id:
			return fmt.Sprintf("%s is %d, not %d", key, found, id)
		case d.Term(id) != right.Term(id) || d.Kind(id) != right.Kind(id) || d.DatatypeIRI(id) != right.DatatypeIRI(id):
			return fmt.Sprintf("ID %d is %v", id, d.Term(id))
		case d.Value(id) != right.Value(id):
			return fmt.Sprintf("the value of ID %d is %v", id, d.Value(id))
		case !bytes.Equal(d.AppendNTriples(nil, id), right.AppendNTriples(nil, id)) || !bytes.Equal(d.AppendKey(nil, id), key):
			return fmt.Sprintf("the key of ID %d is %q", id, d.AppendKey(nil, id))
		}
	}
	return ""
}

func TestChangedBytesGiveErrorsAndNoWrongTerms(t *testing.T) {
	dir, right := largeOnDisk(t)
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for round := range 60 {
		path := filepath.Join(dir, Files()[round%3])
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad, at := bytes.Clone(good), rng.IntN(len(good))
		bad[at] ^= byte(1 + rng.IntN(255))
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := Open(dir)
		if err == nil {
			ids := make([]ID, 3000)
			for i := range ids {
				ids[i] = ID(rng.IntN(right.Len()))
			}
			wrong := ""
			err = section.Guard(func() error { wrong = compareAll(d, right, ids); return nil })
			if wrong != "" {
				t.Fatalf("%s, byte %d: %s", path, at, wrong)
			}
			if all := d.CheckAll(context.Background()); all == nil {
				t.Fatalf("%s, byte %d: nothing is found", path, at)
			}
			if all := d.Verify(); !errors.Is(all, section.ErrDamaged) || !strings.Contains(all.Error(), path) {
				t.Fatalf("%s, byte %d: %v", path, at, all)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			found++
			if !errors.Is(err, section.ErrDamaged) || !strings.Contains(err.Error(), path) {
				t.Fatalf("%s, byte %d: %v", path, at, err)
			}
		}
		if err := os.WriteFile(path, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Fatal("nothing was found by reading")
	}
	t.Logf("%d of 60 were found by reading", found)
}
