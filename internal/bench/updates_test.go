package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// graphThat serves a graph: keep says with which status an update is answered and whether it is kept.
func graphThat(t *testing.T, name string, keep func(n int64) (status int, kept bool)) UpdateEndpoint {
	t.Helper()
	var mu sync.Mutex
	graph := tripleSet{}
	var updates atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("POST /update", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if r.Header.Get("Content-Type") != "application/sparql-update" || r.URL.Query().Get("kept") != "yes" {
			http.Error(w, "no update", http.StatusUnsupportedMediaType)
			return
		}
		status, kept := keep(updates.Add(1))
		if kept {
			mu.Lock()
			graph.apply(t, string(text))
			mu.Unlock()
		}
		w.WriteHeader(status)
	})
	mux.HandleFunc("POST /query", func(w http.ResponseWriter, r *http.Request) {
		text := r.FormValue("query")
		if r.Header.Get("Accept") == accepts[TSV] {
			rows(2)(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(w, `{"results":{"bindings":[{"c":{"type":"literal","value":"%d"}}]}}`, graph.number(t, check{"it", text}))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return UpdateEndpoint{name, server.URL + "/update?kept=yes", server.URL + "/query"}
}

func always(status int, kept bool) func(int64) (int, bool) {
	return func(int64) (int, bool) { return status, kept }
}

func updateOnce(t *testing.T, kind UpdateKind, o UpdateOptions, e ...UpdateEndpoint) *UpdateReport {
	t.Helper()
	o.Kinds, o.Connections, o.Timeout, o.Seed = []UpdateKind{kind}, []int{3}, time.Minute, 1
	if o.Duration == 0 {
		o.Duration = 200 * time.Millisecond
	}
	report, err := Updates(context.Background(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestUpdatesAreCountedAndChecked(t *testing.T) {
	a, b := graphThat(t, "a", always(200, true)), graphThat(t, "b", always(204, true))
	for _, kind := range []UpdateKind{Single, Edit} {
		report := updateOnce(t, kind, UpdateOptions{Readers: 2, Reads: twoRows}, a, b)
		for _, row := range report.Rows {
			if row.Failed() || row.Updates.N == 0 || row.Updates.Max < row.Updates.P50 || row.Alone.Answers == 0 || row.Beside.Answers == 0 {
				t.Errorf("%+v", row)
			}
		}
		var text strings.Builder
		report.WriteMarkdown(&text)
		report.WriteCSV(&text)
		for _, want := range []string{fmt.Sprintf("| %s | 3 | b |", kind), "| exact |", fmt.Sprintf("\n%s,3,a,", kind), ",true\n"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in %s", want, text.String())
			}
		}
	}
}

func TestUpdatesTellWhatIsWrong(t *testing.T) {
	every := func(n int64, status int, kept bool) func(int64) (int, bool) {
		return func(i int64) (int, bool) {
			if i%n == 0 {
				return status, kept
			}
			return 200, true
		}
	}
	cases := []struct {
		name  string
		keep  func(int64) (int, bool)
		check func(UpdateRow) bool
	}{
		{"an acknowledged update that is not there is lost", every(5, 200, false),
			func(r UpdateRow) bool { return strings.Contains(r.Lost, " instead of ") && r.Failed() }},
		{"a full queue is no failure", every(5, 503, false),
			func(r UpdateRow) bool { return r.Busy > 0 && !r.Failed() }},
		{"what was refused must not be there", every(5, 400, true),
			func(r UpdateRow) bool { return r.Lost != "" && r.Errors["status 400"] > 0 }},
		{"what failed may be there", every(5, 500, true),
			func(r UpdateRow) bool { return r.Lost == "" && r.Errors["status 500"] > 0 }},
		{"what failed may not be there", every(5, 500, false),
			func(r UpdateRow) bool { return r.Lost == "" && r.Errors["status 500"] > 0 }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if row := updateOnce(t, Single, UpdateOptions{}, graphThat(t, "it", c.keep)).Rows[0]; !c.check(row) {
				t.Errorf("%+v", row)
			}
		})
	}
}

func TestAnEndpointThatTakesNothingHasARow(t *testing.T) {
	row := updateOnce(t, Edit, UpdateOptions{}, graphThat(t, "it", always(400, false))).Rows[0]
	if row.Errors["first data"] != 1 || !row.Failed() || !strings.Contains(row.Note, "400") {
		t.Errorf("%+v", row)
	}
}

func TestASecondRunNeedsAnotherSeed(t *testing.T) {
	e := graphThat(t, "it", always(200, true))
	updateOnce(t, Single, UpdateOptions{}, e)
	o := UpdateOptions{Kinds: []UpdateKind{Single}, Connections: []int{3}, Duration: time.Millisecond, Timeout: time.Minute, Seed: 1}
	if _, err := Updates(context.Background(), []UpdateEndpoint{e}, o); err == nil || !strings.Contains(err.Error(), "--seed") {
		t.Errorf("error %v", err)
	}
	o.Seed = 2
	if _, err := Updates(context.Background(), []UpdateEndpoint{e}, o); err != nil {
		t.Error(err)
	}
}

func TestUpdatesNeedAKindAndQueriesForReaders(t *testing.T) {
	e := graphThat(t, "it", always(200, true))
	for _, o := range []UpdateOptions{{Kinds: []UpdateKind{"all"}, Connections: []int{1}}, {Kinds: UpdateKinds, Connections: []int{1}, Readers: 1}} {
		if _, err := Updates(context.Background(), []UpdateEndpoint{e}, o); err == nil {
			t.Errorf("no error of %+v", o)
		}
	}
}
