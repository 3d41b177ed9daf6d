package web

import (
	"bytes"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

// posted is told of its query by requests of the server's own.
type posted struct {
	*subscription
	hook  *hook
	bytes int64
	// err is why the receiver is told no more, where that is its own matter.
	err error
}

// tell posts a change until the receiver has taken it. How far the commits were looked at is kept, and nobody is told.
func (p *posted) tell(c *rdfgpu.Change, event, id string) error {
	p.hook.held.Store(c.Held)
	if event == eventProgress {
		return p.failing(p.hook.reach(id))
	}
	hold := &hold{budget: p.server.options.Budget}
	defer hold.release()
	body := &countedText{hold: hold}
	writeChange(body, c, event)
	if body.err != nil {
		return body.err
	}
	record := p.hook.record
	record.Pending = &webhook.Message{Number: record.Delivered + 1, Event: event, Position: id, Body: body.Bytes()}
	err := p.hook.deliver(p.ctx)
	if err == nil {
		p.bytes += int64(body.Len())
	}
	return p.failing(err)
}

// failing keeps an error that is not what ended the subscription.
func (p *posted) failing(err error) error {
	if err != nil && p.ctx.Err() == nil {
		p.err = err
	}
	return err
}

// rest does nothing: the receiver need not know.
func (p *posted) rest() error { return nil }

// conclude tells who waits for the query to stand that it does not.
func (p *posted) conclude(problem *Problem) { p.hook.stands(problem) }

// failed is why the receiver is told no more.
func (p *posted) failed() error { return p.err }

// sent is how much was taken.
func (p *posted) sent() int64 { return p.bytes }

// countedText is a text in memory that is counted as it grows. Its error stays.
type countedText struct {
	bytes.Buffer
	hold *hold
	err  error
}

// Write adds to the text.
func (t *countedText) Write(b []byte) (int, error) {
	if t.err == nil {
		t.err = t.hold.reach(int64(t.Len() + len(b)))
	}
	if t.err != nil {
		return 0, t.err
	}
	return t.Buffer.Write(b)
}
