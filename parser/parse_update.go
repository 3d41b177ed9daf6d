package parser

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// ParseUpdate translates a SPARQL 1.1 Update request. Its error is an *Error, the cause of ctx's end, which is looked for
// all along, or what options.Charge returned.
//
// Time and memory grow linearly with the text: INSERT DATA and DELETE DATA, which may be long, are read triple by triple
// (doc.go says more).
func ParseUpdate(ctx context.Context, text string, options Options) (*Update, error) {
	options = options.withDefaults()
	plain, shifts, err := prepare(text, "update", min(options.MaxUpdate, math.MaxInt32))
	if err != nil {
		return nil, err
	}
	s := &scanner{text: plain, name: "update", maxDepth: options.MaxDepth}
	r := &updateReader{
		translator: newTranslator(options), ctx: ctx, options: options, known: newPlaceCache(len(plain)),
		lines: locator{text: text, shifts: shifts, at: Position{1, 1}}, taken: map[string]bool{},
	}
	if shifts != nil { // then plain is another text, too
		r.used = int64(len(plain)) + int64(len(shifts))*shiftBytes
	}
	r.in = &stream{scanner: s, check: r.check}
	if err = r.read(); r.in.err != nil {
		err = r.in.err // the grammar took it for the end of the text
	}
	if err == nil {
		err = r.check()
	}
	var stop *stopped
	switch {
	case errors.As(err, &stop):
		return nil, stop.cause
	case err != nil:
		return nil, explain(text, shifts, diagnose(err, s))
	}
	return &r.update, nil
}

// stopped is an error that says nothing about the text.
type stopped struct{ cause error }

func (s *stopped) Error() string { return s.cause.Error() }

// updateReader reads the operations of an update one after the other: each is translated before the next is read, so
// that the syntax of one alone is held.
type updateReader struct {
	*translator
	ctx     context.Context
	options Options
	in      *stream
	lines   locator
	update  Update
	// used is about the bytes that the update takes so far, charged what options.Charge knows of them.
	used, charged int64
	// known and taken are for the readers of data; inserted is the last INSERT DATA.
	known    *placeCache
	taken    map[string]bool
	inserted *InsertData
}

// What is counted as used: by quads and terms of data and by tokens of other operations, while an operation is parsed
// and then. Measured on texts of one kind each, the worst of which count for tokens.
const (
	quadParsed, quadKept   = 36, 20
	placeParsed, placeKept = 140, 90
	tokenParsed, tokenKept = 470, 110
	operationKept          = 150
	shiftBytes             = 32 // with its share of a growing slice
)

// check asks whether to go on.
func (r *updateReader) check() error {
	if r.ctx.Err() != nil {
		return &stopped{context.Cause(r.ctx)}
	}
	more := r.used - r.charged
	if r.options.Charge == nil || more == 0 {
		return nil
	}
	r.charged = r.used
	if err := r.options.Charge(more); err != nil {
		return &stopped{err}
	}
	return nil
}

// read reads Update (rule 29).
func (r *updateReader) read() error {
	for {
		for beginsDeclaration(r.in.Peek()) {
			var d declaration
			if err := d.read(r.in); err != nil {
				return err
			}
			if err := r.prologue([]declaration{d}); err != nil {
				return err
			}
		}
		t := r.in.Peek()
		if t.EOF() {
			return nil
		}
		operation, err := r.operation(*t)
		if err != nil {
			return err
		}
		r.update.Operations = append(r.update.Operations, operation)
		r.used += operationKept
		if !accept(r.in, ";") && !r.in.Peek().EOF() {
			return unexpected(r.in.Peek(), `";"`, "the end of the update")
		}
	}
}

// operation reads the operation that begins with t.
func (r *updateReader) operation(t lexer.Token) (Operation, error) {
	if t.Type != tokenKeyword || !updateWords[t.Value] {
		f := unexpected(&t, "INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "PREFIX", "BASE")
		if queryForms[t.Value] {
			f.hint = "a query is sent apart from updates"
		}
		return nil, f
	}
	at := r.lines.locate(t.Pos.Offset)
	r.in.Next()
	if t.Value == "INSERT" || t.Value == "DELETE" {
		if accept(r.in, "DATA") {
			return r.dataOperation(t.Value, at)
		}
		if !next(r.in, "{") && !(t.Value == "DELETE" && next(r.in, "WHERE")) {
			return nil, unexpected(r.in.Peek(), append(behindVerb[t.Value], `"DATA"`, `"{"`)...)
		}
	}
	part := &segment{in: r.in, first: t, limit: r.options.MaxLength, used: &r.used}
	all, err := lexer.Upgrade(part)
	if err != nil {
		return nil, err
	}
	syntax, err := updateGrammar().ParseFromLexer(all)
	if err != nil {
		return nil, err
	}
	r.used -= int64(part.count) * (tokenParsed - tokenKept)
	return r.translate(syntax, at)
}

// behindVerb is what may stand behind INSERT and DELETE besides DATA and templates.
var behindVerb = map[string][]string{"DELETE": {`"WHERE"`}}

var queryForms = map[string]bool{"SELECT": true, "ASK": true, "CONSTRUCT": true, "DESCRIBE": true}

// dataOperation reads INSERT DATA or DELETE DATA behind these words.
func (r *updateReader) dataOperation(verb string, at Position) (Operation, error) {
	if verb == "DELETE" {
		data, err := r.data(deleteData)
		return &DeleteData{at, data}, err
	}
	if r.inserted != nil { // what labels it has is asked when there is another
		r.inserted.Data.take(r.taken)
	}
	data, err := r.data(insertData)
	r.inserted = &InsertData{at, data}
	return r.inserted, err
}

// data reads QuadData.
func (r *updateReader) data(name string) (Data, error) {
	r.known.era++
	d := &dataReader{updateReader: r, Data: Data{Terms: make([]rdf.Term, 1)}, name: name, blanks: name == insertData}
	err := readQuads(r.in, d)
	r.used -= int64(len(d.Quads))*(quadParsed-quadKept) + int64(len(d.Terms))*(placeParsed-placeKept)
	var f *fault
	if errors.As(err, &f) { // of a grammar that it shares with patterns
		f.expected = slices.DeleteFunc(f.expected, func(what string) bool {
			return what == "a variable" || what == "a blank node" && !d.blanks
		})
	}
	return d.Data, err
}
