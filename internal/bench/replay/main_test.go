package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAnswersAreKeptByRequest asks for two texts in two forms, each twice: the server is asked once for each, and an error every time.
func TestAnswersAreKeptByRequest(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		if string(body) == "wrong" {
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprintf(w, "%s as %s by %s", body, r.Header.Get("Accept"), r.URL.RawQuery)
	}))
	defer server.Close()
	kept := httptest.NewServer(&replay{of: server.URL})
	defer kept.Close()
	for range 2 {
		for _, text := range []string{"one", "two", "wrong"} {
			for _, form := range []string{"a/b", "c/d"} {
				request, _ := http.NewRequest(http.MethodPost, kept.URL+"/sparql?device=cpu", strings.NewReader(text))
				request.Header.Set("Accept", form)
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if got, want := string(body), text+" as "+form+" by device=cpu"; got != want {
					t.Errorf("answered %q, want %q", got, want)
				}
				if (response.StatusCode == http.StatusOK) == (text == "wrong") {
					t.Errorf("%s: status %d", text, response.StatusCode)
				}
			}
		}
	}
	if got := asked.Load(); got != 8 {
		t.Errorf("the server was asked %d times, want 8: four answers kept, two errors asked for twice", got)
	}
}
