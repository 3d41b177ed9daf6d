package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// Headers of ours, written as http.CanonicalHeaderKey writes them.
const (
	headerSemantics   = "X-Rdfgpu-Semantics"
	headerDevice      = "X-Rdfgpu-Device"
	headerTimeout     = "X-Rdfgpu-Timeout"
	headerExplain     = "X-Rdfgpu-Explain"
	headerSend        = "X-Rdfgpu-Send"
	headerMinSequence = "X-Rdfgpu-Min-Sequence"
	headerDryRun      = "X-Rdfgpu-Dry-Run"
	headerBase        = "X-Rdfgpu-Base"
	headerQueryID     = "X-Rdfgpu-Query-Id"
	headerRows        = "X-Rdfgpu-Rows"
	headerSequence    = "X-Rdfgpu-Sequence"
)

// headerTag is the name of an entity tag's field, as net/http keeps it.
const headerTag = "Etag"

// extra is a parameter of ours, also read as a header.
type extra struct {
	name, header string
	set          func(*request, string) error
}

// queryExtras are the parameters of queries, standingExtras those of queries that stand, subscribeExtras those of requests for
// one, updateExtras those of updates.
var (
	queryExtras = []extra{
		{"semantics", headerSemantics, (*request).setSemantics},
		{"device", headerDevice, func(q *request, v string) error { return setDevice(&q.options.Device, v) }},
		{"timeout", headerTimeout, func(q *request, v string) error { return shorten(&q.options.Timeout, v) }},
		{"min-sequence", headerMinSequence, (*request).setMinSequence},
		{"explain", headerExplain, (*request).setExplain},
		{"send", headerSend, (*request).setSend},
	}
	standingExtras = []extra{
		{"semantics", headerSemantics, (*request).setSemantics},
		{"timeout", headerTimeout, func(q *request, v string) error { return shorten(&q.options.Timeout, v) }},
		{"after", "", (*request).setAfter},
		{"snapshot", "", (*request).setSnapshot},
		{"gone", "", (*request).setGone},
	}
	subscribeExtras = append(slices.Clone(standingExtras), extra{"callback", "", (*request).setCallback}, extra{"secret", "", (*request).setSecret})
	updateExtras    = []extra{
		{"semantics", headerSemantics, func(q *request, v string) (err error) { q.update.Semantics, err = rdfgpu.ParseSemantics(v); return err }},
		{"device", headerDevice, func(q *request, v string) error { return setDevice(&q.update.Device, v) }},
		{"timeout", headerTimeout, func(q *request, v string) error { return shorten(&q.update.Timeout, v) }},
		{"dry-run", headerDryRun, (*request).setDryRun},
		{"base", headerBase, (*request).setBase},
	}
)

// set reads the parameters of ours.
func (q *request) set(r *http.Request, values url.Values, extras []extra) *Problem {
	for _, extra := range extras {
		value := values.Get(extra.name)
		if list := r.Header[extra.header]; value == "" && len(list) > 0 {
			value = list[0]
		}
		if value == "" {
			continue
		}
		if err := extra.set(q, value); err != nil {
			return badRequest(fmt.Sprintf("parameter %q: %v", extra.name, err))
		}
	}
	return nil
}

func (q *request) setSemantics(value string) (err error) {
	q.options.Semantics, err = rdfgpu.ParseSemantics(value)
	return err
}

func setDevice(device *rdfgpu.Device, value string) error {
	switch d := rdfgpu.Device(value); d {
	case rdfgpu.Auto, rdfgpu.CPU, rdfgpu.GPU:
		*device = d
		return nil
	}
	return fmt.Errorf("%q is no device: expected auto, cpu or gpu", value)
}

// shorten reads a number of seconds or a duration; it can only shorten the server's own limit.
func shorten(timeout *time.Duration, value string) error {
	limit, err := time.ParseDuration(value)
	if err != nil {
		seconds, numberErr := strconv.ParseFloat(value, 64)
		if numberErr != nil || seconds != seconds {
			return fmt.Errorf("%q is no time: expected seconds or a duration such as 500ms", value)
		}
		limit = time.Duration(min(seconds, 1e9) * float64(time.Second))
	}
	if limit <= 0 {
		return fmt.Errorf("%q is not positive", value)
	}
	*timeout = min(*timeout, limit)
	return nil
}

func (q *request) setExplain(value string) error {
	switch value {
	case "plan", "true", "1":
		q.explain = "plan"
	case "analyze":
		q.explain = "analyze"
		q.options.Analyze = true
	case "false", "0":
	default:
		return fmt.Errorf("%q: expected plan or analyze", value)
	}
	return nil
}

func (q *request) setSend(value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no number of rows", value)
	}
	q.send = n
	return nil
}

func (q *request) setMinSequence(value string) (err error) {
	if q.options.MinSequence, err = strconv.ParseUint(value, 10, 64); err != nil {
		return fmt.Errorf("%q is no sequence: expected a number, as in the header %s of an update's answer", value, headerSequence)
	}
	return nil
}

func (q *request) setDryRun(value string) (err error) {
	if q.update.DryRun, err = strconv.ParseBool(value); err != nil {
		return fmt.Errorf("%q: expected true or false", value)
	}
	return nil
}

func (q *request) setBase(value string) error {
	if !isGraphIRI(value) {
		return fmt.Errorf("%q is no absolute IRI", value)
	}
	q.update.Base = value
	return nil
}
