package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
)

// query is one query or update that waits or runs, or a query that stands.
type query struct {
	ID      string
	Text    string
	Client  string
	Started time.Time
	// changes: it changes the store.
	changes bool
	// stands: it is told what changes, for a client, and holds so many bytes for that; leaves: it has made way for another.
	stands, leaves bool
	owner          clientID
	held           atomic.Int64
	began          atomic.Int64
	turn           atomic.Pointer[turn]
	cancel         context.CancelCauseFunc
}

// start notes that the query waits no longer.
func (q *query) start(t *turn) {
	q.turn.Store(t)
	q.began.Store(int64(max(1, time.Since(q.Started))))
}

// state is what the query does now.
func (q *query) state() string {
	t := q.turn.Load()
	switch {
	case q.stands:
		return "standing"
	case t == nil:
		return "waiting"
	case t.isParked():
		return "sending"
	}
	return "running"
}

// running lists the queries under way, and those that stand.
type running struct {
	prefix string
	next   atomic.Uint64
	mu     sync.Mutex
	byID   map[string]*query
	// standing counts queries that stand, leaving those among the others that did and are not gone yet.
	standing, leaving int
}

func newRunning() *running {
	var b [3]byte
	rand.Read(b[:])
	return &running{prefix: hex.EncodeToString(b[:]) + "-", byID: map[string]*query{}}
}

// add lists a query that cancel ends.
func (l *running) add(q *query, cancel context.CancelCauseFunc) {
	q.cancel = cancel
	l.mu.Lock()
	l.byID[q.ID] = q
	l.mu.Unlock()
}

// stand lists a query that stands; false where there are as many as may be, and none makes way.
func (l *running) stand(q *query, most int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.standing >= most && !l.pushOut(q.owner) {
		return false
	}
	q.stands = true
	l.byID[q.ID] = q
	l.standing++
	return true
}

// pushOut ends the newest query that stands for the client that has most of them, where that is fair to a client that wants one: where it
// has more even then.
func (l *running) pushOut(newcomer clientID) bool {
	counts, newest := map[clientID]int{}, map[clientID]*query{}
	most := newcomer
	for _, q := range l.byID {
		if !q.stands || q.leaves {
			continue
		}
		counts[q.owner]++
		if n := newest[q.owner]; n == nil || q.Started.After(n.Started) {
			newest[q.owner] = q
		}
		if counts[q.owner] > counts[most] {
			most = q.owner
		}
	}
	if counts[most] <= counts[newcomer]+1 {
		return false
	}
	newest[most].leaves = true
	l.standing--
	l.leaving++
	newest[most].cancel(errPushedOut)
	return true
}

// named is a query under a new id, unique across restarts for all practical purposes. It is not listed yet.
func (l *running) named(text, client string, began time.Time) *query {
	var room [32]byte
	id := strconv.AppendUint(append(room[:0], l.prefix...), l.next.Add(1), 10)
	return &query{ID: string(id), Text: text, Client: client, Started: began}
}

func (l *running) remove(q *query) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byID, q.ID)
	switch {
	case q.leaves:
		l.leaving--
	case q.stands:
		l.standing--
	}
}

// len is how many are under way, without those that stand.
func (l *running) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.byID) - l.standing - l.leaving
}

// standingNow is how many queries stand, and how many bytes are held for them.
func (l *running) standingNow() (n int, held int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.standing == 0 {
		return 0, 0
	}
	for _, q := range l.byID {
		held += q.held.Load()
	}
	return l.standing, held
}

func (l *running) find(id string) *query {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id]
}

// list returns the queries under way, oldest first.
func (l *running) list() []*query {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*query, 0, len(l.byID))
	for _, q := range l.byID {
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *query) int { return a.Started.Compare(b.Started) })
	return list
}

// serveQueries lists the queries under way.
func (s *Server) serveQueries(w http.ResponseWriter, r *http.Request) {
	type item struct {
		ID      string  `json:"id"`
		Query   string  `json:"query"`
		Client  string  `json:"client"`
		State   string  `json:"state"`
		Update  bool    `json:"update,omitempty"`
		Elapsed float64 `json:"elapsedMilliseconds"`
		Held    int64   `json:"memoryBytes,omitempty"`
	}
	items := []item{}
	for _, q := range s.queries.list() {
		items = append(items, item{q.ID, cutQuery(q.Text, 4096), q.Client, q.state(), q.changes, float64(time.Since(q.Started).Microseconds()) / 1e3, q.held.Load()})
	}
	s.writeJSON(w, r, map[string]any{"queries": items})
}

// serveCancel cancels a query; an update only for those who may write.
func (s *Server) serveCancel(w http.ResponseWriter, r *http.Request) {
	q := s.queries.find(chi.URLParam(r, "id"))
	if q == nil {
		s.fail(w, r, "", &Problem{Status: http.StatusNotFound, Title: "not found", Detail: "no such query is under way"})
		return
	}
	if q.changes {
		if problem := s.mayWrite(r); problem != nil {
			s.fail(w, r, "", problem)
			return
		}
	}
	q.cancel(errCancelled)
	w.WriteHeader(http.StatusNoContent)
}

// cutQuery shortens a query for lists and logs.
func cutQuery(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " …"
}
