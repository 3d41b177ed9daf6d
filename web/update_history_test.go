package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	histories "github.com/rdfgpu/rdfgpu/internal/history"
)

// asked is a server as the clients of a history ask it.
type asked struct{ *httptest.Server }

// post sends a text and returns the status and the body of the answer, with the sequence in its header.
func (s asked) post(ctx context.Context, path, text string, header map[string]string) (status int, body []byte, sequence uint64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, strings.NewReader(text))
	if err != nil {
		return 0, nil, 0, err
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	answer, err := s.Client().Do(request)
	if err != nil {
		return 0, nil, 0, err
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(answer.Body); err != nil {
		return 0, nil, 0, err
	}
	sequence, err = strconv.ParseUint(answer.Header.Get("X-Rdfgpu-Sequence"), 10, 64)
	return answer.StatusCode, body, sequence, err
}

func (s asked) Update(ctx context.Context, text string, wanted *uint64, dry bool) (a histories.Answer, err error) {
	header := map[string]string{"Content-Type": "application/sparql-update", "X-Rdfgpu-Dry-Run": strconv.FormatBool(dry)}
	if wanted != nil {
		header["If-Match"] = fmt.Sprintf(`"%d"`, *wanted)
	}
	status, body, sequence, err := s.post(ctx, "/update", text, header)
	switch {
	case err != nil:
		return a, err
	case status == http.StatusPreconditionFailed && wanted != nil && sequence != *wanted:
		return histories.Answer{Conflict: true}, nil
	case status != http.StatusOK:
		return a, fmt.Errorf("status %d at %d: %s", status, sequence, body)
	}
	if err = json.Unmarshal(body, &a); err == nil && a.Sequence != sequence {
		err = fmt.Errorf("the header says %d, the body %s", sequence, body)
	}
	return a, err
}

func (s asked) Query(ctx context.Context, text string, least uint64) (tsv string, sequence uint64, err error) {
	status, body, sequence, err := s.post(ctx, "/sparql?min-sequence="+strconv.FormatUint(least, 10), url.Values{"query": {text}}.Encode(), map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/tab-separated-values",
	})
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", status, body)
	}
	return string(body), sequence, err
}

// TestHistoriesOverHTTP is the root package's TestHistories through a server.
func TestHistoriesOverHTTP(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.nt")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(newRealServer(t, empty, Options{}))
	defer server.Close()
	h := histories.New()
	clients := histories.Clients{Number: 6, Operations: 100, Seed: 1, Patience: 50 * time.Millisecond}
	if err := errors.Join(clients.Run(h, asked{server}), h.Check(histories.State{})); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d operations", h.Len())
}
