package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer shows a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// toolClient speaks to a server by the protocol's own client.
func toolClient(t *testing.T, url, token string) (*sdk.ClientSession, error) {
	t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.WithoutCancel(t.Context()), transport, nil)
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

// use uses the tool query.
func use(t *testing.T, c *sdk.ClientSession, query string) (text string, failed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "query", Arguments: map[string]any{"query": query}})
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

// TestToolsAskWithinTheLimitsOfQueries is serial: its limit is short, and a query must be answered within it.
func TestToolsAskWithinTheLimitsOfQueries(t *testing.T) {
	s, engine := newTestServer(t, Options{Timeout: 300 * time.Millisecond, MaxRows: 7, MaxConcurrent: 2})
	c, err := toolClient(t, listen(t, s).URL, "")
	if err != nil {
		t.Fatal(err)
	}
	if text, failed := use(t, c, "SELECT 70"); failed || !strings.Contains(text, "http://example.org/t49") || !strings.Contains(text, `"next"`) {
		t.Errorf("rows: %s", text)
	}
	if o := engine.last.Load(); o.MaxRows != 7 || o.Timeout != 300*time.Millisecond {
		t.Errorf("the engine was asked with %+v", o)
	}
	if text, failed := use(t, c, "NONSENSE"); !failed || !strings.Contains(text, "line 1, column 3") || !strings.Contains(text, "expected: SELECT, ASK") {
		t.Errorf("a mistake: %s", text)
	}
	if text, failed := use(t, c, "FOREVER"); !failed || !strings.Contains(text, "timeout") || !strings.Contains(text, "hint: ") {
		t.Errorf("a timeout: %s", text)
	}
	panics := &sdk.CallToolParams{Name: "query", Arguments: map[string]any{"query": "PANIC"}}
	if _, err := c.CallTool(t.Context(), panics); err == nil || !strings.Contains(err.Error(), "internal error") {
		t.Errorf("a panic: %v", err)
	}
	waitFor(t, 10*time.Second, func() bool { return s.queries.len() == 0 && engine.running.Load() == 0 })
	if now := s.admit.now(); now.running != 0 {
		t.Errorf("%d turns are held", now.running)
	}
}

func TestToolsWantATokenWhereQueriesDo(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{Tokens: []string{"sesame"}})
	url := listen(t, s).URL
	if _, err := toolClient(t, url, "wrong"); err == nil {
		t.Error("a wrong token is taken")
	}
	c, err := toolClient(t, url, "sesame")
	if err != nil {
		t.Fatal(err)
	}
	if text, failed := use(t, c, "ASK"); failed || !strings.Contains(text, "true") {
		t.Errorf("ASK: %s", text)
	}
}

func TestAToolsQueryEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	s, engine := newTestServer(t, Options{})
	server := listen(t, s)
	ctx, hangUp := context.WithCancel(t.Context())
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"query":"FOREVER"}}}`
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if response, err := http.DefaultClient.Do(r); err == nil {
			response.Body.Close()
		}
	}()
	waitFor(t, 10*time.Second, func() bool { return engine.running.Load() == 1 })
	hangUp()
	<-ended
	waitFor(t, 10*time.Second, func() bool { return engine.running.Load() == 0 && s.queries.len() == 0 })
}

func TestToolsTakeNoBodyThatIsTooLong(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{MaxBody: 100})
	if w := do(s, "POST", "/mcp", strings.Repeat(" ", 200), "Content-Type: application/json"); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %d %s", w.Code, w.Body)
	}
	if w := do(s, "GET", "/mcp", ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", w.Code)
	}
}
