package web

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A client that reads fast would take the rest of an answer piece by piece, each in time: what has not been written when the query's
// time ends is not begun any more.
func TestNothingIsWrittenOnceTheTimeOfTheQueryIsOver(t *testing.T) {
	t.Parallel()
	over := errors.New("the time is over")
	ctx, stop := context.WithCancelCause(context.Background())
	recorder := httptest.NewRecorder()
	p := newResponse(ctx, recorder, httptest.NewRequest("GET", "/query", nil))
	begun := strings.Repeat("a", holdBytes+1)
	if _, err := p.Write([]byte(begun)); err != nil || !p.committed {
		t.Fatalf("the answer has not begun: %v", err)
	}
	stop(over)
	if n, err := p.Write([]byte(begun)); n != 0 || !errors.Is(err, over) {
		t.Errorf("Write of %d bytes: %v; want %v", n, err, over)
	}
	func() {
		defer func() { recover() }()
		p.abort("# why")
	}()
	if body := recorder.Body.String(); body != begun+"# why" {
		t.Errorf("sent %d bytes that end in %q; want what had begun, and why it ended", len(body), body[len(body)-10:])
	}
}

// What says why an answer broke off would be no part of it where the answer is compressed already.
func TestNothingPlainFollowsWhatWasCompressedBefore(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/query", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	p := newResponse(context.Background(), recorder, r)
	p.packed = true
	begun := strings.Repeat("a", holdBytes+1)
	p.Write([]byte(begun))
	func() {
		defer func() { recover() }()
		p.abort("# why")
	}()
	if recorder.Body.String() != begun || recorder.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("%d bytes of %d: %v", recorder.Body.Len(), len(begun), recorder.Header())
	}
}

// The client has all that it asked for once the header of a HEAD has left, and sends its next request, which a query that went on would
// keep waiting.
func TestAHeadEndsItsQueryOnceTheHeaderHasLeft(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(context.Background())
	recorder := httptest.NewRecorder()
	p := newResponse(ctx, recorder, httptest.NewRequest("HEAD", "/query", nil))
	p.stop = stop
	if _, err := p.Write([]byte("the beginning of an answer that is long in coming")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the query goes on")
	}
	if _, err := p.Write([]byte("more")); !errors.Is(err, errHeadSent) || !errors.Is(context.Cause(ctx), errHeadSent) {
		t.Errorf("Write: %v, cause %v; want %v", err, context.Cause(ctx), errHeadSent)
	}
	if p.finish(); recorder.Code != 200 || recorder.Body.Len() > 0 {
		t.Errorf("%d with %d bytes", recorder.Code, recorder.Body.Len())
	}
}
