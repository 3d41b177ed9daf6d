package rdfgpu_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

func TestAGraphIsWrittenOnceItHasBeenReadBack(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(20)+"_:b <http://example.org/p> \"say \\\"+.7\\\"\\r\\n\"@en .\n")
	write := func(query string, options rdfgpu.QueryOptions, format rdfgpu.Format, checked bool) (string, error) {
		t.Helper()
		result, err := store.Query(t.Context(), query, options)
		if err != nil {
			t.Fatal(err)
		}
		defer result.Close()
		var out bytes.Buffer
		write := result.Write
		if checked {
			write = result.WriteChecked
		}
		n, err := write(&out, format)
		if err == nil && n != 381 {
			t.Errorf("%d triples", n)
		}
		return out.String(), err
	}
	const all = "CONSTRUCT WHERE { ?s ?p ?o }"
	for _, format := range []rdfgpu.Format{rdfgpu.NTriples, rdfgpu.Turtle} {
		want, _ := write(all, rdfgpu.QueryOptions{}, format, false)
		if got, err := write(all, rdfgpu.QueryOptions{}, format, true); err != nil || got != want {
			t.Errorf("%s: %d bytes and error %v, want %d bytes", format, len(got), err, len(want))
		}
	}
	if got, err := write(all, rdfgpu.QueryOptions{MaxMemory: 100 << 10}, rdfgpu.Turtle, true); !errors.Is(err, rdfgpu.ErrMemoryLimit) || got != "" {
		t.Errorf("%d bytes and error %v, want ErrMemoryLimit", len(got), err)
	}
	if _, err := write(all, rdfgpu.QueryOptions{}, rdfgpu.RDFXML, true); !errors.Is(err, rdfgpu.ErrFormat) {
		t.Errorf("error %v, want ErrFormat", err)
	}
	if _, err := write("SELECT * { ?s ?p ?o }", rdfgpu.QueryOptions{}, rdfgpu.Turtle, true); !errors.Is(err, rdfgpu.ErrFormat) {
		t.Errorf("error %v, want ErrFormat", err)
	}
}
