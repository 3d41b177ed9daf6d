package web

import (
	"math/rand/v2"
	"net/http"
	"strconv"
)

// headerRequestID names a request across the programs that it passes: a proxy's or a client's name is kept, and goes into the log.
const headerRequestID = "X-Request-Id"

// maxRequestID bounds a name that comes from outside.
const maxRequestID = 128

// identify gives a request a name, if it comes without a usable one, and returns it.
func identify(r *http.Request) string {
	id := headerOf(r, headerRequestID)
	if !isRequestID(id) {
		id = strconv.FormatUint(rand.Uint64(), 36)
		r.Header[headerRequestID] = []string{id}
	}
	return id
}

// requestOf is the name of a request that was identified.
func requestOf(r *http.Request) string { return headerOf(r, headerRequestID) }

// isRequestID reports a name that may stand in a header and a log as it is.
func isRequestID(id string) bool {
	for i := range len(id) {
		if c := id[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return id != "" && len(id) <= maxRequestID
}
