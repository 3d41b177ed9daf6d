package web

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestReadingAndWritingAreSeparate(t *testing.T) {
	t.Parallel()
	const reader, writer = "Authorization: Bearer reader", "Authorization: Bearer writer"
	cases := []struct {
		name                 string
		tokens, writers      []string
		token                string
		query, update, graph int
	}{
		{"without tokens", nil, nil, "", 200, 200, 201},
		{"one list, no token", []string{"reader"}, nil, "", 401, 401, 401},
		{"one list, its token", []string{"reader"}, nil, reader, 200, 200, 201},
		{"two lists, no token", []string{"reader"}, []string{"writer"}, "", 401, 401, 401},
		{"two lists, a reader", []string{"reader"}, []string{"writer"}, reader, 200, 403, 403},
		{"two lists, a writer", []string{"reader"}, []string{"writer"}, writer, 200, 200, 201},
		{"two lists, somebody in both", []string{"reader"}, []string{"writer", "reader"}, reader, 200, 200, 201},
		{"writers only, no token", nil, []string{"writer"}, "", 200, 401, 401},
		{"writers only, a wrong token", nil, []string{"writer"}, reader, 200, 401, 401},
		{"writers only, a writer", nil, []string{"writer"}, writer, 200, 200, 201},
		{"writers only, a writer by a password", nil, []string{"writer"}, "Authorization: Basic dTp3cml0ZXI=", 200, 200, 201},
	}
	for _, c := range cases {
		s, engine := newMemoryServer(t, Options{Tokens: c.tokens, WriteTokens: c.writers})
		got := [...]int{
			get(s, "ASK", c.token).Code, do(s, "POST", "/update", insertA, asUpdate, c.token).Code,
			do(s, "PUT", graphG, "<a> <b> <c> .", asTurtle, c.token).Code,
		}
		if got != [...]int{c.query, c.update, c.graph} {
			t.Errorf("%s: %v", c.name, got)
		}
		if code := do(s, "POST", "/sparql", "update=CLEAR+ALL", asForm, c.token).Code; code != c.update {
			t.Errorf("%s: by a form at the endpoint of queries: %d", c.name, code)
		}
		if c.update != 200 && engine.commits != 0 {
			t.Errorf("%s: the store has changed", c.name)
		}
		if w := do(s, "POST", "/update", insertA, asUpdate, c.token); w.Code == 401 && w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s: nothing says how to authenticate", c.name)
		}
	}
}

// TestPagesOfOthersDoNotWrite: a browser sends forms anywhere, with the passwords that it remembers, and says in Origin and
// Sec-Fetch-Site which page they are of.
func TestPagesOfOthersDoNotWrite(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{Origins: []string{"https://friend.example", "*", "https://*.friend.example"}})
	cases := []struct {
		name    string
		headers []string
		allowed bool
	}{
		{"no browser", nil, true},
		{"the workbench", []string{"Origin: http://example.com", "Sec-Fetch-Site: same-origin"}, true},
		{"the workbench on plain HTTP", []string{"Origin: http://example.com"}, true},
		{"a stranger", []string{"Origin: https://stranger.example", "Sec-Fetch-Site: cross-site"}, false},
		{"a stranger, from an older browser", []string{"Origin: https://stranger.example"}, false},
		{"a stranger without an origin", []string{"Origin: null"}, false},
		{"a neighbour", []string{"Origin: http://other.example.com", "Sec-Fetch-Site: same-site"}, false},
		{"a friend", []string{"Origin: https://friend.example", "Sec-Fetch-Site: cross-site"}, true},
		{"one who looks like a friend", []string{"Origin: https://a.friend.example", "Sec-Fetch-Site: cross-site"}, false},
	}
	for _, c := range cases {
		before := engine.commits
		for _, request := range [][4]string{
			{"POST", "/update", "update=" + "INSERT+DATA+%7B+%3Chttp://e/" + strings.ReplaceAll(c.name, " ", "") + "%3E+a+%3Chttp://e/c%3E+%7D", asForm},
			{"POST", "/sparql", "update=CLEAR+ALL", asForm}, {"POST", "/store?default", form([3]string{"a.ttl", "", "<a> <b> <c> ."}), "Content-Type: multipart/form-data; boundary=xyz"},
			{"PUT", graphG, "<a> <b> <c> .", asTurtle}, {"DELETE", graphG, "", ""}, {"PATCH", "/store", "", asPatch},
		} {
			w := do(s, request[0], request[1], request[2], append(c.headers, request[3])...)
			if (w.Code < 300) != c.allowed || !c.allowed && w.Code != 403 {
				t.Errorf("%s, %s %s: %d %s", c.name, request[0], request[1], w.Code, w.Body)
			}
		}
		if !c.allowed && engine.commits != before {
			t.Errorf("%s: the store has changed", c.name)
		}
		if w := get(s, "ASK", c.headers...); w.Code != 200 {
			t.Errorf("%s reads: %d", c.name, w.Code)
		}
	}
	w := do(s, "OPTIONS", "/store?default", "", "Origin: https://friend.example", "Access-Control-Request-Method: PUT",
		"Access-Control-Request-Headers: content-type,if-match")
	if w.Code != 200 || w.Header().Get("Access-Control-Allow-Methods") != "PUT" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestAnOpenWritableServerWarns(t *testing.T) {
	t.Parallel()
	for options, warns := range map[*Options]bool{
		{Addr: "0.0.0.0:0"}:   true,
		{Addr: "127.0.0.1:0"}: false,
		{Addr: "0.0.0.0:0", WriteTokens: []string{"writer"}}:         false,
		{Addr: "0.0.0.0:0", Tokens: []string{"reader and a writer"}}: false,
	} {
		var log bytes.Buffer
		options.Log = slog.New(slog.NewTextHandler(&log, nil))
		s, _ := newMemoryServer(t, *options)
		_, stop, done := run(t, s)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if strings.Contains(log.String(), "everybody who reaches this address may change the store") != warns {
			t.Errorf("%s: %s", options.Addr, log.String())
		}
	}
}
