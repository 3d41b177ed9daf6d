package federation

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// requestTimeout bounds one request to another endpoint.
const requestTimeout = 60 * time.Second

// answerBytes bounds the answer of another endpoint.
const answerBytes = 1 << 30

// Client asks the endpoints on a list.
type Client struct {
	endpoints []string
	http      *http.Client
}

// New returns a client for endpoints, IRIs as queries write them.
func New(endpoints []string) *Client {
	return &Client{endpoints, &http.Client{
		Timeout: requestTimeout,
		// A redirect could lead off the list.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Ask sends a SELECT query to an endpoint and calls row with the terms of variables for each solution, the zero Term where one is
// unbound; the slice is reused. The error names the endpoint, and wraps exec.ErrUnsupported where that is not on the list.
func (c *Client) Ask(ctx context.Context, endpoint, query string, variables []string, row func([]rdf.Term) error) error {
	if !slices.Contains(c.endpoints, endpoint) {
		return fmt.Errorf("SERVICE <%s>: this endpoint is not on the list of those that may be asked: %w", endpoint, exec.ErrUnsupported)
	}
	table, err := c.send(ctx, endpoint, query)
	if err != nil {
		return fmt.Errorf("SERVICE <%s>: %w", endpoint, err)
	}
	return each(table, variables, row)
}

func (c *Client) send(ctx context.Context, endpoint, query string) (*results.Table, error) {
	body := strings.NewReader(url.Values{"query": {query}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/sparql-results+json, application/sparql-results+xml;q=0.9")
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(request.Header))
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the endpoint answers %s", response.Status)
	}
	format := results.JSON
	if strings.Contains(response.Header.Get("Content-Type"), "xml") {
		format = results.XML
	}
	return results.Read(io.LimitReader(response.Body, answerBytes), format)
}

// each calls row with the terms of variables for each solution; variables that the answer lacks are unbound.
func each(t *results.Table, variables []string, row func([]rdf.Term) error) error {
	terms := make([]rdf.Term, len(variables))
	for _, found := range t.Rows {
		for i, v := range variables {
			terms[i] = rdf.Term{}
			if c := slices.Index(t.Variables, v); c >= 0 {
				terms[i] = found[c]
			}
		}
		if err := row(terms); err != nil {
			return err
		}
	}
	return nil
}
