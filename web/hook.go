package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

// hook is one webhook: a goroutine makes its query stand, posts what changes, and tries again, until the server stops or the webhook ends.
type hook struct {
	set    *webhooks
	id     string
	record *webhook.Record // the goroutine's
	kept   bool            // there is a file
	// shown is the record as others see it.
	shown atomic.Pointer[webhook.Record]
	// held is what the server holds for it.
	held atomic.Int64
	// stood receives nil once the query stands and is kept, or why it does not.
	stood chan *Problem
	done  chan struct{}

	// ctx and cancel are set, under the set's lock, when it begins to run.
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func newHook(m *webhooks, r *webhook.Record, kept bool) *hook {
	h := &hook{set: m, id: r.ID, record: r, kept: kept, stood: make(chan *Problem, 1), done: make(chan struct{})}
	h.show()
	return h
}

// show lets others see the record as it is now.
func (h *hook) show() {
	seen := *h.record
	h.shown.Store(&seen)
}

// save keeps the record as it is now.
func (h *hook) save() error {
	h.show()
	err := h.set.folder.Save(h.record)
	if err != nil {
		h.set.server.options.Log.Error("a webhook could not be kept", "webhook", h.id, "error", err)
		return err
	}
	h.kept = true
	return nil
}

// run tells the receiver until there is no more to tell.
func (h *hook) run() {
	defer close(h.done)
	defer func() {
		if v := recover(); v != nil {
			h.set.server.panicked(h.request(), v)
			h.stands(&Problem{Status: http.StatusInternalServerError, Title: "internal error"})
		}
	}()
	for !h.record.Ended {
		err := h.tellOn()
		if h.ctx.Err() != nil || errors.Is(err, webhook.ErrNotAllowed) {
			return
		}
		if !h.passes(err) {
			h.end(err)
		} else if err = h.set.sender.Pause(h.ctx, h.record, err, 0); errors.Is(err, webhook.ErrGivenUp) {
			h.end(err)
		}
	}
}

// passes reports whether what ended the telling may be over after a while.
func (h *hook) passes(err error) bool {
	var known problemError
	if errors.As(err, &known) {
		return known.problem.Status >= 500
	}
	return !errors.Is(err, webhook.ErrGone) && !errors.Is(err, webhook.ErrGivenUp)
}

// tellOn posts what is pending, then makes the query stand, and returns why that has ended.
func (h *hook) tellOn() error {
	if err := h.deliverAgain(); err != nil {
		return err
	}
	r := h.request()
	request, problem := h.query(r)
	if problem != nil {
		return problemError{problem}
	}
	x := h.set.server.subscription(r, request, time.Now())
	to := &posted{subscription: x, hook: h}
	x.to = to
	problem = x.serve()
	h.held.Store(0)
	if to.err != nil {
		return to.err
	}
	return problemError{problem}
}

// request stands for that with which the webhook was asked for.
func (h *hook) request() *http.Request {
	r := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/subscribe"}, Header: http.Header{}, RemoteAddr: h.record.Client}
	r = withToken(r.WithContext(h.ctx), h.set.server.tokenOfOwner(h.record.Owner))
	identify(r)
	return r
}

// query is what was asked for, to go on where the receiver is. Where the log does not reach back so far, it begins anew.
func (h *hook) query(r *http.Request) (*request, *Problem) {
	request, problem := h.set.server.checkQuery(r, h.record.Parameters, standingExtras)
	if problem != nil {
		return nil, problem
	}
	request.options.Base, request.stands.anew = h.record.Base, true
	if h.record.Position != "" {
		if err := request.setAfter(h.record.Position); err != nil {
			return nil, badRequest(err.Error())
		}
	}
	return request, nil
}

// deliverAgain posts what is pending from before.
func (h *hook) deliverAgain() error {
	if h.record.Pending == nil {
		return nil
	}
	hold := &hold{budget: h.set.server.options.Budget}
	defer hold.release()
	if err := hold.reach(int64(len(h.record.Pending.Body))); err != nil {
		return err
	}
	return h.deliver(h.ctx)
}

// deliver posts what is pending, which is kept before, and notes that it was taken.
func (h *hook) deliver(ctx context.Context) error {
	if err := h.save(); err != nil {
		return err
	}
	h.stands(nil)
	if err := h.set.sender.Deliver(ctx, h.record); err != nil {
		return err
	}
	return h.save()
}

// reach notes that the receiver knows all up to a position.
func (h *hook) reach(position string) error {
	if !h.kept || position != h.record.Position || h.record.Failed > 0 {
		h.record.Position = position
		h.record.Recovered()
		if err := h.save(); err != nil {
			return err
		}
	}
	h.stands(nil)
	return nil
}

// stands tells who waits for it that the query stands, or why it does not.
func (h *hook) stands(p *Problem) {
	select {
	case h.stood <- p:
	default:
	}
}

// end notes that nothing is posted any more, and why.
func (h *hook) end(why error) {
	h.record.Ended, h.record.Trouble, h.record.Pending = true, why.Error(), nil
	_ = h.save()
	h.set.server.options.Log.LogAttrs(context.Background(), slog.LevelWarn, "a webhook has ended", slog.String("webhook", h.id),
		slog.Uint64("delivered", h.record.Delivered), slog.String("problem", h.record.Trouble))
}

// state is how it does.
func (h *hook) state() string {
	switch r := h.shown.Load(); {
	case r.Ended:
		return "ended"
	case !h.set.sender.Allow(r.URL):
		return "not allowed"
	case r.Failed > 0:
		return "failing"
	}
	return "standing"
}
