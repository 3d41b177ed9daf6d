package web

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/updatetest"
)

// TestW3CGraphStoreProtocol runs both suites, the newer one and the one that tells its requests in prose, over a store in memory
// and over a real one.
func TestW3CGraphStoreProtocol(t *testing.T) {
	t.Parallel()
	tests, err := updatetest.GraphStoreTests(updatetest.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	prose, err := updatetest.ProseTests(updatetest.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	tests = append(tests, prose)
	empty := filepath.Join(t.TempDir(), "empty.nt")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	options := Options{DirectGraphs: true}
	for name, serve := range map[string]func(t *testing.T) http.Handler{
		"memory": func(t *testing.T) http.Handler { s, _ := newMemoryServer(t, options); return s },
		"store":  func(t *testing.T) http.Handler { return newRealServer(t, empty, options) },
	} {
		t.Run(name, func(t *testing.T) {
			updatetest.RunProtocol(t, tests, func(t *testing.T) updatetest.Server {
				return updatetest.Server{Handler: serve(t), Graphs: storePath}
			})
		})
	}
}
