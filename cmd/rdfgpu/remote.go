package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/rdfgpu/rdfgpu/web"
)

// access are the flags of commands that may ask a server.
type access struct {
	Token string `env:"RDFGPU_TOKEN" placeholder:"TOKEN" help:"Token that the server asks for."`
}

// isAddress reports whether the name of a store is the address of a server.
func isAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// remote is a running server.
type remote struct {
	address *url.URL
	token   string
}

// remote reads a server's address: that of its workbench, or of one of its endpoints.
func (a *access) remote(name string) (*remote, error) {
	address, err := url.Parse(name)
	if err != nil || address.Host == "" {
		return nil, usageError(fmt.Sprintf("%q is no address: expected one such as http://127.0.0.1:7878/", name))
	}
	for _, endpoint := range []string{"/sparql", "/update", "/store", "/subscribe"} {
		address.Path = strings.TrimSuffix(strings.TrimSuffix(address.Path, "/"), endpoint)
	}
	address.RawQuery, address.Fragment = "", ""
	return &remote{address, a.Token}, nil
}

// ask sends a request below the address; the caller closes the body of the answer. The error is a *refusal where the server
// explains one.
func (r *remote) ask(ctx context.Context, method, path string, parameters url.Values, body io.Reader, header http.Header) (*http.Response, error) {
	target := r.address.JoinPath(path)
	target.RawQuery = parameters.Encode()
	request, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, err
	}
	request.Header = header
	if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		defer response.Body.Close()
		return nil, readRefusal(response)
	}
	return response, nil
}

// refusal is an error that a server answered.
type refusal struct {
	server string
	web.Problem
}

// maxRefusal bounds how much of an answer is read to see what it says.
const maxRefusal = 1 << 20

func readRefusal(response *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	if err != nil {
		return err
	}
	e := &refusal{server: response.Request.URL.Host}
	if json.Unmarshal(text, &e.Problem) != nil || e.Title == "" {
		e.Problem = web.Problem{Title: response.Status, Detail: strings.TrimSpace(string(text))}
	}
	e.Status = response.StatusCode
	return e
}

// Error says what the server said.
func (e *refusal) Error() string {
	text := e.server + ": " + e.Title
	if e.Line > 0 {
		text += fmt.Sprintf(" at line %d, column %d", e.Line, e.Column)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if len(e.Expected) > 0 {
		text += "; expected " + strings.Join(e.Expected, ", ")
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// isLimit reports a refusal for want of time or room, not for what was asked.
func (e *refusal) isLimit() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusInsufficientStorage:
		return true
	}
	return false
}
