package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rdfgpu/rdfgpu"
)

// Options are settings of Tools; the zero value is good.
type Options struct {
	// Budget, where it is not nil, is what rows count against that wait to be read.
	Budget *rdfgpu.Budget
	// Log receives what clients cannot be told; nil means slog.Default.
	Log *slog.Logger
}

// Tools are what is offered to clients, and the rows that wait for them.
type Tools struct {
	options Options
	shelf   *shelf
	schemas *sdk.SchemaCache
}

// New returns tools that ask nobody yet.
func New(options Options) *Tools {
	if options.Log == nil {
		options.Log = slog.Default()
	}
	return &Tools{options: options, shelf: newShelf(options.Budget), schemas: sdk.NewSchemaCache()}
}

// Serve speaks the protocol over in and out, one message a line, until in ends (nil) or ctx is done.
func (t *Tools) Serve(ctx context.Context, source Source, in io.ReadCloser, out io.WriteCloser) error {
	err := t.server(source).Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// sourceKey is where a request's context has its Source.
type sourceKey struct{}

// Handler speaks the protocol over HTTP ("streamable HTTP", without sessions: each request is answered by itself, as JSON). Whom
// the tools ask is a matter of the request. Queries end with their request.
func (t *Tools) Handler(source func(*http.Request) Source) http.Handler {
	inner := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		server, _ := r.Context().Value(sourceKey{}).(*sdk.Server)
		return server
	}, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // whoever serves knows the names that it goes by
		MaxRequestBodyBytes:        -1,   // and has read the body
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server := t.server(bound{source(r), r.Context()})
		inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sourceKey{}, server)))
	})
}

// bound is a source whose queries end with a request.
type bound struct {
	Source
	until context.Context
}

func (b bound) Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error) {
	ctx, done := b.join(ctx)
	answer, err := b.Source.Query(ctx, text, options)
	if err != nil {
		done()
		return nil, err
	}
	return boundAnswer{answer, done}, nil
}

func (b bound) Explain(ctx context.Context, text string, options rdfgpu.QueryOptions) (*rdfgpu.Explanation, error) {
	ctx, done := b.join(ctx)
	defer done()
	return b.Source.Explain(ctx, text, options)
}

// join is ctx, which ends with the request too.
func (b bound) join(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(b.until, func() { cancel(context.Cause(b.until)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

type boundAnswer struct {
	Answer
	done func()
}

func (a boundAnswer) Close() error {
	defer a.done()
	return a.Answer.Close()
}

// session is what one client is offered.
type session struct {
	*Tools
	source Source
}

const instructions = `This server answers SPARQL 1.1 queries over one RDF graph; it is read-only.
Look at the schema first, find IRIs by search, and look at one thing with describe before you write a query.
Write full IRIs in angle brackets, or declare each prefix that you use. Begin with a LIMIT.
An error names the line and the column of what is wrong and what was expected there: mend the query and ask again.`

// server offers everything to a client.
func (t *Tools) server(source Source) *sdk.Server {
	s := &session{t, source}
	version := strings.TrimPrefix(rdfgpu.Version(), "rdfgpu ")
	server := sdk.NewServer(&sdk.Implementation{Name: "rdfgpu", Title: "rdfgpu", Version: version}, &sdk.ServerOptions{
		Instructions: instructions, SchemaCache: t.schemas,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}},
	})
	server.AddReceivingMiddleware(t.guard)
	add(server, tool("schema", "Classes and predicates with counts", schemaHelp), s.schema)
	add(server, tool("search", "Find things by their labels or IRIs", searchHelp), s.search)
	add(server, tool("describe", "What is known about one thing", describeHelp), s.describe)
	add(server, tool("query", "Run a SPARQL query", queryHelp), s.query)
	add(server, tool("next", "The next rows of an answer", nextHelp), s.next)
	sdk.AddTool(server, tool("explain", "How a query would be answered", explainHelp), s.explain)
	s.addPrompts(server)
	return server
}

// tool describes a tool that reads, and reads this store only.
func tool(name, title, help string) *sdk.Tool {
	closed := false
	return &sdk.Tool{Name: name, Description: help,
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}}
}

// add offers a tool whose answer is structured, and the same as text.
func add[In, Out any](server *sdk.Server, t *sdk.Tool, answer func(context.Context, In) (*Out, error)) {
	sdk.AddTool(server, t, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, *Out, error) {
		out, err := answer(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		var text strings.Builder
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false) // every IRI has angle brackets
		if err := encoder.Encode(out); err != nil {
			return nil, nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.TrimSpace(text.String())}}}, out, nil
	})
}

// guard makes a panic an error of the request.
func (t *Tools) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				t.options.Log.Error("a tool panicked", "method", method, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				result, err = nil, errors.New("internal error")
			}
		}()
		return next(ctx, method, r)
	}
}
