package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"os"
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

// authenticate lets requests pass that show a token, as a bearer or as the password of basic authentication.
func (s *Server) authenticate(next http.Handler) http.Handler {
	if len(s.options.Tokens) == 0 {
		return next
	}
	digests := make([][32]byte, len(s.options.Tokens))
	for i, token := range s.options.Tokens {
		digests[i] = sha256.Sum256([]byte(token))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := shown(r, digests)
		if token == 0 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="rdfgpu"`)
			s.fail(w, r, "", &Problem{Status: http.StatusUnauthorized, Title: "unauthorized",
				Detail: "this server wants a token", Hint: "send the header Authorization: Bearer TOKEN"})
			return
		}
		next.ServeHTTP(w, withToken(r, token))
	})
}

// shown is the number of the token that a request shows, from 1; 0 where it shows none. All digests are compared, in constant
// time, so that the time taken says nothing about the tokens.
func shown(r *http.Request, digests [][32]byte) int {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		if _, given, ok = r.BasicAuth(); !ok {
			return 0
		}
	}
	digest := sha256.Sum256([]byte(strings.TrimSpace(given)))
	match := 0
	for i := range digests {
		match = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(digest[:], digests[i][:]), i+1, match)
	}
	return match
}
