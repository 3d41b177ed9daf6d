package results

import (
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// formatter turns rows of IDs into one format's bytes. Each goroutine has its own.
type formatter struct {
	shape    *shape
	decoder  Decoder
	cache    *cache
	misses   int
	stripe   [][]ID
	wanted   []ID
	nt       []byte
	scratch  []byte
	template template
	// solutions are factorised rows that were taken apart.
	solutions vector.Batch
	columns   *columns
	order     []int32
	subjects  map[ID]int32
	// full takes over text that has become long in the middle of a row and returns an empty buffer.
	full func(text []byte) []byte
	// charge counts what the formatter holds, charged so far; failed is its error: nothing more is written then.
	charge  func(bytes int64) error
	charged int64
	failed  error
}

// longText is the length from which text leaves in the middle of rows.
const longText = 1 << 20

// settle counts what the formatter holds, with text of so many bytes, and says why the answer must end.
func (f *formatter) settle(text int64) error {
	held := text + int64(cap(f.nt)+cap(f.scratch)) + f.template.held() + vector.Bytes(&f.solutions)
	if f.cache != nil {
		held += f.cache.bytes()
	}
	if f.columns != nil {
		held += f.columns.held()
	}
	f.fail(f.charge(held - f.charged))
	f.charged = held
	return f.failed
}

// fail keeps the first error.
func (f *formatter) fail(err error) {
	if f.failed == nil {
		f.failed = err
	}
}

// spill hands on text that has become long.
func (f *formatter) spill(dst []byte) []byte {
	if f.settle(int64(cap(dst))) != nil {
		return dst[:0]
	}
	return f.full(dst)
}

// spillLong is spill where the text is long.
func (f *formatter) spillLong(dst []byte) []byte {
	if len(dst) > longText {
		return f.spill(dst)
	}
	return dst
}

// shape is what all formatters of one Writer share: how a row is put together from its cells.
type shape struct {
	encode encoder
	// rows appends rows of a chunk; first says that the first of them is the answer's first.
	rows func(f *formatter, dst []byte, cols [][]ID, n int, first bool) []byte
	// begin stands before each row of JSON and XML, before in front of each column's bound cells, and after behind them. Of the first bound cell of a row, and of the first row of
	// the answer, joint bytes are left out.
	begin  string
	before [][]byte
	after  string
	joint  int
	// separator stands between the cells of CSV, TSV and N-Triples, rowEnd after each row of text.
	separator byte
	rowEnd    string
	head      []byte
	foot      string
	prefixes  *prefixes
	// cells is how many make a chunk where that is not chunkCells.
	cells int
	// direct says that IRIs and blank nodes are written as N-Triples writes them, and literals of which plainText is true; verbatim that all literals are.
	direct, verbatim bool
	// failed holds the first term that the format cannot carry.
	failed atomic.Pointer[error]
}

// chunkCells is how many cells are formatted at once.
func (s *shape) chunkCells() int {
	if s.cells > 0 {
		return s.cells
	}
	return chunkCells
}

// newShape prepares the writing of solutions with these variables, or of triples.
func newShape(format Format, variables []string, options Options) *shape {
	switch format {
	case JSON:
		return jsonShape(variables, options.Links)
	case XML:
		return xmlShape(variables)
	case CSV:
		return &shape{encode: encodeCSV, rows: separatedRows, separator: ',', rowEnd: "\r\n", head: csvHead(variables)}
	case TSV:
		return &shape{encode: encodeTSV, rows: separatedRows, separator: '\t', rowEnd: "\n", head: tsvHead(variables), direct: true}
	case NTriples:
		return &shape{encode: appendNT, rows: separatedRows, separator: ' ', rowEnd: " .\n", direct: true, verbatim: true}
	case Turtle:
		p := newPrefixes(options.Prefixes)
		return &shape{encode: p.encode, rows: turtleRows, head: p.head(), prefixes: p}
	case Arrow:
		return arrowShape(variables)
	case Parquet:
		return parquetShape()
	case RDFXML:
		return &shape{rows: rdfxmlRows, head: []byte(rdfxmlHead), foot: "</rdf:RDF>\n"}
	}
	return nil
}

const jsonFoot = "\n]}}\n"

func jsonShape(variables, links []string) *shape {
	s := &shape{encode: encodeJSON, rows: jsonRows, begin: jsonBegin, joint: 1, rowEnd: "}", foot: jsonFoot}
	s.head = append(s.head, `{"head":{"vars":[`...)
	for i, v := range variables {
		if i > 0 {
			s.head = append(s.head, ',')
		}
		s.head = append(appendJSONText(append(s.head, '"'), v), '"')
		s.before = append(s.before, append(appendJSONText([]byte(`,"`), v), '"', ':'))
	}
	s.head = append(s.head, ']')
	for i, l := range links {
		s.head = append(s.head, []string{`,"link":["`, `","`}[min(i, 1)]...)
		s.head = appendJSONText(s.head, l)
	}
	if len(links) > 0 {
		s.head = append(s.head, '"', ']')
	}
	s.head = append(s.head, "},\"results\":{\"bindings\":["...)
	return s
}

// jsonBegin stands before each row, but for its comma before the first.
const jsonBegin = ",\n{"

func jsonRows(f *formatter, dst []byte, cols [][]ID, n int, first bool) []byte {
	before := f.shape.before
	for r := range n {
		if f.failed != nil {
			return dst[:0] // nobody will read it, and long names would go on being copied
		}
		if first && r == 0 {
			dst = append(dst, jsonBegin[1:]...)
		} else {
			dst = append(dst, jsonBegin...)
		}
		skip := 1
		for c, col := range cols {
			if id := col[r]; id != dictionary.None {
				dst = append(dst, before[c][skip:]...)
				dst = f.cell(dst, id)
				skip = 0
			}
		}
		dst = append(dst, '}')
	}
	return dst
}

// What stands before and behind each row.
const (
	xmlBegin = "<result>"
	xmlEnd   = "</result>\n"
)

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head>`

func xmlShape(variables []string) *shape {
	s := &shape{encode: encodeXML, rows: xmlRows, begin: xmlBegin, after: "</binding>", rowEnd: xmlEnd, foot: "</results>\n</sparql>\n"}
	s.head = append(s.head, xmlHead...)
	for _, v := range variables {
		s.head = append(appendXMLText(append(s.head, `<variable name="`...), v), `"/>`...)
		s.before = append(s.before, append(appendXMLText([]byte(`<binding name="`), v), `">`...))
	}
	s.head = append(s.head, "</head>\n<results>\n"...)
	return s
}

func xmlRows(f *formatter, dst []byte, cols [][]ID, n int, _ bool) []byte {
	for r := range n {
		if f.failed != nil {
			return dst[:0]
		}
		dst = append(dst, xmlBegin...)
		for c, col := range cols {
			if id := col[r]; id != dictionary.None {
				dst = append(dst, f.shape.before[c]...)
				dst = f.cell(dst, id)
				dst = append(dst, f.shape.after...)
			}
		}
		dst = append(dst, xmlEnd...)
	}
	return dst
}

func csvHead(variables []string) (head []byte) {
	for i, v := range variables {
		if i > 0 {
			head = append(head, ',')
		}
		head = appendCSVText(head, v)
	}
	return append(head, '\r', '\n')
}

func tsvHead(variables []string) []byte {
	length := 0
	for _, v := range variables {
		length += 2 + len(v)
	}
	head := make([]byte, 0, length+1)
	for i, v := range variables {
		if i > 0 {
			head = append(head, '\t')
		}
		head = append(append(head, '?'), v...)
	}
	return append(head, '\n')
}

// separatedRows writes CSV, TSV and N-Triples.
func separatedRows(f *formatter, dst []byte, cols [][]ID, n int, _ bool) []byte {
	separator, end := f.shape.separator, f.shape.rowEnd
	for r := range n {
		for c, col := range cols {
			if c > 0 {
				dst = append(dst, separator)
			}
			if id := col[r]; id != dictionary.None {
				dst = f.cell(dst, id)
			}
		}
		dst = append(dst, end...)
	}
	return dst
}

// cell appends one bound term, from the cache where it is there, and hands text on that has become long, also where it is the columns' names that are.
func (f *formatter) cell(dst []byte, id ID) []byte {
	if f.cache != nil {
		if e := f.cache.entry(id); e.id == id && e.epoch == f.cache.epoch {
			if dst = append(dst, f.cache.arena[e.start:e.start+e.size]...); len(dst) > longText {
				return f.spill(dst)
			}
			return dst
		}
	}
	return f.spillLong(f.decode(dst, id))
}

// text is cell for text that does not leave. (Called by cell, it would cost each cell a tenth.)
func (f *formatter) text(dst []byte, id ID) []byte {
	if f.cache != nil {
		if e := f.cache.entry(id); e.id == id && e.epoch == f.cache.epoch {
			return append(dst, f.cache.arena[e.start:e.start+e.size]...)
		}
	}
	return f.decode(dst, id)
}

// decode appends one bound term by asking the dictionary.
func (f *formatter) decode(dst []byte, id ID) []byte {
	if f.failed != nil {
		return dst[:0] // nobody will read it, and names go on being put in front of what is left of the row
	}
	f.misses++
	start := len(dst)
	if f.shape.direct {
		dst = f.append(dst, id)
		if !f.shape.verbatim && len(dst) > start && dst[start] == '"' && !plainText(dst[start:]) {
			f.nt = append(f.nt[:0], dst[start:]...)
			dst = f.encode(dst[:start])
		}
	} else {
		f.nt = f.append(f.nt[:0], id)
		dst = f.encode(dst)
	}
	if f.cache != nil {
		f.cache.keep(id, dst[start:])
	} else if f.misses > cacheMinCells {
		f.cache = newCache()
	}
	return dst
}

// append asks the dictionary for a term, which is often one of other small answers too.
func (f *formatter) append(dst []byte, id ID) []byte {
	if f.cache == nil {
		if hot, ok := f.decoder.(Hot); ok {
			return hot.AppendHot(dst, id)
		}
	}
	return f.decoder.AppendNTriples(dst, id)
}

// encode appends the term in nt in the format's syntax.
func (f *formatter) encode(dst []byte) []byte {
	var c cell
	c, f.scratch = parse(f.nt, f.scratch)
	return f.shape.encode(dst, c)
}

// Rows are formatted a stripe at a time. When most cells of a stripe were not in the cache, the next one is announced
// to the dictionary first, so that its reads overlap.
const (
	stripeRows = 256
	warmFrom   = 64
)

// Repeater is a Decoder of which some literals may have several IDs.
type Repeater interface {
	// Repeats reports whether there may be another ID of the same literal.
	Repeats(id ID) bool
}

// Warmer is a Decoder that can be told which terms it is about to be asked for.
type Warmer interface {
	Warm(ids []ID)
}

// Hot is a Decoder that keeps terms decoded which come in answer after answer.
type Hot interface {
	// AppendHot is AppendNTriples for the terms of a small answer.
	AppendHot(dst []byte, id ID) []byte
}

// rows appends the rows of a chunk.
func (f *formatter) rows(dst []byte, cols [][]ID, n int, first bool) []byte {
	warmer, ok := f.decoder.(Warmer)
	if !ok || n <= stripeRows || f.shape.prefixes != nil || f.shape.separator == 0 && f.shape.before == nil {
		return f.shape.rows(f, dst, cols, n, first)
	}
	f.stripe = append(f.stripe[:0], cols...)
	before := f.misses
	for from := 0; from < n; from += stripeRows {
		to := min(from+stripeRows, n)
		for c, col := range cols {
			f.stripe[c] = col[from:to]
		}
		if f.misses-before >= warmFrom {
			f.warm(warmer)
		}
		before = f.misses
		dst = f.shape.rows(f, dst, f.stripe, to-from, first && from == 0)
	}
	return dst
}

// warm announces the cells of the stripe that the cache does not have.
func (f *formatter) warm(warmer Warmer) {
	f.wanted = f.wanted[:0]
	for _, col := range f.stripe {
		for _, id := range col {
			if id == dictionary.None {
				continue
			}
			if f.cache != nil {
				if e := f.cache.entry(id); e.id == id && e.epoch == f.cache.epoch {
					continue
				}
			}
			f.wanted = append(f.wanted, id)
		}
	}
	if len(f.wanted) >= warmFrom {
		warmer.Warm(f.wanted)
	}
}

// release gives back what the formatter holds.
func (f *formatter) release() {
	f.cache.release()
	f.columns.release()
	f.cache, f.nt, f.scratch, f.columns, f.template, f.solutions = nil, nil, nil, nil, template{}, vector.Batch{}
	if f.charged != 0 {
		_ = f.charge(-f.charged)
		f.charged = 0
	}
}
