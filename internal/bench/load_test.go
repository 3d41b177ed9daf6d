package bench

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// endpointThat serves a handler as an endpoint.
func endpointThat(t *testing.T, name string, answer http.HandlerFunc) Endpoint {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return Endpoint{Name: name, URL: server.URL + "/sparql?kept=yes"}
}

// rows answers with so many solutions.
func rows(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "?x\n", strings.Repeat("<a>\n", n))
	}
}

func loadOnce(t *testing.T, timeout time.Duration, e ...Endpoint) *LoadReport {
	t.Helper()
	report, err := Load(context.Background(), e, twoRows, LoadOptions{Connections: []int{3}, Duration: 400 * time.Millisecond, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

var twoRows = []Case{{Query: "a", Form: TSV, Text: "SELECT a", Expected: 2}, {Query: "b", Form: TSV, Text: "SELECT b", Expected: 2}}

func TestALoadCountsAnswersAndComparesEndpoints(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	fast := endpointThat(t, "fast", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.FormValue("query")+r.FormValue("kept")]++
		mu.Unlock()
		rows(2)(w, r)
	})
	slow := endpointThat(t, "slow", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(10 * time.Millisecond)
		rows(2)(w, r)
	})
	report := loadOnce(t, time.Minute, fast, slow)
	if len(report.Rows) != 2 || report.Queries != 2 || report.Checked != 2 {
		t.Fatalf("%+v", report)
	}
	a, b := report.Rows[0], report.Rows[1]
	if a.Answers == 0 || b.Answers == 0 || a.Failed() || b.Failed() || a.Ratio != 1 || b.Ratio <= 1 || b.P50 < 10*time.Millisecond || b.P99 < b.P50 {
		t.Errorf("%+v", report.Rows)
	}
	if len(seen) != 2 || seen["SELECT ayes"] == 0 || seen["SELECT byes"] == 0 {
		t.Errorf("asked %v", seen)
	}
	var text strings.Builder
	report.WriteMarkdown(&text)
	report.WriteCSV(&text)
	if !strings.Contains(text.String(), "| 3 | fast |") || !strings.Contains(text.String(), "\nslow,3,") {
		t.Error(text.String())
	}
}

func TestALoadTellsFailuresApart(t *testing.T) {
	cases := []struct {
		name    string
		timeout time.Duration
		answer  http.HandlerFunc
		check   func(LoadRow) bool
	}{
		{"a full queue is no failure", 0, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) },
			func(r LoadRow) bool { return r.Busy > 0 && !r.Failed() && r.Answers == 0 }},
		{"a status is a kind", 0, func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", 500) },
			func(r LoadRow) bool { return r.Errors["status 500"] > 0 && len(r.Errors) == 1 }},
		{"a late answer is a timeout", 50 * time.Millisecond, func(w http.ResponseWriter, r *http.Request) { time.Sleep(70 * time.Millisecond) },
			func(r LoadRow) bool { return r.Errors["timeout"] > 0 && len(r.Errors) == 1 }},
		{"a broken answer is a connection that failed", 0, func(w http.ResponseWriter, r *http.Request) {
			rows(2)(w, r)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, func(r LoadRow) bool { return r.Errors["connection"] > 0 && len(r.Errors) == 1 }},
		{"one row too many is wrong", 0, rows(3), func(r LoadRow) bool {
			return r.Wrong > 0 && len(r.Errors) == 0 && strings.Contains(r.Note, "3 solutions instead of 2")
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			row := loadOnce(t, cmp.Or(c.timeout, time.Minute), endpointThat(t, "it", c.answer)).Rows[0]
			if !c.check(row) {
				t.Errorf("%+v", row)
			}
		})
	}
}

func TestAConnectionThatTheServerClosedIsReplaced(t *testing.T) {
	var asked atomic.Int64
	e := endpointThat(t, "it", func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%3 == 0 {
			w.Header().Set("Connection", "close")
		}
		rows(2)(w, r)
	})
	if row := loadOnce(t, time.Minute, e).Rows[0]; row.Answers == 0 || row.Failed() {
		t.Errorf("%+v", row)
	}
}

func TestWhatIsUnderWayAtTheEndIsLeftOut(t *testing.T) {
	e := endpointThat(t, "it", func(w http.ResponseWriter, r *http.Request) { time.Sleep(time.Second) })
	report, err := Load(context.Background(), []Endpoint{e}, twoRows, LoadOptions{Connections: []int{2}, Duration: 50 * time.Millisecond, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if row := report.Rows[0]; row.Answers != 0 || row.Failed() {
		t.Errorf("%+v", row)
	}
}

func TestALoadNeedsQueriesAndAnAddress(t *testing.T) {
	if _, err := Load(context.Background(), []Endpoint{{"it", "nowhere"}}, twoRows, LoadOptions{}); err == nil {
		t.Error("no error without a host")
	}
	if _, err := Load(context.Background(), nil, nil, LoadOptions{}); err == nil {
		t.Error("no error without a query")
	}
}
