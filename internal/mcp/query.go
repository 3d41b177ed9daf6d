package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rdfgpu/rdfgpu"
)

const (
	queryHelp = `Runs a SPARQL 1.1 query (SELECT, ASK, CONSTRUCT or DESCRIBE) and returns its first rows; the tool next has the others.
Terms are written as SPARQL writes them, so that they can be put into the next query. Updates are refused.`
	nextHelp    = "The rows of an answer that follow those seen: next is what the page before gave. Rows are kept for a while only."
	explainHelp = `Shows how a query is answered, as an indented tree: operators, the order in which variables are bound, and how many rows are
expected. With analyze it runs the query and shows what was found beside that. Use it when a query is slow or finds nothing.`
)

type queryInput struct {
	Query     string  `json:"query" jsonschema:"the text of the query; declare the prefixes that it uses"`
	Limit     int     `json:"limit,omitempty" jsonschema:"rows in a page: 50 where none is given, at most 500"`
	Timeout   float64 `json:"timeout,omitempty" jsonschema:"seconds after which to give up; the server has a limit of its own"`
	Semantics string  `json:"semantics,omitempty" jsonschema:"homomorphism (SPARQL's own), isomorphism (different variables match different things), edge-isomorphism (different triple patterns match different triples) or induced (isomorphism where the data have no edges of the pattern's predicates between the things matched but those of the pattern)"`
}

type nextInput struct {
	Next string `json:"next" jsonschema:"the value next of the page before"`
}

type explainInput struct {
	Query     string  `json:"query" jsonschema:"the text of the query"`
	Analyze   bool    `json:"analyze,omitempty" jsonschema:"run the query and show what was measured"`
	Timeout   float64 `json:"timeout,omitempty" jsonschema:"seconds after which to give up"`
	Semantics string  `json:"semantics,omitempty" jsonschema:"as in the tool query"`
}

// options are those that a client may choose.
func options(semantics string, timeout float64) (o rdfgpu.QueryOptions, err error) {
	if o.Semantics, err = rdfgpu.ParseSemantics(semantics); err != nil {
		return o, err
	}
	if timeout != timeout || timeout < 0 {
		return o, fmt.Errorf("a timeout of %v: expected a positive number of seconds", timeout)
	}
	o.Timeout = time.Duration(min(timeout, 1e6) * float64(time.Second))
	return o, nil
}

// rowsOf is how many rows a page has for whom so many are asked.
func rowsOf(limit, standard int) (int, error) {
	if limit < 0 {
		return 0, fmt.Errorf("a limit of %d rows: expected a positive number", limit)
	}
	if limit == 0 {
		limit = standard
	}
	return min(limit, mostRows), nil
}

// query is the tool query.
func (s *session) query(ctx context.Context, in queryInput) (*page, error) {
	o, err := options(in.Semantics, in.Timeout)
	if err != nil {
		return nil, err
	}
	limit, err := rowsOf(in.Limit, defaultRows)
	if err != nil {
		return nil, err
	}
	return s.ask(ctx, in.Query, o, limit)
}

// next is the tool next.
func (s *session) next(_ context.Context, in nextInput) (*page, error) {
	return s.shelf.next(in.Next)
}

// explain is the tool explain.
func (s *session) explain(ctx context.Context, _ *sdk.CallToolRequest, in explainInput) (*sdk.CallToolResult, any, error) {
	o, err := options(in.Semantics, in.Timeout)
	if err != nil {
		return nil, nil, err
	}
	o.Analyze = in.Analyze
	plan, err := s.source.Explain(ctx, in.Query, o)
	if err != nil {
		return nil, nil, failure(err, in.Query)
	}
	var text strings.Builder
	if err := plan.WriteText(&text); err != nil {
		return nil, nil, errors.New("the plan cannot be written")
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text.String()}}}, nil, nil
}
