package loader

import "strings"

// reference is an IRI reference in its five parts (RFC 3986, section 3). Absent and empty parts differ.
type reference struct {
	scheme, authority, path, query, fragment string
	hasAuthority, hasQuery, hasFragment      bool
}

func splitReference(s string) (r reference) {
	if n := schemeEnd(s); n > 0 {
		r.scheme, s = s[:n-1], s[n:]
	}
	if i := strings.IndexByte(s, '#'); i >= 0 {
		r.fragment, r.hasFragment, s = s[i+1:], true, s[:i]
	}
	if i := strings.IndexByte(s, '?'); i >= 0 {
		r.query, r.hasQuery, s = s[i+1:], true, s[:i]
	}
	if strings.HasPrefix(s, "//") {
		s = s[2:]
		end := strings.IndexByte(s, '/')
		if end < 0 {
			end = len(s)
		}
		r.authority, r.hasAuthority, s = s[:end], true, s[end:]
	}
	r.path = s
	return r
}

func (r reference) String() string {
	var b strings.Builder
	if r.scheme != "" {
		b.WriteString(r.scheme)
		b.WriteByte(':')
	}
	if r.hasAuthority {
		b.WriteString("//")
		b.WriteString(r.authority)
	}
	b.WriteString(r.path)
	if r.hasQuery {
		b.WriteByte('?')
		b.WriteString(r.query)
	}
	if r.hasFragment {
		b.WriteByte('#')
		b.WriteString(r.fragment)
	}
	return b.String()
}

// Resolve resolves a relative reference against an absolute base by RFC 3986, section 5.2.
// A reference with a scheme is returned as it is.
func Resolve(base, ref string) string {
	if schemeEnd(ref) > 0 {
		return ref
	}
	b, r := splitReference(base), splitReference(ref)
	t := reference{scheme: b.scheme, fragment: r.fragment, hasFragment: r.hasFragment}
	switch {
	case r.hasAuthority:
		t.authority, t.hasAuthority = r.authority, true
		t.path, t.query, t.hasQuery = removeDots(r.path), r.query, r.hasQuery
	case r.path == "":
		t.authority, t.hasAuthority, t.path = b.authority, b.hasAuthority, b.path
		t.query, t.hasQuery = b.query, b.hasQuery
		if r.hasQuery {
			t.query, t.hasQuery = r.query, true
		}
	default:
		t.authority, t.hasAuthority = b.authority, b.hasAuthority
		t.path, t.query, t.hasQuery = removeDots(mergePath(b, r.path)), r.query, r.hasQuery
	}
	return t.String()
}

// mergePath puts a relative path in the place of the base path's last segment (section 5.2.3).
func mergePath(base reference, path string) string {
	if path[0] == '/' {
		return path
	}
	if base.hasAuthority && base.path == "" {
		return "/" + path
	}
	return base.path[:strings.LastIndexByte(base.path, '/')+1] + path
}

// removeDots takes the segments "." and ".." out of a path (section 5.2.4).
func removeDots(path string) string {
	if !strings.Contains(path, ".") {
		return path
	}
	var out []byte
	for path != "" {
		switch {
		case strings.HasPrefix(path, "../"):
			path = path[3:]
		case strings.HasPrefix(path, "./"):
			path = path[2:]
		case strings.HasPrefix(path, "/./"):
			path = path[2:]
		case path == "/.":
			path = "/"
		case strings.HasPrefix(path, "/../"):
			path, out = path[3:], dropSegment(out)
		case path == "/..":
			path, out = "/", dropSegment(out)
		case path == "." || path == "..":
			path = ""
		default:
			end := strings.IndexByte(path[1:], '/') + 1
			if end == 0 {
				end = len(path)
			}
			out = append(out, path[:end]...)
			path = path[end:]
		}
	}
	return string(out)
}

func dropSegment(out []byte) []byte {
	for i := len(out) - 1; i >= 0; i-- {
		if out[i] == '/' {
			return out[:i]
		}
	}
	return out[:0]
}
