package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/reach"
)

var (
	// ErrNotAllowed: the address of a webhook is under no prefix of those that may be posted to.
	ErrNotAllowed = errors.New("this address is under no prefix of those that webhooks may be posted to")
	// ErrGone: the receiver wants no more of it, by status 410.
	ErrGone = errors.New("the receiver answers 410: it wants no more")
	// ErrGivenUp: the receiver has failed for too long.
	ErrGivenUp = errors.New("the receiver has failed for too long")
)

// Sender posts messages. It is safe for concurrent use; a record is one goroutine's at a time.
type Sender struct {
	Allowed reach.Prefixes
	// Least and Most are the pauses after the first failure and at the most; each is twice the one before, more or less a quarter.
	Least, Most time.Duration
	// GiveUp is how long a receiver may fail.
	GiveUp time.Duration
	// Attempt is how long one request may take.
	Attempt time.Duration
	// Tell is called whenever a record has changed, with the failure that it tells of, if any.
	Tell   func(r *Record, failure error)
	Client *http.Client
}

// NewClient makes a client that follows no redirect and keeps connections of its own.
func NewClient() *http.Client {
	return &http.Client{
		Transport:     http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Allow reports whether an address may be posted to: one of HTTP under a prefix.
func (s *Sender) Allow(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && s.Allowed.Allow(address)
}

// Deliver posts what is pending until the receiver takes it, and notes in the record how that goes. The error wraps ErrNotAllowed, ErrGone or
// ErrGivenUp, or is the cause of ctx's end.
func (s *Sender) Deliver(ctx context.Context, r *Record) error {
	if !s.Allow(r.URL) {
		return ErrNotAllowed
	}
	for {
		wait, err := s.attempt(ctx, r)
		if ctx.Err() != nil && err != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			r.Took()
			s.Tell(r, nil)
			return nil
		}
		if err := s.Pause(ctx, r, err, wait); err != nil {
			return err
		}
	}
}

// Pause notes a failure and waits before the next attempt, at least so long. The error is of those of Deliver.
func (s *Sender) Pause(ctx context.Context, r *Record, why error, least time.Duration) error {
	if errors.Is(why, ErrGone) {
		return why
	}
	failing := r.Fail(time.Now(), why.Error())
	s.Tell(r, why)
	pause := max(s.pause(r.Failed), min(least, s.Most))
	if failing+pause > s.GiveUp {
		return fmt.Errorf("%w, %d times in %v: %w", ErrGivenUp, r.Failed, failing.Round(time.Millisecond), why)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pause is how long to wait after the n-th failure.
func (s *Sender) pause(n uint64) time.Duration {
	pause := s.Least
	for ; n > 1 && pause < s.Most; n-- {
		pause *= 2
	}
	return time.Duration(float64(min(pause, s.Most)) * (0.75 + rand.Float64()/2))
}

// mostAnswer is how much of an answer is read, so that its connection can be used again.
const mostAnswer = 64 << 10

// attempt posts once. wait is how long the receiver wants to be left alone.
func (s *Sender) attempt(ctx context.Context, r *Record) (wait time.Duration, err error) {
	ctx, done := context.WithTimeout(ctx, s.Attempt)
	defer done()
	request, err := r.request(ctx, time.Now())
	if err != nil {
		return 0, withoutAddress(err)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return 0, withoutAddress(err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostAnswer))
	response.Body.Close()
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		return 0, nil
	case status == http.StatusGone:
		return 0, ErrGone
	case status >= 300 && status < 400:
		return 0, fmt.Errorf("the receiver answers %d: redirects are not followed", status)
	}
	seconds, _ := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31)
	return time.Duration(seconds) * time.Second, fmt.Errorf("the receiver answers %d", response.StatusCode)
}

// request is one attempt to post what is pending.
func (r *Record) request(ctx context.Context, at time.Time) (*http.Request, error) {
	m := r.Pending
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, err
	}
	id := r.MessageID(m)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "rdfgpu", "Webhook-Id": id, "Webhook-Timestamp": strconv.FormatInt(at.Unix(), 10),
		"Webhook-Signature": r.Secret.Sign(id, at, m.Body), "X-Rdfgpu-Event": m.Event, "X-Rdfgpu-Event-Id": m.Position,
	} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	return request, nil
}

// withoutAddress is an error of a request without its address, which may have secrets in it.
func withoutAddress(err error) error {
	var known *url.Error
	if errors.As(err, &known) {
		return known.Err
	}
	return err
}
