package web

import (
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// rateLimit bounds how many requests a client sends in a second: each has a bucket of tokens, which fills at the rate up to the burst,
// and of which every request takes one.
type rateLimit struct {
	rate, burst float64

	mu      sync.Mutex
	buckets *simplelru.LRU[clientID, bucket]
}

// bucket is what a client may still send, as of a time.
type bucket struct {
	tokens float64
	at     time.Time
}

// maxBuckets bounds the clients that are remembered, a few MiB; who is forgotten begins with a full bucket.
const maxBuckets = 1 << 16

// newRateLimit is nil where there is no limit.
func newRateLimit(rate, burst float64) *rateLimit {
	if rate == 0 {
		return nil
	}
	if burst == 0 {
		burst = rate
	}
	buckets, _ := simplelru.NewLRU[clientID, bucket](maxBuckets, nil) // the size is right
	return &rateLimit{rate: rate, burst: max(burst, 1), buckets: buckets}
}

// take takes a token of a client; where there is none, wait is how long until there is one.
func (l *rateLimit) take(client clientID, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, known := l.buckets.Get(client)
	if !known {
		b = bucket{tokens: l.burst, at: now}
	}
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b = bucket{tokens: min(l.burst, b.tokens+passed*l.rate), at: now}
	}
	if b.tokens >= 1 {
		b.tokens--
	} else {
		wait = time.Duration((1 - b.tokens) / l.rate * float64(time.Second))
	}
	l.buckets.Add(client, b)
	return wait
}

// withinRate reports whether a request's client may send it now; else it is answered.
func (s *Server) withinRate(w http.ResponseWriter, r *http.Request) bool {
	problem := s.overRate(r)
	if problem != nil {
		s.metrics.finished("busy", 0)
		s.fail(w, r, "", problem)
	}
	return problem == nil
}

// overRate is nil where a request's client may send it now.
func (s *Server) overRate(r *http.Request) *Problem {
	if s.rate == nil {
		return nil
	}
	wait := s.rate.take(s.client(r), time.Now())
	if wait == 0 {
		return nil
	}
	return &Problem{Status: http.StatusTooManyRequests, Title: "too many requests",
		Detail: "this client sends more requests a second than the server takes of one", Hint: "try again after Retry-After", retryAfter: wait + time.Second - 1}
}

// limited is a handler of requests that count.
func (s *Server) limited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions || s.withinRate(w, r) {
			next(w, r)
		}
	}
}
