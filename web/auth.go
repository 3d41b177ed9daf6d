package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// ReadTokens reads a file of tokens: one on each line, blank lines and lines that begin with # left out.
func ReadTokens(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("web: tokens: %w", err)
	}
	var tokens []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			tokens = append(tokens, line)
		}
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("web: %s holds no token", path)
	}
	return tokens, nil
}

// asksTokens reports whether there are tokens that a request may show.
func (o *Options) asksTokens() bool { return len(o.Tokens)+len(o.WriteTokens) > 0 }

// authenticate lets requests pass that show a token, as a bearer or as the password of basic authentication; where only writing
// needs one, all others too.
func (s *Server) authenticate(next http.Handler) http.Handler {
	return s.wantToken(s.options.Tokens, s.options.WriteTokens, next)
}

// wantToken is authenticate for tokens that let read, and tokens that let write too.
func (s *Server) wantToken(reading, writing []string, next http.Handler) http.Handler {
	if len(reading)+len(writing) == 0 {
		return next
	}
	digests := digestsOf(slices.Concat(reading, writing))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := shown(r, digests)
		if token == 0 && len(reading) > 0 {
			s.fail(w, r, "", wantsToken("this server wants a token"))
			return
		}
		next.ServeHTTP(w, withToken(r, token))
	})
}

func wantsToken(detail string) *Problem {
	return &Problem{Status: http.StatusUnauthorized, Title: "unauthorized", Detail: detail, Hint: "send the header Authorization: Bearer TOKEN"}
}

// mayWrite is nil for a request that may change the store; else why it may not. Pages of other origins than this server's may
// not, but those that Options.Origins name: a browser that shows such a page would let it send a form here, with a password that
// it remembers.
func (s *Server) mayWrite(r *http.Request) *Problem {
	if !s.options.Writable {
		return readOnly()
	}
	if token := tokenOf(r); len(s.options.WriteTokens) > 0 && token <= len(s.options.Tokens) {
		if token == 0 {
			return wantsToken("changing the store wants a token")
		}
		return &Problem{Status: http.StatusForbidden, Title: "forbidden", Detail: "this token lets you read, not write"}
	}
	if err := s.origins.Check(r); err != nil {
		return &Problem{Status: http.StatusForbidden, Title: "forbidden", Detail: "pages of another origin may not change the store",
			Hint: "name the origin with --cors"}
	}
	return nil
}

// trustedOrigins lets pages of the named origins write; patterns with * let them read only.
func trustedOrigins(names []string) *http.CrossOriginProtection {
	origins := http.NewCrossOriginProtection()
	for _, name := range names {
		if !strings.Contains(name, "*") {
			_ = origins.AddTrustedOrigin(name) // what is no origin matches none
		}
	}
	return origins
}

// digestsOf are what tokens are compared by.
func digestsOf(tokens []string) (digests [][32]byte) {
	for _, token := range tokens {
		digests = append(digests, sha256.Sum256([]byte(token)))
	}
	return digests
}

// shown is the number of the token that a request shows, from 1; 0 where it shows none.
func shown(r *http.Request, digests [][32]byte) int {
	given, ok := bearerOf(headerOf(r, "Authorization"))
	if !ok {
		if _, given, ok = r.BasicAuth(); !ok {
			return 0
		}
	}
	return tokenAmong(given, digests)
}

// bearerOf is the token in what a header Authorization says; the case of the scheme does not matter (RFC 9110, section 11.1).
func bearerOf(authorization string) (token string, ok bool) {
	scheme, token, ok := strings.Cut(authorization, " ")
	return token, ok && strings.EqualFold(scheme, "Bearer")
}

// tokenAmong is the number of a token, from 1; 0 where it is none. All digests are compared, in constant time, so that the time taken says
// nothing about the tokens.
func tokenAmong(given string, digests [][32]byte) int {
	digest := sha256.Sum256([]byte(strings.TrimSpace(given)))
	match := 0
	for i := range digests {
		match = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(digest[:], digests[i][:]), i+1, match)
	}
	return match
}
