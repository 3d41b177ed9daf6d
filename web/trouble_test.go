package web

import (
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

func TestAServerWhoseStoreIsInTroubleIsNotReady(t *testing.T) {
	t.Parallel()
	log := &lines{}
	s, _ := newTestServer(t, Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	cases := []struct {
		err    error
		status int
		says   string
	}{
		{nil, 200, "ready"},
		{fmt.Errorf("/secret: %w", fs.ErrNotExist), 503, "deleted"},
		{fmt.Errorf("/secret: %w", fs.ErrPermission), 503, "may not be read"},
		{fmt.Errorf("/secret: %w", rdfgpu.ErrDamaged), 503, "damaged"},
		{fmt.Errorf("/secret: %w", rdfgpu.ErrVersion), 503, "version"},
		{fmt.Errorf("/secret: bad"), 503, "cannot be opened"},
		{nil, 200, "ready"},
	}
	for _, c := range cases {
		s.Trouble(c.err)
		s.Trouble(c.err)
		w := do(s, "GET", "/readyz", "")
		if text := w.Body.String(); w.Code != c.status || !strings.Contains(text, c.says) || strings.Contains(text, "secret") {
			t.Errorf("%v: %d %s", c.err, w.Code, text)
		}
		available := map[bool]string{true: "1", false: "0"}[c.err == nil]
		if metrics := do(s, "GET", "/metrics", "").Body.String(); !strings.Contains(metrics, "rdfgpu_store_available "+available) {
			t.Errorf("%v: no rdfgpu_store_available %s", c.err, available)
		}
		if w := do(s, "GET", "/healthz", ""); w.Code != 200 {
			t.Errorf("%v: not alive: %d", c.err, w.Code)
		}
	}
	if text := log.String(); strings.Count(text, "level=ERROR") != 5 || strings.Count(text, "can be served again") != 1 {
		t.Error(text)
	}
}

func TestTheProgramIsNotReadyWithoutItsStore(t *testing.T) {
	t.Parallel()
	h := serveByProgram(t, buildProgram(t), triples(t, 0, 1000))
	dir := h.(*forwarder).store
	readiness := func(status int, says string) {
		t.Helper()
		waitFor(t, 10*time.Second, func() bool {
			w := do(h, "GET", "/readyz", "")
			return w.Code == status && strings.Contains(w.Body.String(), says)
		})
		if n := counted(t, h); n != 1000 {
			t.Errorf("%d triples", n)
		}
		if w := do(h, "GET", "/healthz", ""); w.Code != http.StatusOK {
			t.Errorf("not alive: %d", w.Code)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	readiness(200, "ready")
	must(os.Rename(dir, dir+".away"))
	readiness(503, "deleted")
	must(os.Rename(dir+".away", dir))
	readiness(200, "ready")
	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	must(err)
	must(os.WriteFile(manifest, []byte("garbage"), 0o600))
	readiness(503, "damaged")
	must(os.WriteFile(manifest, text, 0o600))
	readiness(200, "ready")
}
