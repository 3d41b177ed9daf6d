package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Kinds of violations.
const (
	tooLate  = "time"      // beyond the limit and its grace
	endless  = "endless"   // the client gave up long after the limit, and the server was replaced
	badCode  = "status"    // a status that says the fault is ours, or none that is documented
	noAnswer = "no answer" // the connection ended instead
	wrong    = "wrong"     // another answer than is known
	died     = "died"      // the server ended by itself
	memory   = "memory"    // above the budget
	killed   = "killed"    // the watchdog had to end the server
	stayed   = "stayed"    // a query ran on after its client had left
	asking   = "ask"       // the other client waited too long
	logged   = "log"       // the server's log tells of a defect
	files    = "files"     // temporary files are left
	leaked   = "leaked"    // goroutines or descriptors are left
	trending = "trend"     // memory grows
	stopping = "stopping"  // the server did not stop
)

// violation is a limit that did not hold.
type violation struct {
	Kind, Store, Shape string  `json:",omitempty"`
	Index              int     // of the query; -1 where there is none
	Status             int     `json:",omitempty"`
	Milliseconds       float64 `json:",omitempty"`
	Megabytes          int64   `json:",omitempty"`
	Detail             string  `json:",omitempty"`
	// File holds the query, in the folder of what is kept.
	File string `json:",omitempty"`
	// Alone is what the query did when it was asked again, alone: the kinds of violations, or "held".
	Alone string `json:",omitempty"`
	// Minimized is the query made smaller; it still violates.
	Minimized string `json:",omitempty"`

	task *task
}

// statuses are the documented ones that a query may end with, besides 200: refused for a reason, or ended at a limit.
var statuses = []int{
	http.StatusBadRequest, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong,
	http.StatusRequestHeaderFieldsTooLarge, http.StatusUnprocessableEntity, http.StatusNotImplemented, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	http.StatusInsufficientStorage,
}

// limitOf is how long a query may take.
func (s *settings) limitOf(q *task) time.Duration {
	if q.query.Limit > 0 {
		return min(s.Timeout, q.query.Limit)
	}
	return s.Timeout
}

// judge says what is wrong with an answer: "" if nothing is.
func (s *settings) judge(q *task, a answer, waits bool) (kind, detail string) {
	limit := s.limitOf(q)
	switch {
	case a.Cut || a.Left:
		return "", ""
	case a.Endless:
		return endless, a.Err
	case a.Err != "" && !a.Broken:
		return noAnswer, a.Err
	case a.Status != 200 && !slices.Contains(statuses, a.Status):
		return badCode, fmt.Sprintf("%d %s", a.Status, firstLine(a.problem))
	case !waits && a.Elapsed > limit+s.Grace+q.query.Stall:
		return tooLate, fmt.Sprintf("status %d", a.Status)
	}
	return "", ""
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// add keeps a violation and its query.
func (t *trial) add(v violation, tasks ...*task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v.Store, v.Index = t.server.name, -1
	if len(tasks) == 0 {
		t.report.Violations = append(t.report.Violations, &v)
	}
	for _, q := range tasks {
		one := v
		one.task, one.Index, one.Shape = q, q.Index, q.query.Shape
		one.File = t.keep(&one)
		t.report.Violations = append(t.report.Violations, &one)
	}
}

// maxKept bounds the queries that are written to files for each kind of violation.
const maxKept = 200

// keep writes a query to a file.
func (t *trial) keep(v *violation) string {
	if t.kept[v.Kind]++; t.kept[v.Kind] > maxKept {
		return ""
	}
	name := fmt.Sprintf("%s-%s-%06d.rq", v.Store, strings.ReplaceAll(v.Kind, " ", "-"), v.Index)
	head := fmt.Sprintf("# %s: %s\n# %s, seed %d, query %d: %s\n", v.Kind, strings.ReplaceAll(v.Detail, "\n", " "), v.Store, t.settings.Seed, v.Index, sentAs(v.task))
	if os.WriteFile(filepath.Join(t.settings.Keep, name), []byte(head+v.task.Text+"\n"), 0o644) != nil {
		return ""
	}
	return name
}

// sentAs says in words how a query was sent.
func sentAs(q *task) string {
	r := q.query.Request
	text := fmt.Sprintf("%s, Accept %s", r.Method, r.Header.Get("Accept"))
	for name, list := range r.Parameters {
		text += fmt.Sprintf(", %s=%s", name, list)
	}
	if r.Leave > 0 {
		text += ", left after " + r.Leave.String()
	}
	if r.Stall > 0 {
		text += ", not reading for " + r.Stall.String()
	}
	return q.query.Shape + "; " + text
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
