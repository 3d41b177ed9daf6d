package web

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// anyHost in Options.Hosts turns the check of names off.
const anyHost = "*"

// guardHost refuses requests that name another host than this one, where the server listens on loopback only: a page
// of a stranger whose name was made to point at 127.0.0.1 (DNS rebinding) is of the same origin as this server in the
// eyes of the browser that shows it, but its requests still carry its own name.
func (s *Server) guardHost(next http.Handler, bound net.Addr) http.Handler {
	names := s.hostNames(bound)
	if names == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOurs(r.Host, names) {
			s.metrics.finished("refused", 0)
			s.fail(w, r, "", &Problem{Status: http.StatusMisdirectedRequest, Title: "unknown host",
				Detail: "this server listens on loopback and does not go by the name in the header Host",
				Hint:   "behind a proxy, name the host with --allow-host"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostNames are the names that requests may use beside loopback addresses; nil means any.
func (s *Server) hostNames(bound net.Addr) []string {
	tcp, ok := bound.(*net.TCPAddr)
	if !ok || slices.Contains(s.options.Hosts, anyHost) || !tcp.IP.IsLoopback() && len(s.options.Hosts) == 0 {
		return nil
	}
	names := []string{"localhost", tcp.IP.String()}
	if host, _, err := net.SplitHostPort(s.options.Addr); err == nil && host != "" {
		names = append(names, hostOnly(host))
	}
	for _, name := range s.options.Hosts {
		names = append(names, hostOnly(name))
	}
	return names
}

// isOurs reports whether a Host header is a loopback address, one of the names, or missing, which no browser leaves it.
func isOurs(header string, names []string) bool {
	host := hostOnly(header)
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return header == "" || slices.Contains(names, host)
}

// hostOnly is a host in lower case, without port, brackets and the dot at the end.
func hostOnly(header string) string {
	host, _, err := net.SplitHostPort(header)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}
