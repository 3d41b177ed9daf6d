package web

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
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
