package loader

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

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

const bzipped = "425a6839314159265359211d4b8b000007598000105001801510404c102000212a69a1e907a840000958879108e9357f570622063f8bb9229c2848108ea5c580"
