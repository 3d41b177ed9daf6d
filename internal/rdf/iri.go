package rdf

import "strings"

// ResolveIRI resolves an IRI reference against an absolute base (RFC 3986, section 5.2, basic algorithm, without
// normalization). A reference with a scheme, and any reference when base is "", is returned as it is.
func ResolveIRI(base, ref string) string {
	if base == "" || schemeLength(ref) > 0 {
		return ref
	}
	b := splitIRI(base)
	switch {
	case strings.HasPrefix(ref, "//"):
		r := splitIRI(ref)
		return b.scheme + r.authority + removeDots(r.path) + r.query + r.fragment
	case ref == "" || ref[0] == '#':
		return b.scheme + b.authority + b.path + b.query + ref
	case ref[0] == '?':
		return b.scheme + b.authority + b.path + ref
	}
	r := splitIRI(ref)
	path := r.path
	if path[0] != '/' {
		path = mergePaths(b, path)
	}
	return b.scheme + b.authority + removeDots(path) + r.query + r.fragment
}

// iriParts are the parts of a reference, each with its own delimiter, so that their concatenation is the reference.
type iriParts struct{ scheme, authority, path, query, fragment string }

func splitIRI(s string) (p iriParts) {
	n := schemeLength(s)
	p.scheme, s = s[:n], s[n:]
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s, p.fragment = s[:i], s[i:]
	}
	if i := strings.IndexByte(s, '?'); i >= 0 {
		s, p.query = s[:i], s[i:]
	}
	if strings.HasPrefix(s, "//") {
		end := strings.IndexByte(s[2:], '/')
		if end < 0 {
			end = len(s) - 2
		}
		p.authority, s = s[:end+2], s[end+2:]
	}
	p.path = s
	return p
}

// schemeLength returns the length of the scheme of s with its colon, 0 when it has none.
func schemeLength(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// mergePaths puts a relative path in the place of the base path's last segment (RFC 3986, section 5.2.3).
func mergePaths(base iriParts, path string) string {
	if base.authority != "" && base.path == "" {
		return "/" + path
	}
	return base.path[:strings.LastIndexByte(base.path, '/')+1] + path
}

// removeDots takes the segments "." and ".." out of a path (RFC 3986, section 5.2.4).
func removeDots(path string) string {
	if !strings.Contains(path, ".") {
		return path
	}
	out := make([]byte, 0, len(path))
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
		case strings.HasPrefix(path, "/../"), path == "/..":
			path = "/" + strings.TrimPrefix(path[3:], "/")
			out = out[:max(0, strings.LastIndexByte(string(out), '/'))]
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
