package reach

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// Prefixes are beginnings of the IRIs that may be reached. One that does not end in a slash allows itself, and what goes on behind it with a
// slash, a question mark or a hash: not other hosts whose names begin likewise.
type Prefixes []string

// Allow reports whether an IRI, without a user's name and without dots in its path, begins as one on the list.
func (l Prefixes) Allow(iri string) bool {
	u, err := url.Parse(iri)
	if err != nil || u.User != nil || strings.Contains(u.Path, "\\") || u.Path != "" && u.Path != path.Clean(u.Path) && u.Path != path.Clean(u.Path)+"/" {
		return false
	}
	return slices.ContainsFunc(l, func(prefix string) bool {
		return strings.HasPrefix(iri, prefix) && (len(iri) == len(prefix) || strings.HasSuffix(prefix, "/") || strings.ContainsRune("/?#", rune(iri[len(prefix)])))
	})
}
