package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// exchange is one query, or one reading of graphs, from request to response.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	request *request
	query   *query
	ctx     context.Context
	turn    *turn
	offer   offer
	body    *response
	rows    uint64
	timings rdfgpu.Timings
	key     string      // that its answer is to be kept by; "" where it is not
	found   *keptAnswer // the answer, where it was kept
	// dumped is set once all graphs have been written.
	dumped *rdfgpu.DumpReport

	mu sync.Mutex // guards body until it is set, what is sent without it, and answered
	// answered: somebody sends, or has sent, what the client gets without body.
	answered bool
	// told is what the client of an overdue query was told.
	told *Problem
}

// serveQuery is the endpoint: the operations of the SPARQL 1.1 Protocol, or the service description.
func (s *Server) serveQuery(w http.ResponseWriter, r *http.Request) {
	began := arrival(r)
	hold := &hold{budget: s.options.Budget}
	defer hold.release()
	x := &exchange{server: s, w: w, r: r, ctx: r.Context()}
	content, problem := s.readContent(w, r, began, hold)
	if problem == nil {
		if x.known(content, began) {
			return
		}
		if x.found == nil {
			x.request, problem = s.understand(w, r, content, queryExtras)
		}
	}
	switch {
	case problem != nil:
		s.metrics.finished("refused", 0)
		s.fail(w, r, "", problem)
	case x.request.update != nil:
		s.update(w, r, x.request, began)
	case x.request.text == "" && r.Method != http.MethodPost:
		s.serveDescription(w, r)
	default:
		x.ask(began)
	}
}

// name gives the query its id.
func (x *exchange) name(began time.Time) {
	x.query = x.server.queries.named(x.request.text, x.r.RemoteAddr, began)
	setField(x.w, headerQueryID, x.query.ID)
}

// ask answers a query, or reads graphs.
func (x *exchange) ask(began time.Time) {
	x.name(began)
	ctx, cancel := context.WithCancelCause(x.ctx)
	ctx, done := limited(ctx, began, x.request.options.Timeout)
	defer done()
	x.ctx = ctx
	x.server.queries.add(x.query, cancel)
	defer x.end()
	if err := x.await(); err != nil {
		x.fail(problemOf(ctx, err))
		return
	}
	if x.found != nil {
		x.repeat()
		return
	}
	var problem *Problem
	if x.turn, problem = x.server.admit.enter(ctx, x.server.client(x.r), cancel); problem != nil {
		x.fail(problem)
		return
	}
	x.query.start(x.turn)
	switch request := x.request; {
	case request.explain != "":
		x.explain()
	case request.graph != nil && request.graph.all:
		x.dump()
	default:
		x.answer()
	}
}

// await waits, without a slot, until the commit can be read that the query wants to see.
func (x *exchange) await() error {
	if x.request.options.MinSequence == 0 {
		return nil
	}
	engine, done := x.server.use()
	defer done()
	wanted := x.request.options.MinSequence
	err := engine.WaitFor(x.ctx, wanted)
	if err == nil {
		return nil
	}
	problem := *problemOf(x.ctx, err)
	if problem.Status == http.StatusGatewayTimeout {
		problem.Detail = fmt.Sprintf("the query waited for commit %d within its time limit, and the store is at %d", wanted, engine.Sequence())
		problem.Hint = ""
	}
	return problemError{&problem}
}

// limited is ctx with the time limit of a query that arrived at a time: it counts the reading of the request and the
// waiting in the queue too.
func limited(ctx context.Context, arrived time.Time, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, arrived.Add(limit), limitPassed(limit))
}

// limitPassed is the cause of a context whose query took longer than its limit.
type limitPassed time.Duration

// Error says which limit.
func (e limitPassed) Error() string {
	return fmt.Sprintf("%v of %v", rdfgpu.ErrTimeout, time.Duration(e))
}

// Unwrap is the engine's error for it.
func (limitPassed) Unwrap() error { return rdfgpu.ErrTimeout }

// end takes the query off the list, whatever happened.
func (x *exchange) end() {
	x.claim()
	x.turn.leave()
	if x.body != nil {
		x.body.hold()
	}
	x.server.queries.remove(x.query)
	x.query.cancel(nil)
}

// answer runs the query and sends its answer.
func (x *exchange) answer() {
	options := x.request.options
	options.Overdue = x.overdue
	engine, done := x.server.use()
	defer done()
	if problem := x.missing(engine); problem != nil {
		x.fail(problem)
		return
	}
	answer, err := engine.Query(x.ctx, x.request.text, options)
	if err != nil {
		x.fail(problemOf(x.ctx, err))
		return
	}
	defer answer.Close()
	var problem *Problem
	if x.offer, problem = x.offered(answer.Kind()); problem != nil {
		x.fail(x.explained(problem))
		return
	}
	if x.same(engine, answer.Sequence(), answer.Repeatable()) {
		return
	}
	if !x.begin() {
		x.log(x.told)
		return
	}
	x.rows, err = x.recorded(engine, answer)
	x.timings = answer.Timings()
	answer.Close()
	x.turn.leave() // what is left to do is to wait for the client
	x.conclude(err)
}

// begin makes the response; false where the client was told already that the query has ended.
func (x *exchange) begin() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered {
		return false
	}
	setField(x.w, "Content-Type", x.offer.header())
	if x.offer == pageOffer {
		setField(x.w, "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	}
	x.body = newResponse(x.ctx, x.w, x.r)
	x.body.turn, x.body.stop = x.turn, x.query.cancel
	return true
}

// recorded writes the answer, and keeps it where that may be.
func (x *exchange) recorded(engine *edition, answer Answer) (rows uint64, err error) {
	switch {
	case x.offer == pageOffer:
		return x.writePage(answer)
	case x.key == "" || !answer.Repeatable():
		return x.write(answer, x.body)
	}
	state := storeState{engine.name, answer.Sequence()}
	r := x.server.answers.record(state, x.key, x.request, engine.answerTag(state.sequence, x.request, x.offer), x.offer, x.body)
	err = http.ErrAbortHandler // until the writing says otherwise, which may panic
	defer func() { r.end(rows, err) }()
	return x.write(answer, r)
}

// write writes the answer, or the part of it that was asked for.
func (x *exchange) write(answer Answer, out io.Writer) (uint64, error) {
	if x.request.send != sendAll {
		return answer.WritePart(out, x.offer.format, uint64(x.request.send))
	}
	return answer.Write(out, x.offer.format)
}

// conclude ends the response after the last row or the first error.
func (x *exchange) conclude(err error) {
	held := x.body.hold()
	switch cause := context.Cause(x.ctx); {
	case errors.Is(cause, errHeadSent):
		err = cause
	case err == nil:
		err = x.ctx.Err()
	}
	if held && !x.claim() {
		x.body.release()
		x.log(x.told)
		return
	}
	switch {
	case errors.Is(err, errHeadSent):
	case err == nil:
		trailer := http.TrailerPrefix
		if held {
			trailer = ""
		}
		setField(x.w, trailer+headerRows, strconv.FormatUint(x.rows, 10))
		if x.found == nil { // else nothing was done that could be timed
			setField(x.w, trailer+"Server-Timing", serverTiming(x.timings))
		}
		if x.dumped != nil {
			setField(x.w, trailer+headerSequence, strconv.FormatUint(x.dumped.Sequence, 10))
		}
	case held:
		x.body.release()
		x.send(problemOf(x.ctx, err))
		return
	default:
		problem := x.broken(err)
		x.log(problem)
		x.body.abort(comment(x.offer.format, problem))
	}
	if err := x.body.finish(); err != nil && !errors.Is(err, errHeadSent) {
		x.log(x.broken(err))
		panic(http.ErrAbortHandler)
	}
	x.log(nil)
}

// broken is why an answer ends in the middle: the query's own end before what the connection made of it.
func (x *exchange) broken(err error) *Problem {
	switch cause := context.Cause(x.ctx); {
	case cause != nil && cause != context.Canceled:
		return problemOf(x.ctx, cause)
	case errors.Is(x.body.err, os.ErrDeadlineExceeded):
		return &Problem{Title: "client stalled", Detail: "the client took nothing for too long", outcome: "stalled"}
	case x.r.Context().Err() != nil || x.body.err != nil:
		return &Problem{Title: "client gone", Detail: err.Error(), outcome: "gone"}
	}
	return problemOf(x.ctx, err)
}

// comment is a problem as a comment of the format; "" where it has none.
func comment(format results.Format, p *Problem) string {
	text := strings.NewReplacer("\n", " ", "\r", " ", "--", "- -").Replace(p.Title + ": " + p.Detail)
	switch format {
	case results.XML, results.RDFXML:
		return "<!-- error: " + text + " -->\n"
	case results.Turtle, results.NTriples:
		return "# error: " + text + "\n"
	}
	return ""
}

// explain sends the plan as JSON.
func (x *exchange) explain() {
	engine, done := x.server.use()
	defer done()
	options := x.request.options
	options.Overdue = x.overdue
	plan, err := engine.Explain(x.ctx, x.request.text, options)
	if err != nil {
		x.fail(problemOf(x.ctx, err))
		return
	}
	x.turn.leave()
	if x.claim() {
		x.server.writeJSON(x.w, x.r, plan)
	}
	x.log(nil)
}

// fail sends a problem where nothing has been sent yet, unless the client was told already that the query has ended.
func (x *exchange) fail(p *Problem) {
	if !x.claim() {
		x.log(p)
		return
	}
	x.send(p)
}

// send sends a problem; the caller has claimed the answer.
func (x *exchange) send(p *Problem) {
	if x.r.Context().Err() != nil {
		p.abandon()
	}
	x.log(p)
	x.server.fail(x.w, x.r, x.query.ID, p)
}

// log counts the query and writes it to the log where it is worth a line.
func (x *exchange) log(p *Problem) {
	outcome := "ok"
	if p != nil {
		if outcome = p.outcome; outcome == "" {
			outcome = "refused"
		}
	}
	elapsed := time.Since(x.query.Started)
	x.server.metrics.finished(outcome, elapsed)
	x.server.metrics.phases(x.timings)
	var bytes int64
	if x.body != nil {
		bytes = x.body.sent
	}
	x.server.metrics.rows.Add(float64(x.rows))
	x.server.metrics.bytes.Add(float64(bytes))
	x.server.logQuery(x, outcome, elapsed, bytes, p)
	x.server.tracer.query(x, outcome, bytes, p)
}

// serverTiming is the Server-Timing header: what each phase took, in milliseconds.
func serverTiming(t rdfgpu.Timings) string {
	var room [160]byte
	b := room[:0]
	for _, phase := range phasesOf(t) {
		if phase.spent != 0 {
			b = append(appendTiming(b, phase), ',', ' ')
		}
	}
	return string(appendTiming(b, phase{"total", t.Total}))
}

func appendTiming(b []byte, p phase) []byte {
	b = append(append(b, p.name...), ";dur="...)
	return strconv.AppendFloat(b, float64(p.spent.Nanoseconds())/1e6, 'f', 3, 64)
}
