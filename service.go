package rdfgpu

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// serviceTimeout bounds one request to another endpoint.
const serviceTimeout = 60 * time.Second

// serviceBytes bounds the answer of another endpoint.
const serviceBytes = 1 << 30

// service answers SERVICE by asking the endpoints that are on the list; nil when there are none.
func (o Options) service() exec.Service {
	if len(o.Services) == 0 {
		return nil
	}
	client := &http.Client{
		Timeout: serviceTimeout,
		// A redirect could lead off the list.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, endpoint, query string, variables []string, row func([]rdf.Term) error) error {
		if !slices.Contains(o.Services, endpoint) {
			return fmt.Errorf("SERVICE <%s>: this endpoint is not on the list of those that may be asked: %w", endpoint, ErrUnsupported)
		}
		table, err := ask(ctx, client, endpoint, query)
		if err != nil {
			return fmt.Errorf("SERVICE <%s>: %w", endpoint, err)
		}
		return table.each(variables, row)
	}
}

// serviceTable is the answer of another endpoint.
type serviceTable struct{ *results.Table }

func ask(ctx context.Context, client *http.Client, endpoint, query string) (serviceTable, error) {
	body := strings.NewReader(url.Values{"query": {query}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, body)
	if err != nil {
		return serviceTable{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/sparql-results+json, application/sparql-results+xml;q=0.9")
	response, err := client.Do(request)
	if err != nil {
		return serviceTable{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return serviceTable{}, fmt.Errorf("the endpoint answers %s", response.Status)
	}
	format := results.JSON
	if strings.Contains(response.Header.Get("Content-Type"), "xml") {
		format = results.XML
	}
	table, err := results.Read(io.LimitReader(response.Body, serviceBytes), format)
	return serviceTable{table}, err
}

// each calls row with the terms of variables for each solution; variables that the answer lacks are unbound.
func (t serviceTable) each(variables []string, row func([]rdf.Term) error) error {
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
