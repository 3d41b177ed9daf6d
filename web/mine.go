package web

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

// mineParameters are those of a request to mine; a flag says true or false, and by itself true.
var mineParameters = []string{
	"what", "edges", "graph", "classes", "no-classes", "undirected", "size", "maximal", "induced", "support", "measure", "sample", "bins", "bounds", "sparql", "list", "timeout", "device", "format",
}

// mineOffers are what mined things are sent as; events, as long as it takes, tell how far the search is, and then the report.
var mineOffers = []offer{
	{mediaType: mediaJSON, contentType: mediaJSON}, {mediaType: mediaCSV, contentType: mediaCSV + "; charset=utf-8"},
	{mediaType: mediaTSV, contentType: mediaTSV + "; charset=utf-8"}, {mediaType: mediaEvents, contentType: mediaEvents},
}

// Media types of what is mined.
const (
	mediaJSON   = "application/json"
	mediaCSV    = "text/csv"
	mediaTSV    = "text/tab-separated-values"
	mediaEvents = "text/event-stream"
)

// tellEvery is how long it is at least from one event about a search to the next.
const tellEvery = 250 * time.Millisecond

// serveMine looks for structures in the graph.
func (s *Server) serveMine(w http.ResponseWriter, r *http.Request) {
	began := arrival(r)
	hold := &hold{budget: s.options.Budget}
	defer hold.release()
	m := &mining{}
	values, problem := s.mineValues(w, r, began, hold)
	if problem == nil {
		problem = m.read(s, values, r)
	}
	if problem != nil {
		s.metrics.finished("refused", 0)
		s.fail(w, r, "", problem)
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	ctx, done := limited(ctx, began, m.timeout)
	defer done()
	request := &request{text: "mine " + values.Encode()}
	q := s.queries.named(request.text, r.RemoteAddr, began)
	s.queries.add(q, cancel)
	m.exchange = &exchange{server: s, w: w, r: r, request: request, query: q, ctx: ctx, offer: m.offer}
	defer m.end()
	setField(w, headerQueryID, q.ID)
	if m.turn, problem = s.admit.enter(ctx, s.client(r), cancel); problem != nil {
		m.fail(problem)
		return
	}
	q.start(m.turn)
	engine, leave := s.use()
	defer leave()
	switch {
	case m.offer.mediaType == mediaEvents:
		m.stream(engine)
	case m.list:
		m.rowsOf(engine)
	default:
		m.report(engine)
	}
}

// mineValues are the parameters of a request.
func (s *Server) mineValues(w http.ResponseWriter, r *http.Request, began time.Time, hold *hold) (values url.Values, problem *Problem) {
	if values, problem = parseForm(r.URL.RawQuery); problem != nil {
		return nil, problem
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		if media, _, _ := mediaType(r.Header.Get("Content-Type")); media != mediaForm {
			return nil, unsupportedMedia("what is to be mined comes in the address, or as a form", []string{mediaForm})
		}
		content, problem := s.readContent(w, r, began, hold)
		if problem == nil {
			values, problem = content.with(values)
		}
		if problem != nil {
			return nil, problem
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST, OPTIONS")
		return nil, &Problem{Status: http.StatusMethodNotAllowed, Title: "method not allowed", Hint: "ask by GET or POST"}
	}
	for name := range values {
		if !slices.Contains(mineParameters, name) {
			return nil, &Problem{Status: http.StatusBadRequest, Title: "bad request", Detail: fmt.Sprintf("there is no parameter %q", cutQuery(name, 80)), Expected: mineParameters}
		}
	}
	return values, nil
}

// mining is one search for structures, from request to response.
type mining struct {
	*exchange
	options rdfgpu.MineOptions
	list    bool
	timeout time.Duration
	offer   offer
}

// read checks the parameters.
func (m *mining) read(s *Server, values url.Values, r *http.Request) *Problem {
	var problem *Problem
	bad := func(name, expected string) {
		if problem == nil {
			problem = badRequest(fmt.Sprintf("parameter %q: %q: expected %s", name, cutQuery(values.Get(name), 80), expected))
		}
	}
	flag := func(name string) bool {
		value := values.Get(name)
		if !values.Has(name) {
			return false
		}
		yes, err := strconv.ParseBool(value)
		if err != nil && value != "" {
			bad(name, "true or false")
		}
		return yes || value == ""
	}
	number := func(name string) (n uint64) {
		if text := values.Get(name); text != "" {
			var err error
			if n, err = strconv.ParseUint(text, 10, 31); err != nil {
				bad(name, "a number")
			}
		}
		return n
	}
	m.options = rdfgpu.MineOptions{
		MiningOptions: rdfgpu.MiningOptions{
			Edges: values["edges"], Graph: values.Get("graph"), Classes: values["classes"], Unlabelled: flag("no-classes"), Undirected: flag("undirected"),
			Bins: int(number("bins")),
		},
		What: rdfgpu.Structure(values.Get("what")), Size: int(number("size")), Maximal: flag("maximal"), Induced: flag("induced"), Queries: flag("sparql"),
		Frequent: mine.FrequentOptions{Support: number("support"), Measure: mine.Measure(values.Get("measure")), Sample: int(number("sample"))},
		Memory:   s.options.MaxMemory, Device: rdfgpu.Device(values.Get("device")),
	}
	m.timeout, m.list = s.options.Timeout, flag("list")
	if text := values.Get("timeout"); text != "" && shorten(&m.timeout, text) != nil {
		bad("timeout", "a duration such as 30s")
	}
	if values.Has("size") && m.options.Size == 0 {
		bad("size", "a number of 1 or more")
	}
	if problem != nil {
		return problem
	}
	for _, bounds := range values["bounds"] {
		if err := m.options.SetBounds(bounds); err != nil {
			return badRequest(err.Error())
		}
	}
	if m.list {
		m.options.Each = func(rdfgpu.MinedRow) error { return nil }
	}
	if err := m.options.Check(); err != nil {
		return badRequest(err.Error())
	}
	m.offer, problem = mineOffer(values.Get("format"), r.Header["Accept"])
	if problem == nil && m.list && m.offer.mediaType == mediaEvents {
		return badRequest("events tell of counts: lists come as JSON, CSV or TSV")
	}
	return problem
}

// mineOffer is what the parameter names, or else the header.
func mineOffer(format string, accept []string) (offer, *Problem) {
	if format == "" {
		return negotiate(mineOffers, "", accept)
	}
	i := slices.Index([]string{"json", "csv", "tsv", "events"}, format)
	if i < 0 {
		return offer{}, badRequest(fmt.Sprintf("parameter \"format\": %q: expected json, csv, tsv or events", cutQuery(format, 80)))
	}
	return mineOffers[i], nil
}

// problem is that of a search that failed.
func (m *mining) problem(err error) *Problem {
	if errors.Is(err, rdfgpu.ErrNoGraph) {
		return &Problem{Status: http.StatusNotFound, Title: "not found", Detail: err.Error(), outcome: "refused"}
	}
	return problemOf(m.ctx, err)
}

// report sends what was counted.
func (m *mining) report(engine Engine) {
	report, err := engine.Mine(m.ctx, m.options)
	if err != nil {
		m.fail(m.problem(err))
		return
	}
	m.exchange.turn.leave()
	if m.claim() {
		setField(m.w, headerSequence, strconv.FormatUint(report.Sequence, 10))
		if m.offer.mediaType == mediaJSON {
			m.server.writeJSON(m.w, m.r, report)
		} else {
			m.writeTable(report)
		}
	}
	m.log(nil)
}

// writeTable sends a report as CSV or TSV.
func (m *mining) writeTable(report rdfgpu.MineReport) {
	var b bytes.Buffer
	table := newTable(&b, m.offer.mediaType)
	for _, row := range tableOf(report) {
		table.write(row...)
	}
	table.Flush()
	setField(m.w, "Content-Type", m.offer.contentType)
	setField(m.w, "Cache-Control", "no-cache")
	body := newResponse(m.ctx, m.w, m.r)
	body.held.Write(b.Bytes())
	body.finish()
}

// tableOf is what a report counts, with names of columns.
func tableOf(report rdfgpu.MineReport) [][]any {
	var rows [][]any
	switch {
	case report.What == rdfgpu.FrequentPatterns:
		rows = append(rows, []any{"support", "error", "edges", "pattern", "automorphisms", "sparql"})
		for _, p := range report.Patterns {
			rows = append(rows, []any{p.Support, p.Error, p.Edges, p.Pattern, p.Automorphisms, p.SPARQL})
		}
	case report.Patterns != nil:
		rows = append(rows, []any{"count", "name", "pattern", "classes", "automorphisms", "sparql"})
		for _, p := range report.Patterns {
			rows = append(rows, []any{p.Count, p.Name, p.Pattern, strings.Join(p.Classes, " "), p.Automorphisms, p.SPARQL})
		}
	case report.By != nil:
		rows = append(rows, []any{"value", "count"})
		for _, n := range report.By {
			rows = append(rows, []any{n.Value, n.Count})
		}
	default:
		rows = append(rows, []any{"what", "count"}, []any{report.What, report.Count})
	}
	return rows
}

// table writes rows as CSV or TSV.
type table struct{ *csv.Writer }

func newTable(w io.Writer, format string) table {
	t := table{csv.NewWriter(w)}
	if t.UseCRLF = format == mediaCSV; format == mediaTSV {
		t.Comma = '\t'
	}
	return t
}

func (t table) write(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = fmt.Sprint(cell)
	}
	_ = t.Write(texts) // the error stays
}

// rowsOf sends everything that is found.
func (m *mining) rowsOf(engine Engine) {
	if !m.begin() {
		m.log(m.told)
		return
	}
	out := &minedRows{to: m.body, options: &m.options, format: m.offer.mediaType}
	m.options.Each = func(row rdfgpu.MinedRow) error {
		m.rows++
		return out.add(row)
	}
	out.open()
	_, err := engine.Mine(m.ctx, m.options)
	if err == nil {
		err = out.close()
	}
	m.exchange.turn.leave()
	if err != nil {
		err = problemError{m.problem(err)}
	}
	m.conclude(err)
}

// minedRows writes rows in blocks.
type minedRows struct {
	to      io.Writer
	options *rdfgpu.MineOptions
	format  string
	block   bytes.Buffer
	table   table
	rows    int
}

// rowBlock is how many bytes of rows are sent at once.
const rowBlock = 16 << 10

func (o *minedRows) open() {
	columns := o.options.Columns()
	if o.options.Maximal {
		columns = []string{"vertices"}
	}
	if o.format == mediaJSON {
		names, _ := json.Marshal(columns)
		fmt.Fprintf(&o.block, "{\"columns\":%s,\"rows\":[", names)
		return
	}
	o.table = newTable(&o.block, o.format)
	_ = o.table.Write(columns)
}

func (o *minedRows) add(row rdfgpu.MinedRow) error {
	if o.format == mediaJSON {
		o.addJSON(row)
	} else {
		cells := make([]string, 0, len(row.Vertices)+1)
		for _, term := range row.Vertices {
			cells = append(cells, plain(term, o.format))
		}
		if o.options.Numbered() {
			cells = append(cells, strconv.FormatUint(uint64(row.Number), 10))
		}
		_ = o.table.Write(cells)
	}
	if o.rows++; o.block.Len() < rowBlock {
		return nil
	}
	return o.flush()
}

func (o *minedRows) addJSON(row rdfgpu.MinedRow) {
	if o.rows > 0 {
		o.block.WriteByte(',')
	}
	cells := make([]any, 0, len(row.Vertices)+1)
	for _, term := range row.Vertices {
		cells = append(cells, term.String())
	}
	if o.options.Numbered() {
		cells = append(cells, row.Number)
	}
	encoder := json.NewEncoder(&o.block)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(cells)
}

// plain is a resource as CSV has it, or as TSV does.
func plain(term rdfgpu.Term, format string) string {
	if text := term.String(); format == mediaTSV || !strings.HasPrefix(text, "<") {
		return text
	}
	return term.Value
}

// flush sends the block.
func (o *minedRows) flush() error {
	if o.format != mediaJSON {
		o.table.Flush()
	}
	_, err := o.to.Write(o.block.Bytes())
	o.block.Reset()
	return err
}

func (o *minedRows) close() error {
	if o.format == mediaJSON {
		o.block.WriteString("]}\n")
	}
	return o.flush()
}

// stream tells how far the search is as long as it goes on, and then what was found.
func (m *mining) stream(engine Engine) {
	if !m.claim() {
		m.log(m.told)
		return
	}
	events := openEvents(m.ctx, m.w)
	defer events.close()
	var latest atomic.Pointer[rdfgpu.MineProgress]
	m.options.Progress = func(p rdfgpu.MineProgress) { latest.Store(&p) }
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		events.tell(&latest, stop)
	}()
	report, err := engine.Mine(m.ctx, m.options)
	close(stop)
	<-stopped
	m.exchange.turn.leave()
	if err != nil {
		problem := m.problem(err)
		body, _ := json.Marshal(problem)
		events.farewell("problem", body)
		m.log(problem)
		return
	}
	body, _ := json.Marshal(report)
	events.farewell("result", body)
	m.log(nil)
}

// tell sends what is new about a search from time to time.
func (e *eventStream) tell(latest *atomic.Pointer[rdfgpu.MineProgress], stop <-chan struct{}) {
	ticker := time.NewTicker(tellEvery)
	defer ticker.Stop()
	var told *rdfgpu.MineProgress
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		p := latest.Load()
		if p == told {
			continue
		}
		told = p
		body, _ := json.Marshal(p)
		e.begin("progress", "")
		_, _ = e.Write(body)
		if e.end() != nil {
			return
		}
	}
}
