package calls

import (
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// limits are the settings that queries and updates share.
type limits struct {
	Semantics string `json:"semantics"`
	Device    string `json:"device"`
	// Timeout is in seconds, MaxMemory in bytes; 0 is none, and the store's.
	Timeout   float64 `json:"timeout"`
	MaxMemory int64   `json:"maxMemory"`
	Base      string  `json:"base"`
}

// queryRequest asks a query of a store.
type queryRequest struct {
	storeNumber
	limits
	Text          string   `json:"text"`
	MaxRows       uint64   `json:"maxRows"`
	DefaultGraphs []string `json:"defaultGraphs"`
	NamedGraphs   []string `json:"namedGraphs"`
	// Format is the syntax to answer in, as pieces of a document; "" is batches of rows.
	Format string `json:"format"`
	// Analyze has explain run the query.
	Analyze bool `json:"analyze"`
}

// head is what is told of an answer before its rows.
type head struct {
	// Kind is "solutions", "boolean" or "triples".
	Kind      string   `json:"kind"`
	Variables []string `json:"variables"`
	// Unknown are predicates of the query that the data do not have, as sentences.
	Unknown []string `json:"unknown,omitempty"`
}

// answered is how a query ended.
type answered struct {
	Rows uint64 `json:"rows"`
	// Boolean is the answer of ASK.
	Boolean *bool `json:"boolean,omitempty"`
	// Seconds is the time from the call to the last row, the reader's own included.
	Seconds float64 `json:"seconds"`
}

var kindNames = map[rdfgpu.Kind]string{rdfgpu.Solutions: "solutions", rdfgpu.Boolean: "boolean", rdfgpu.Triples: "triples"}

func (r queryRequest) options() (o rdfgpu.QueryOptions, err error) {
	if o.Semantics, err = rdfgpu.ParseSemantics(r.Semantics); err != nil {
		return o, err
	}
	if o.Device, err = deviceNamed(r.Device); err != nil {
		return o, err
	}
	o.Timeout, o.MaxMemory, o.Base = seconds(r.Timeout), r.MaxMemory, r.Base
	o.MaxRows, o.DefaultGraphs, o.NamedGraphs, o.Analyze = r.MaxRows, r.DefaultGraphs, r.NamedGraphs, r.Analyze
	return o, nil
}

func (c *Call) query(r queryRequest) (any, error) {
	return c.use(r.Store, func(s *rdfgpu.Store) (any, error) {
		options, err := r.options()
		if err != nil {
			return nil, err
		}
		result, err := s.Query(c.ctx, r.Text, options)
		if err != nil {
			return nil, c.cause(err)
		}
		defer result.Close()
		done, err := c.send(result, r.Format)
		return done, c.cause(err)
	})
}

// send tells an answer.
func (c *Call) send(result *rdfgpu.Result, format string) (a answered, err error) {
	began := time.Now()
	h := head{Kind: kindNames[result.Kind()], Variables: result.Variables()}
	for _, u := range result.Unknown() {
		h.Unknown = append(h.Unknown, u.String())
	}
	if err := c.tellJSON(h); err != nil {
		return a, err
	}
	switch {
	case format != "":
		a.Rows, err = result.Write(pieces{c}, rdfgpu.Format(format))
	case result.Kind() == rdfgpu.Boolean:
		var answer bool
		answer, err = result.Boolean()
		a.Rows, a.Boolean = 1, &answer
	default:
		a.Rows, err = c.sendRows(result)
	}
	a.Seconds = time.Since(began).Seconds()
	return a, err
}

// sendRows tells batches of rows.
func (c *Call) sendRows(result *rdfgpu.Result) (rows uint64, err error) {
	for batch, err := range result.Records(c.engine.memory) {
		if err != nil {
			return rows, err
		}
		batch.Retain()
		rows += uint64(batch.NumRows())
		if err := c.tell(Event{Kind: Rows, Records: batch}); err != nil {
			batch.Release()
			return rows, err
		}
	}
	return rows, nil
}

// explained is a plan as text, and as data.
type explained struct {
	Text string              `json:"text"`
	Plan *rdfgpu.Explanation `json:"plan"`
}

func (c *Call) explain(r queryRequest) (any, error) {
	return c.use(r.Store, func(s *rdfgpu.Store) (any, error) {
		options, err := r.options()
		if err != nil {
			return nil, err
		}
		e, err := s.Explain(c.ctx, r.Text, options)
		if err != nil {
			return nil, c.cause(err)
		}
		var text strings.Builder
		err = e.WriteText(&text)
		return explained{text.String(), e}, err
	})
}

// updateRequest asks for an update, in SPARQL or as an RDF Patch.
type updateRequest struct {
	storeNumber
	limits
	Text             string   `json:"text"`
	UsingGraphs      []string `json:"usingGraphs"`
	UsingNamedGraphs []string `json:"usingNamedGraphs"`
	DryRun           bool     `json:"dryRun"`
}

func (r updateRequest) options() (o rdfgpu.UpdateOptions, err error) {
	if o.Semantics, err = rdfgpu.ParseSemantics(r.Semantics); err != nil {
		return o, err
	}
	if o.Device, err = deviceNamed(r.Device); err != nil {
		return o, err
	}
	o.Timeout, o.MaxMemory, o.Base = seconds(r.Timeout), r.MaxMemory, r.Base
	o.UsingGraphs, o.UsingNamedGraphs, o.DryRun = r.UsingGraphs, r.UsingNamedGraphs, r.DryRun
	return o, nil
}

func (c *Call) update(r updateRequest) (any, error) {
	return c.change(r, func(s *rdfgpu.Store, o rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error) {
		return s.Update(c.ctx, r.Text, o)
	})
}

func (c *Call) patch(r updateRequest) (any, error) {
	return c.change(r, func(s *rdfgpu.Store, o rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error) {
		return s.Patch(c.ctx, strings.NewReader(r.Text), o)
	})
}

func (c *Call) change(r updateRequest, do func(*rdfgpu.Store, rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error)) (any, error) {
	return c.use(r.Store, func(s *rdfgpu.Store) (any, error) {
		options, err := r.options()
		if err != nil {
			return nil, err
		}
		report, err := do(s, options)
		return report, c.cause(err)
	})
}

// described is what a store is.
type described struct {
	rdfgpu.Info
	Sequence uint64 `json:"sequence"`
}

func (c *Call) info(r storeNumber) (any, error) {
	return c.use(r.Store, func(s *rdfgpu.Store) (any, error) {
		info, err := s.Info()
		return described{info, s.Sequence()}, err
	})
}

// schemaRequest asks for the classes, predicates and links, at most Limit of each; 0 is all.
type schemaRequest struct {
	storeNumber
	Limit int `json:"limit"`
}

func (c *Call) schema(r schemaRequest) (any, error) {
	return c.use(r.Store, func(s *rdfgpu.Store) (any, error) { return s.Schema(r.Limit) })
}

// seconds as they cross the border.
func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
