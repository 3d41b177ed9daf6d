package webhook_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receive answers with one status after the other, and then with 204.
func receive(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, body string, n int)) (address string, s *webhook.Sender, r *webhook.Record) {
	t.Helper()
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer(w, r, string(body), int(n.Add(1)))
	}))
	s = &webhook.Sender{Allowed: []string{server.URL}, Least: time.Millisecond, Most: 4 * time.Millisecond, GiveUp: time.Minute, Attempt: 10 * time.Second,
		Tell: func(*webhook.Record, error) {}, Client: webhook.NewClient()}
	t.Cleanup(func() { s.Client.CloseIdleConnections(); server.Close() })
	r = newRecord("wh-a", server.URL+"/hook?secret=x")
	r.Pending = &webhook.Message{Number: 1, Event: "change", Position: "7-0123456789abcdef", Body: []byte(`{"a":1}`)}
	return server.URL, s, r
}

// TestAMessageIsPostedUntilItIsTaken: the same each time, signed anew.
func TestAMessageIsPostedUntilItIsTaken(t *testing.T) {
	var record *webhook.Record
	bad := make(chan string, 100)
	_, s, r := receive(t, func(w http.ResponseWriter, q *http.Request, body string, n int) {
		at, _ := strconv.ParseInt(q.Header.Get("webhook-timestamp"), 10, 64)
		if time.Since(time.Unix(at, 0)).Abs() > time.Minute || q.Method != "POST" || q.Header.Get("webhook-id") != "wh-a-1" || body != `{"a":1}` ||
			q.Header.Get("Content-Type") != "application/json" || q.Header.Get("X-Rdfgpu-Event") != "change" || q.Header.Get("X-Rdfgpu-Event-Id") != "7-0123456789abcdef" ||
			q.Header.Get("webhook-signature") != record.Secret.Sign("wh-a-1", time.Unix(at, 0), []byte(body)) {
			bad <- body
		}
		switch n {
		case 1:
			w.WriteHeader(500)
		case 2:
			w.Header().Set("Retry-After", "3600") // at most the longest pause
			w.WriteHeader(429)
		case 3:
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(204)
		}
	})
	record = r
	var failures []string
	s.Tell = func(r *webhook.Record, failure error) {
		if failure != nil {
			failures = append(failures, r.Trouble)
		}
	}
	if err := s.Deliver(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if r.Pending != nil || r.Delivered != 1 || r.Position != "7-0123456789abcdef" || r.Failed != 0 || !r.Since.IsZero() || r.Trouble != "" {
		t.Errorf("%+v", r)
	}
	if len(failures) != 3 || !strings.Contains(failures[0], "500") || len(bad) > 0 {
		t.Error(failures, len(bad))
	}
	for _, f := range failures {
		if strings.Contains(f, "secret") || strings.Contains(f, "hook") {
			t.Errorf("%q tells the address", f)
		}
	}
}

func TestDeliveryEnds(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request, string, int) {
		return func(w http.ResponseWriter, r *http.Request, _ string, _ int) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(code)
		}
	}
	t.Run("where the receiver wants no more", func(t *testing.T) {
		_, s, r := receive(t, status(410))
		if err := s.Deliver(t.Context(), r); !errors.Is(err, webhook.ErrGone) {
			t.Error(err)
		}
	})
	t.Run("where it fails for too long", func(t *testing.T) {
		_, s, r := receive(t, status(503))
		s.GiveUp = 30 * time.Millisecond
		if err := s.Deliver(t.Context(), r); !errors.Is(err, webhook.ErrGivenUp) || !strings.Contains(err.Error(), "503") || r.Failed == 0 || r.Pending == nil {
			t.Error(err, r.Failed)
		}
	})
	t.Run("where it redirects, without following", func(t *testing.T) {
		_, s, r := receive(t, func(w http.ResponseWriter, q *http.Request, _ string, _ int) {
			if q.URL.Path != "/hook" {
				t.Error(q.URL.Path)
			}
			status(307)(w, q, "", 0)
		})
		s.GiveUp = 10 * time.Millisecond
		if err := s.Deliver(t.Context(), r); !errors.Is(err, webhook.ErrGivenUp) || !strings.Contains(err.Error(), "redirects") {
			t.Error(err)
		}
	})
	t.Run("where the address is not allowed", func(t *testing.T) {
		_, s, r := receive(t, func(http.ResponseWriter, *http.Request, string, int) { t.Error("it was posted") })
		r.URL = strings.Replace(r.URL, "http://", "http://user@", 1)
		if err := s.Deliver(t.Context(), r); !errors.Is(err, webhook.ErrNotAllowed) {
			t.Error(err)
		}
		s.Allowed = []string{"file:///"}
		if s.Allow("file:///etc/passwd") {
			t.Error("a file is an address")
		}
	})
	t.Run("where the caller stops", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		_, s, r := receive(t, func(w http.ResponseWriter, q *http.Request, _ string, n int) {
			if w.WriteHeader(500); n == 3 {
				cancel(enough)
			}
		})
		if err := s.Deliver(ctx, r); err != enough || r.Pending == nil {
			t.Error(err)
		}
	})
	t.Run("where nobody answers", func(t *testing.T) {
		release := make(chan struct{})
		_, s, r := receive(t, func(http.ResponseWriter, *http.Request, string, int) { <-release })
		defer close(release)
		s.Attempt, s.GiveUp = 20*time.Millisecond, 10*time.Millisecond
		if err := s.Deliver(t.Context(), r); !errors.Is(err, webhook.ErrGivenUp) {
			t.Error(err)
		}
	})
}
