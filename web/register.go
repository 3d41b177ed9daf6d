package web

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

// callback is where a query that stands is told of by requests of the server's own, and with what secret these are signed; no secret where
// the server is to make one.
type callback struct {
	url    string
	secret webhook.Secret
}

func (q *request) setCallback(value string) error {
	q.callback.url = value
	return nil
}

func (q *request) setSecret(value string) (err error) {
	q.callback.secret, err = webhook.ParseSecret(value)
	return err
}

// register makes a query stand for an address, and answers once it does.
func (s *Server) register(w http.ResponseWriter, r *http.Request, q *request) {
	if problem := s.mayRegister(r, q); problem != nil {
		s.metrics.standing.finished("refused")
		s.fail(w, r, "", problem)
		return
	}
	if problem := s.hooks.register(w, r, q); problem != nil {
		s.fail(w, r, "", problem)
	}
}

// mayRegister is nil for a request that may have a webhook.
func (s *Server) mayRegister(r *http.Request, q *request) *Problem {
	forbidden := &Problem{Status: http.StatusForbidden, Title: "forbidden"}
	switch {
	case r.Method != http.MethodPost:
		return &Problem{Status: http.StatusMethodNotAllowed, Title: "method not allowed", Hint: "register a callback by POST"}
	case s.hooks == nil:
		forbidden.Detail, forbidden.Hint = "this server posts to no address", "rdfgpu serve --webhook-allow PREFIX says which addresses may be posted to"
	case s.origins.Check(r) != nil:
		forbidden.Detail, forbidden.Hint = "pages of another origin may not register callbacks", "name the origin with --cors"
	case !s.hooks.sender.Allow(q.callback.url):
		forbidden.Detail, forbidden.Hint = webhook.ErrNotAllowed.Error(), "rdfgpu serve --webhook-allow PREFIX says which addresses may be posted to"
	default:
		return nil
	}
	return forbidden
}

// register makes a webhook, waits until its query stands, and answers with it. There is none where there is a problem.
func (m *webhooks) register(w http.ResponseWriter, r *http.Request, q *request) *Problem {
	record := m.server.record(r, q)
	h, problem := m.add(record)
	if problem != nil {
		return problem
	}
	select {
	case problem = <-h.stood:
	case <-r.Context().Done():
		problem = problemOf(r.Context(), r.Context().Err())
	}
	if problem != nil {
		_ = m.remove(h) // which has no file yet, or one that says nothing
		return problem
	}
	item := m.item(h)
	item.Secret = h.shown.Load().Secret.Text()
	body, _ := json.Marshal(item)
	location := "api/subscriptions/" + h.id
	if strings.HasSuffix(r.URL.Path, "/") {
		location = "../" + location
	}
	w.Header().Set("Location", location)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusCreated)
	w.Write(append(body, '\n'))
	return nil
}

// record is a webhook as it begins.
func (s *Server) record(r *http.Request, q *request) *webhook.Record {
	record := &webhook.Record{
		ID: "wh-" + strings.ToLower(rand.Text()[:16]), URL: q.callback.url, Secret: q.callback.secret, Base: q.options.Base, Created: time.Now().UTC(), Owner: s.ownerOf(tokenOf(r)),
		Client: r.RemoteAddr,
		Parameters: map[string][]string{
			"query": {q.text}, "default-graph-uri": q.options.DefaultGraphs, "named-graph-uri": q.options.NamedGraphs,
			"semantics": {q.options.Semantics.String()}, "timeout": {q.options.Timeout.String()},
		},
	}
	if address := s.client(r).address.Addr(); address.IsValid() {
		record.Client = netip.AddrPortFrom(address, 0).String()
	}
	if record.Secret == nil {
		record.Secret = webhook.NewSecret()
	}
	if q.stands.noSnapshot {
		record.Parameters["snapshot"] = []string{"false"}
	}
	if q.stands.after != nil {
		record.Position = q.stands.after.text()
	}
	return record
}

// hookItem is a webhook as the API shows it.
type hookItem struct {
	ID        string    `json:"id"`
	Callback  string    `json:"callback"`
	Secret    string    `json:"secret,omitempty"` // once
	Query     string    `json:"query"`
	State     string    `json:"state"`
	Created   time.Time `json:"created"`
	Position  string    `json:"position,omitempty"`
	Delivered uint64    `json:"delivered"`
	Pending   bool      `json:"pending,omitempty"`
	Failed    uint64    `json:"failed,omitempty"`
	Since     time.Time `json:"failingSince,omitzero"`
	Problem   string    `json:"problem,omitempty"`
	Held      int64     `json:"memoryBytes,omitempty"`
}

func (m *webhooks) item(h *hook) hookItem {
	r := h.shown.Load()
	return hookItem{
		ID: h.id, Callback: r.URL, Query: url.Values(r.Parameters).Get("query"), State: h.state(), Created: r.Created, Position: r.Position, Delivered: r.Delivered,
		Pending: r.Pending != nil, Failed: r.Failed, Since: r.Since, Problem: r.Trouble, Held: h.held.Load(),
	}
}

// serveHooks lists the webhooks that the client may know of.
func (s *Server) serveHooks(w http.ResponseWriter, r *http.Request) {
	items := []hookItem{}
	for _, h := range s.hooks.list(r) {
		items = append(items, s.hooks.item(h))
	}
	s.writeJSON(w, r, map[string]any{"subscriptions": items})
}

// serveHook shows a webhook, or removes it.
func (s *Server) serveHook(w http.ResponseWriter, r *http.Request) {
	h := s.hooks.find(r, chi.URLParam(r, "id"))
	if h == nil {
		s.fail(w, r, "", &Problem{Status: http.StatusNotFound, Title: "not found", Detail: "there is no such webhook, or it is another client's"})
		return
	}
	if r.Method != http.MethodDelete {
		s.writeJSON(w, r, s.hooks.item(h))
		return
	}
	if s.origins.Check(r) != nil {
		s.fail(w, r, "", &Problem{Status: http.StatusForbidden, Title: "forbidden", Detail: "pages of another origin may not remove callbacks"})
		return
	}
	if err := s.hooks.remove(h); err != nil {
		s.fail(w, r, "", problemOf(r.Context(), err))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
