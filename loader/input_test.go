package loader

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		f Format
		c Compression
	}{
		"a.nt": {NTriples, Plain}, "dir.x/a.NQ.gz": {NQuads, Gzip}, "a.b.ttl.zst": {Turtle, Zstd}, "a.trig.bz2": {TriG, Bzip2},
		"a.owl": {RDFXML, Plain}, "a.rdf": {RDFXML, Plain},
	} {
		f, c, err := Detect(name)
		if err != nil || f != want.f || c != want.c {
			t.Errorf("%s: got %s, %s, %v", name, f, c, err)
		}
	}
	for _, name := range []string{"a", "a.txt", ".gz", "nt", "nt.gz"} {
		if f, _, err := Detect(name); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %s, %v", name, f, err)
		}
	}
}

// packed is one line in all compressions; the bzip2 form was made by bzip2.
func packed(t *testing.T, line string) map[string][]byte {
	t.Helper()
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []interface {
		Write([]byte) (int, error)
		Close() error
	}{g, z} {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	bz, err := hex.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"a.nt": []byte(line), "a.nt.gz": gz.Bytes(), "a.nt.zst": zst.Bytes(), "a.nt.bz2": bz}
}

// TestCompressedFilesAreUnpacked is serial: it looks for goroutines that are left.
func TestCompressedFilesAreUnpacked(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	for name, content := range packed(t, "<http://s> <http://p> \"bz\" .\n") {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name+".store")
		if _, err := Load(context.Background(), to, []Input{{Name: path}}, Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same(t, to, []Quad{{Subject: rdf.NewIRI("http://s"), Predicate: rdf.NewIRI("http://p"), Object: rdf.NewString("bz")}})
		if err := os.WriteFile(path, content[:len(content)-4], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(context.Background(), to, []Input{{Name: path}}, Options{}); err == nil {
			t.Errorf("%s: a file that is cut off was loaded", name)
		}
	}
}

// TestABrokenPackedFileIsNamed, in every format and by all that reads files, and nothing is said of its text.
func TestABrokenPackedFileIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	read := map[string]func([]Input) error{
		"load": func(in []Input) error {
			_, err := Load(t.Context(), filepath.Join(t.TempDir(), "store"), in, Options{})
			return err
		},
		"plan": func(in []Input) error { _, err := Plan(t.Context(), in, Options{TempDir: t.TempDir()}); return err },
		"read": func(in []Input) error {
			return ReadAll(t.Context(), in, nil, func(Quad) error { return nil })
		},
	}
	texts := map[string]string{"nt": "<http://s> <http://p> \"bz\" .\n", "ttl": "<http://s> <http://p> \"bz\" .\n", "rdf": rdfDocument}
	for format, text := range texts {
		for name, content := range packed(t, text) {
			packing := filepath.Ext(name)
			if packing == ".nt" || packing == ".bz2" && format == "rdf" { // the bzip2 form is of one text
				continue
			}
			path := write(t, filepath.Join(dir, "a."+format+packing), content[:len(content)-4])
			for how, read := range read {
				err := read([]Input{{Name: path}})
				if err == nil || strings.Count(err.Error(), path) != 1 || !strings.Contains(err.Error(), "cut short or damaged") || strings.Count(err.Error(), "loader:") != 1 {
					t.Errorf("%s of %s: %v", how, filepath.Base(path), err)
				}
			}
		}
	}
	missing := Input{Name: "a.nt.gz", Reader: iotest.ErrReader(errors.New("the line is dead"))}
	if _, err := Load(t.Context(), filepath.Join(dir, "store"), []Input{missing}, Options{}); err == nil || strings.Contains(err.Error(), "damaged") {
		t.Errorf("a reader that fails: %v", err)
	}
}

const rdfDocument = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://e/"><rdf:Description rdf:about="http://s"><p>bz</p></rdf:Description></rdf:RDF>`

const bzipped = "425a6839314159265359211d4b8b000007598000105001801510404c102000212a69a1e907a840000958879108e9357f570622063f8bb9229c2848108ea5c580"
