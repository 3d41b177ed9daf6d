package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a prompt tells of the store.
const (
	promptClasses    = 15
	promptPredicates = 30
	promptExamples   = 5
)

// addPrompts offers the prompts: a question in words, and a query that is slow.
func (s *session) addPrompts(server *sdk.Server) {
	server.AddPrompt(&sdk.Prompt{
		Name: "question", Title: "Answer a question", Description: "Answer a question in words from the graph: its outline, example queries and how to go about it.",
		Arguments: []*sdk.PromptArgument{{Name: "question", Description: "what you want to know", Required: true}},
	}, s.questionPrompt)
	server.AddPrompt(&sdk.Prompt{
		Name: "faster", Title: "Make a query faster", Description: "Find out by its plan why a query is slow, and write one that means the same.",
		Arguments: []*sdk.PromptArgument{{Name: "query", Description: "the query", Required: true}},
	}, s.fasterPrompt)
}

// argument is an argument that a prompt needs.
func argument(r *sdk.GetPromptRequest, name string) (string, error) {
	if value := strings.TrimSpace(r.Params.Arguments[name]); value != "" {
		return value, nil
	}
	return "", errors.New("the argument " + name + " is missing")
}

// said is a prompt of one message.
func said(text string) *sdk.GetPromptResult {
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
}

func (s *session) questionPrompt(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	question, err := argument(r, "question")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Answer this question from the RDF graph of this server:\n\n%s\n\n", question)
	b.WriteString(`How to go about it:
1. Find the IRIs of what the question names with the tool search; describe one of them to see which predicates it has.
2. Write a SPARQL query with those IRIs and predicates, with a LIMIT, and run it with the tool query.
3. Where it finds nothing or fails, read the note or the error, mend the query and run it again.
4. Say what the answer is, and show the query that it comes from.

`)
	if err := s.writeOutline(&b); err != nil {
		return nil, err
	}
	s.writeExamples(&b)
	return said(b.String()), nil
}

// writeOutline writes the largest classes and predicates.
func (s *session) writeOutline(b *strings.Builder) error {
	o, err := s.outline("", promptPredicates)
	if err != nil {
		return err
	}
	b.WriteString("The largest classes, with their members:\n")
	for _, c := range o.Classes[:min(promptClasses, len(o.Classes))] {
		fmt.Fprintf(b, "  <%s> %d\n", c.IRI, c.Members)
	}
	b.WriteString("The largest predicates, with their triples:\n")
	for _, p := range o.Predicates {
		fmt.Fprintf(b, "  <%s> %d\n", p.IRI, p.Triples)
	}
	return nil
}

// writeExamples writes queries that come with the store.
func (s *session) writeExamples(b *strings.Builder) {
	examples := s.source.Examples()
	for _, e := range examples[:min(promptExamples, len(examples))] {
		fmt.Fprintf(b, "\nA query that works here (%s):\n\n%s\n", e.Name, strings.TrimSpace(e.Text))
	}
}

func (s *session) fasterPrompt(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	query, err := argument(r, "query")
	if err != nil {
		return nil, err
	}
	return said(fmt.Sprintf(`This SPARQL query is slow:

%s

Use the tool explain to see its plan, and with analyze (and a timeout) what each step found. Look for steps that find far more rows than the
answer has, for patterns that share no variable, for OPTIONAL or UNION around what could stand once, and for filters that could be
constants. Write a query that means the same and takes less, run both with a LIMIT, and say what made the difference.`, query)), nil
}
