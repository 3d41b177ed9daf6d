package web

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

func TestHistoryCountsQueries(t *testing.T) {
	t.Parallel()
	s := newStoreServer(t)
	for _, query := range []string{"SELECT * WHERE { ?s ?p ?o }", "SELECT * WHERE { ?s ?p ?o }", "SELECT nonsense"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/sparql?"+url.Values{"query": {query}}.Encode(), nil))
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/api/history", nil))
	var told struct {
		IntervalSeconds float64
		Samples         []sample
	}
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil {
		t.Fatal(err, w.Body)
	}
	if told.IntervalSeconds != 10 || len(told.Samples) != 1 {
		t.Fatalf("told %+v", told)
	}
	got := told.Samples[0]
	if got.Queries != 3 || got.Failed != 1 || got.Rows == 0 || got.Median <= 0 || got.Slow < got.Median || got.At == 0 {
		t.Errorf("told %+v after two queries and a failure", got)
	}
}

func TestHistoryKeepsAnHour(t *testing.T) {
	t.Parallel()
	var h history
	begin := time.Now()
	for i := range 500 {
		h.add(reading{at: begin.Add(time.Duration(i) * historyInterval), queries: float64(2 * i), latency: map[float64]uint64{0.5: uint64(2 * i)}})
	}
	samples := h.samples()
	if len(samples) != 361 {
		t.Fatalf("%d samples, want those of an hour", len(samples))
	}
	last := samples[len(samples)-1]
	if last.Queries != 2 || last.Median != 500 {
		t.Errorf("the last sample is %+v", last)
	}
	if h.due(begin.Add(499 * historyInterval)) {
		t.Error("a reading is due though one was just taken")
	}
}

func TestHistoryEndsWithItsServer(t *testing.T) {
	t.Parallel()
	s := newStoreServer(t)
	stop := s.keepHistory(context.Background())
	waitFor(t, 10*time.Second, func() bool { return len(s.history.samples()) == 1 })
	stop()
}
