package web

import (
	"errors"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// TestACompressedAnswerIsKept: it is made once for each encoding, counted, and says the same as the plain one and as one that is answered anew.
func TestACompressedAnswerIsKept(t *testing.T) {
	t.Parallel()
	budget := rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 64 << 20})
	s, engine := newTestServer(t, Options{AnswerCache: 1 << 20, Budget: budget})
	for _, query := range []string{"SELECT 100", "SELECT 2000"} { // of one write, and of several
		ask := func(method, encoding string, more ...string) *httptest.ResponseRecorder {
			return do(s, method, "/sparql?query="+strings.ReplaceAll(query, " ", "+"), "", append(more, "Accept: text/csv", "Accept-Encoding: "+encoding)...)
		}
		for range 2 {
			ask("GET", "")
		}
		plain := ask("GET", "")
		for _, encoding := range encodings {
			_, before := s.answers.size()
			first := ask("GET", encoding)
			_, after := s.answers.size()
			if after <= before || after >= before+int64(plain.Body.Len()) {
				t.Errorf("%s, %s: %d bytes are kept, and before %d", query, encoding, after, before)
			}
			for range 3 {
				again := ask("GET", encoding)
				if again.Header().Get("Content-Encoding") != encoding || again.Header().Get("Cache-Status") != hit || again.Body.String() != first.Body.String() {
					t.Errorf("%s, %s: %v", query, encoding, again.Header())
				}
				checkCompressed(t, again, ask("GET", encoding, "Cache-Control: no-cache"), plain)
			}
			if head := ask("HEAD", encoding); head.Body.Len() != 0 || !saysLength(head, first.Body.Len(), plain) || head.Header().Get("Content-Encoding") != encoding {
				t.Errorf("%s, %s, HEAD: %v", query, encoding, head.Header())
			}
			if same := ask("GET", encoding, "If-None-Match: "+first.Header().Get("ETag")); same.Code != 304 || same.Header().Get("Content-Encoding") != "" || same.Body.Len() != 0 {
				t.Errorf("%s, %s: %d %v", query, encoding, same.Code, same.Header())
			}
			if _, now := s.answers.size(); now != after {
				t.Errorf("%s, %s: %d bytes are kept, and after the first %d", query, encoding, now, after)
			}
		}
		if again := ask("GET", "br"); again.Header().Get("Content-Encoding") != "" || again.Body.String() != plain.Body.String() {
			t.Errorf("%s, plain: %v", query, again.Header())
		}
	}
	if _, bytes := s.answers.size(); bytes != budget.Usage().Used {
		t.Errorf("%d bytes are kept, the budget counts %d", bytes, budget.Usage().Used)
	}
	<-s.Turn(engine) // another edition
	get(s, "FAIL other")
	if n, bytes := s.answers.size(); n != 0 || bytes != 0 || budget.Usage().Used != 0 {
		t.Errorf("%d answers, %d bytes, %d of the budget are left", n, bytes, budget.Usage().Used)
	}
}

// checkCompressed checks a compressed answer that was kept by one that was not, and by the plain one.
func checkCompressed(t *testing.T, kept, anew, plain *httptest.ResponseRecorder) {
	t.Helper()
	if unpackedBody(kept) != plain.Body.String() || unpackedBody(anew) != plain.Body.String() {
		t.Errorf("%d bytes, answered anew %d, plain %d", len(unpackedBody(kept)), len(unpackedBody(anew)), plain.Body.Len())
	}
	if !saysLength(kept, kept.Body.Len(), plain) {
		t.Errorf("%d bytes: %v", kept.Body.Len(), kept.Header())
	}
	for _, name := range []string{"Content-Type", "Content-Encoding", "Vary", "ETag", "Cache-Control", headerRows, headerSequence} {
		if fieldOf(kept, name) != fieldOf(anew, name) || fieldOf(kept, name) == "" {
			t.Errorf("%s: %q, answered anew %q", name, fieldOf(kept, name), fieldOf(anew, name))
		}
	}
}

// saysLength reports whether a response says how long its body is; one of a long answer may have been too slow to say so.
func saysLength(w *httptest.ResponseRecorder, length int, plain *httptest.ResponseRecorder) bool {
	said := w.Header().Get("Content-Length")
	return said == strconv.Itoa(length) || said == "" && plain.Body.Len() > holdBytes
}

// TestACompressedAnswerIsKeptWhereItFits: else it is compressed for each client, and the plain one stays.
func TestACompressedAnswerIsKeptWhereItFits(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"SELECT 100", "SELECT 2000"} {
		roomy, _ := newTestServer(t, Options{AnswerCache: 8 << 20})
		for range 2 {
			get(roomy, query)
		}
		_, plain := roomy.answers.size()
		s, _ := newTestServer(t, Options{AnswerCache: answerShare * (plain + 50)})
		for range 2 {
			get(s, query)
		}
		for range 3 {
			for _, encoding := range encodings {
				w := get(s, query, "Accept-Encoding: "+encoding)
				if w.Header().Get("Cache-Status") != hit || w.Header().Get("Content-Encoding") != encoding || unpackedBody(w) != unpackedBody(get(roomy, query)) {
					t.Errorf("%s, %s: %v", query, encoding, w.Header())
				}
			}
		}
		if _, bytes := s.answers.size(); bytes != plain {
			t.Errorf("%s: %d bytes are kept, want %d", query, bytes, plain)
		}
	}
}

// TestACompressedAnswerThatBrokeOffIsMadeAgain: nothing of what was made is counted, and the next client's is kept.
func TestACompressedAnswerThatBrokeOffIsMadeAgain(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{AnswerCache: 8 << 20})
	for range 2 {
		get(s, "SELECT 2000")
	}
	_, plain := s.answers.size()
	_, a, _ := s.answers.kept.GetOldest()
	gone := errors.New("the client has gone")
	for sent := range len(a.plain.blocks) {
		err := s.answers.each(a, "gzip", func([]byte) error {
			if sent--; sent < 0 {
				return gone
			}
			return nil
		})
		if _, bytes := s.answers.size(); err != gone || bytes != plain {
			t.Fatalf("%v, and %d bytes are kept, want %d", err, bytes, plain)
		}
	}
	get(s, "SELECT 2000", "Accept-Encoding: gzip")
	if _, bytes := s.answers.size(); bytes <= plain {
		t.Errorf("%d bytes are kept, as many as before", bytes)
	}
}

// TestWhatIsMadeOfAnAnswerThatWentIsNotKept: neither where nothing has come in its place, nor where the same answer of another edition has.
func TestWhatIsMadeOfAnAnswerThatWentIsNotKept(t *testing.T) {
	t.Parallel()
	s, engine := newTestServer(t, Options{AnswerCache: 8 << 20})
	keep := func() (bytes int64) {
		for range 2 {
			get(s, "SELECT 2000")
		}
		_, bytes = s.answers.size()
		return bytes
	}
	plain := keep()
	for want, meanwhile := range map[int64]func(){0: func() { get(s, "FAIL other") }, plain: func() { keep() }} {
		keep()
		_, a, _ := s.answers.kept.GetOldest()
		gone := false
		s.answers.each(a, "zstd", func([]byte) error {
			if !gone {
				<-s.Turn(engine)
				meanwhile()
				gone = true
			}
			return nil
		})
		if _, bytes := s.answers.size(); bytes != want {
			t.Errorf("%d bytes are kept, want %d", bytes, want)
		}
	}
}
