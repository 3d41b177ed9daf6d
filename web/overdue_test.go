package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// stuckEngine does not end its queries before it is let go; it says at once that they are overdue.
type stuckEngine struct {
	fakeEngine
	letGo chan struct{}
}

func (e *stuckEngine) Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error) {
	options.Overdue(rdfgpu.Overdue{Query: text, Stage: "plan", Cause: rdfgpu.ErrTimeout})
	<-e.letGo
	return e.fakeEngine.Query(ctx, text, options)
}

// TestTheClientOfAnOverdueQueryIsTold while the query goes on, which keeps its turn, and gets nothing else afterwards.
func TestTheClientOfAnOverdueQueryIsTold(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"SELECT 3", "FAIL memory", "SELECT 100000"} {
		engine := &stuckEngine{letGo: make(chan struct{})}
		s, err := New(engine, Options{Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(s)
		client := &http.Client{Timeout: 20 * time.Second}
		response, err := client.Post(server.URL+"/sparql", "application/sparql-query", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusGatewayTimeout || err != nil || !strings.HasPrefix(string(body), "timeout") {
			t.Errorf("%s: status %d, %q (%v)", text, response.StatusCode, body, err)
		}
		if n := s.admit.now().running; n != 1 {
			t.Errorf("%s: %d turns are taken while the query goes on, want 1", text, n)
		}
		close(engine.letGo)
		server.Close()
		client.CloseIdleConnections()
		if n := s.admit.now().running; n != 0 {
			t.Errorf("%s: %d turns are taken after the query", text, n)
		}
	}
}
