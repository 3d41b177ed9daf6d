package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu"
)

// Bounds of what a model is shown, and of what is read ahead for its next questions.
const (
	defaultRows = 50
	mostRows    = 500
	// pageBytes ends a page before its last row.
	pageBytes = 64 << 10
	// cellBytes is where a longer term is cut.
	cellBytes = 2000
	// keptRows and keptBytes are the most that is read of an answer; aheadTime is for how long, once there is a first page.
	keptRows  = 10_000
	keptBytes = 2 << 20
	aheadTime = time.Second
)

// page is a part of an answer.
type page struct {
	Variables []string   `json:"variables,omitempty" jsonschema:"the columns of the rows"`
	Rows      [][]string `json:"rows,omitempty" jsonschema:"terms as SPARQL writes them: <IRI>, \"literal\"@language, \"literal\"^^<datatype>; empty where unbound"`
	Boolean   *bool      `json:"boolean,omitempty" jsonschema:"the answer of ASK"`
	Next      string     `json:"next,omitempty" jsonschema:"where there are more rows: what the tool next takes to give them"`
	Note      string     `json:"note,omitempty" jsonschema:"what to know about this answer"`
}

// rest is what was read of an answer.
type rest struct {
	variables []string
	rows      [][]string
	bytes     int64
	// whole: the answer has no more rows; cut: terms were too long to be kept whole.
	whole, cut bool
	limit      int
}

// ask runs a query and returns its first page of so many rows.
func (s *session) ask(ctx context.Context, text string, options rdfgpu.QueryOptions, limit int) (*page, error) {
	answer, err := s.source.Query(ctx, text, options)
	if err != nil {
		return nil, failure(err, text)
	}
	defer answer.Close()
	if answer.Kind() == rdfgpu.Boolean {
		value, err := answer.Boolean()
		if err != nil {
			return nil, failure(err, text)
		}
		return &page{Boolean: &value}, nil
	}
	found, err := collect(answer, limit)
	if err != nil {
		return nil, failure(err, text)
	}
	answer.Close()
	if len(found.rows) == 0 {
		return &page{Variables: found.variables, Note: s.whyEmpty(ctx, text, options)}, nil
	}
	return s.shelf.first(found), nil
}

// collect reads an answer, as far as it is kept.
func collect(answer Answer, limit int) (*rest, error) {
	found, began := &rest{variables: answer.Variables(), whole: true, limit: limit}, time.Now()
	for batch, err := range answer.Batches() {
		if err != nil {
			return nil, err
		}
		for i := range batch.N {
			if len(found.rows) >= keptRows || found.bytes >= keptBytes {
				found.whole = false
				return found, answer.Err()
			}
			found.add(answer, batch, i)
		}
		if len(found.rows) >= limit && time.Since(began) > aheadTime {
			found.whole = false
			break
		}
	}
	return found, answer.Err()
}

// add keeps row i of a batch.
func (f *rest) add(answer Answer, batch *rdfgpu.Batch, i int) {
	row := make([]string, len(batch.Cols))
	for c, column := range batch.Cols {
		text := answer.Term(column[i]).String()
		if len(text) > cellBytes {
			text, f.cut = cutTerm(text), true
		}
		row[c] = text
		f.bytes += int64(len(text)) + 16
	}
	f.rows = append(f.rows, row)
	f.bytes += 24
}

// cutTerm is the beginning of a long term, and how long it is.
func cutTerm(text string) string {
	return fmt.Sprintf("%s… (cut: %d characters)", strings.ToValidUTF8(text[:cellBytes], ""), utf8.RuneCountInString(text))
}

// from is the page that begins at a row, and where the next one does.
func (f *rest) from(start int) (*page, int) {
	end, bytes := start, 0
	for end < len(f.rows) && end-start < f.limit && (bytes < pageBytes || end == start) {
		for _, cell := range f.rows[end] {
			bytes += len(cell)
		}
		end++
	}
	p := &page{Variables: f.variables, Rows: f.rows[start:end]}
	if end == len(f.rows) && !f.whole {
		p.Note = fmt.Sprintf("the answer goes on: these %d rows are what was kept of it; count with COUNT(*), narrow the query, "+
			"or read on by ORDER BY and OFFSET %d", end, end)
	}
	if f.cut {
		p.Note = strings.TrimPrefix(p.Note+"; terms that end in … are cut: SUBSTR reads on", "; ")
	}
	return p, end
}

// whyEmpty says which terms of a query without solutions the data does not have, and the like; "" where it is not that simple.
func (s *session) whyEmpty(ctx context.Context, text string, options rdfgpu.QueryOptions) string {
	options.Analyze = false
	plan, err := s.source.Explain(ctx, text, options)
	if err != nil {
		return "no solutions"
	}
	reasons := []string{"no solutions"}
	for _, g := range plan.Graphs {
		if g.Empty != "" {
			reasons = append(reasons, g.Empty)
		}
	}
	return strings.Join(reasons, "; ")
}

// lexical is the text of a literal that a row shows.
func lexical(term string) string {
	if end := strings.LastIndexByte(term, '"'); end > 0 {
		return term[1:end]
	}
	return term
}
