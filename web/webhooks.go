package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

// errRemoved: a client wants a webhook no more.
var errRemoved = errors.New("the webhook was removed")

// webhooks are the queries that stand for addresses which are told by requests of the server's own. They outlive the server, in files.
type webhooks struct {
	server *Server
	folder *webhook.Folder
	sender *webhook.Sender
	// taken and failed count attempts.
	taken, failed prometheus.Counter

	mu   sync.Mutex
	byID map[string]*hook
	// ctx is that of all; nil unless the server runs.
	ctx     context.Context
	running sync.WaitGroup
}

// Pauses between attempts to reach a receiver, and the longest that one attempt may take.
const (
	leastHookPause = time.Second
	mostHookPause  = 10 * time.Minute
	hookAttempt    = 30 * time.Second
)

// newWebhooks reads the webhooks that there are; nil where there may be none.
func newWebhooks(s *Server, registry prometheus.Registerer) (*webhooks, error) {
	o := &s.options
	if len(o.WebhookAllow) == 0 {
		return nil, nil
	}
	if !o.Writable || o.WebhookFolder == "" {
		return nil, errors.New("web: webhooks need a store that is open for writing, and a folder to be kept in")
	}
	folder, err := webhook.OpenFolder(o.WebhookFolder)
	if err != nil {
		return nil, err
	}
	records, err := folder.Load()
	if err != nil {
		return nil, err
	}
	m := &webhooks{server: s, folder: folder, byID: map[string]*hook{}}
	m.sender = &webhook.Sender{Allowed: o.WebhookAllow, Least: leastHookPause, Most: mostHookPause, GiveUp: o.WebhookGiveUp, Attempt: hookAttempt,
		Tell: m.note, Client: webhook.NewClient()}
	for _, r := range records {
		m.byID[r.ID] = newHook(m, r, true)
	}
	m.measure(registry)
	return m, nil
}

// measure shows how they do.
func (m *webhooks) measure(registry prometheus.Registerer) {
	posts := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rdfgpu_webhook_posts_total", Help: "Messages that receivers of webhooks have taken, and failures to bring them one."}, []string{"outcome"})
	m.taken, m.failed = posts.WithLabelValues("taken"), posts.WithLabelValues("failed")
	registry.MustRegister(posts, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "rdfgpu_webhooks", Help: "Webhooks that are kept."}, func() float64 {
		m.mu.Lock()
		defer m.mu.Unlock()
		return float64(len(m.byID))
	}))
}

// start begins to tell all receivers; the caller ends base before it calls end.
func (m *webhooks) start(base context.Context) (end func()) {
	if m == nil {
		return func() {}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx, cancel := context.WithCancelCause(base)
	stop := context.AfterFunc(m.server.stopping, func() { cancel(errStopping) })
	m.ctx = ctx
	for _, h := range m.byID {
		m.run(h)
	}
	return func() {
		stop()
		cancel(errStopping)
		m.mu.Lock()
		m.ctx = nil
		m.mu.Unlock()
		m.running.Wait()
		m.sender.Client.CloseIdleConnections()
	}
}

// run tells one receiver; the caller holds mu.
func (m *webhooks) run(h *hook) {
	h.ctx, h.cancel = context.WithCancelCause(m.ctx)
	m.running.Go(h.run)
}

// note is told whenever a record changes. When a receiver fails first is kept in its file, so that it is given up in time over restarts too.
func (m *webhooks) note(r *webhook.Record, failure error) {
	m.mu.Lock()
	h := m.byID[r.ID]
	m.mu.Unlock()
	if failure == nil {
		m.taken.Inc()
	} else {
		m.failed.Inc()
	}
	if h == nil {
		return
	}
	h.show()
	if failure != nil && r.Failed == 1 {
		m.server.options.Log.Info("a webhook fails", "webhook", r.ID, "problem", r.Trouble)
		_ = h.save() // it is tried again anyway
	}
}

// add makes a webhook of a record, and begins to tell its receiver.
func (m *webhooks) add(r *webhook.Record) (*hook, *Problem) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx == nil || m.ctx.Err() != nil {
		return nil, problemOf(context.Background(), errStopping)
	}
	if most := max(0, m.server.options.MaxSubscriptions); len(m.byID) >= most {
		return nil, &Problem{Status: http.StatusServiceUnavailable, Title: "too many subscriptions",
			Detail: fmt.Sprintf("there are as many webhooks as may be: %d", most), Hint: "remove one: DELETE /api/subscriptions/ID"}
	}
	h := newHook(m, r, false)
	m.byID[r.ID] = h
	m.run(h)
	return h, nil
}

// remove ends a webhook and forgets it.
func (m *webhooks) remove(h *hook) error {
	m.mu.Lock()
	delete(m.byID, h.id)
	running := h.cancel != nil
	m.mu.Unlock()
	if running {
		h.cancel(errRemoved)
		<-h.done
	}
	return m.folder.Remove(h.id)
}

// find is a webhook that a request may know of: one of the same token, or any with a token that lets write, or where it showed none.
func (m *webhooks) find(r *http.Request, id string) *hook {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.byID[id]; h != nil && m.server.mayKnow(r, h.shown.Load()) {
		return h
	}
	return nil
}

// list are the webhooks that a request may know of, oldest first.
func (m *webhooks) list(r *http.Request) (list []*hook) {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.byID {
		if m.server.mayKnow(r, h.shown.Load()) {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *hook) int {
		if c := a.shown.Load().Created.Compare(b.shown.Load().Created); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	return list
}

func (s *Server) mayKnow(r *http.Request, record *webhook.Record) bool {
	token := tokenOf(r)
	return !s.options.asksTokens() || record.Owner == "" || record.Owner == s.ownerOf(token) || token > len(s.options.Tokens)
}

// ownerOf tells a token, by its number, over restarts; "" where there is none.
func (s *Server) ownerOf(token int) string {
	if token == 0 {
		return ""
	}
	digest := sha256.Sum256(append([]byte("owner of a webhook"), s.tokens[token-1][:]...))
	return hex.EncodeToString(digest[:8])
}

// tokenOfOwner is the number of the token of an owner; 0 where there is none by now.
func (s *Server) tokenOfOwner(owner string) int {
	for token := 1; token <= len(s.tokens); token++ {
		if s.ownerOf(token) == owner {
			return token
		}
	}
	return 0
}
