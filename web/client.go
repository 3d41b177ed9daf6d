package web

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// clientID is whom a request counts for: the token that it shows where tokens are asked for, else the address that it
// comes from. An IPv6 address counts with its neighbours in the same /64, because one host has all of those.
type clientID struct {
	address netip.Prefix
	token   int // 1 is the first of Options.Tokens; those of Options.WriteTokens follow
}

// tokenKey is where a request's context says which token it showed.
type tokenKey struct{}

func withToken(r *http.Request, token int) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), tokenKey{}, token))
}

// tokenOf is the token that a request showed; 0 where it showed none.
func tokenOf(r *http.Request) int {
	token, _ := r.Context().Value(tokenKey{}).(int)
	return token
}

// client is whom a request counts for.
func (s *Server) client(r *http.Request) clientID {
	if token := tokenOf(r); token > 0 {
		return clientID{token: token}
	}
	return clientID{address: neighbours(s.proxies.origin(addressOf(r.RemoteAddr), r))}
}

// addressOf is the address in "address:port"; the zero Addr where there is none.
func addressOf(hostPort string) netip.Addr {
	at, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// neighbours are the addresses that count as one client.
func neighbours(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return p
}

// proxies are the addresses whose header X-Forwarded-For is believed.
type proxies []netip.Prefix

// readProxies reads addresses and prefixes such as 10.0.0.0/8.
func readProxies(list []string) (proxies, error) {
	var p proxies
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, addressErr := netip.ParseAddr(text)
			if addressErr != nil {
				return nil, fmt.Errorf("web: trusted proxy %q: expected an address or a prefix such as 10.0.0.0/8", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		p = append(p, prefix)
	}
	return p, nil
}

func (p proxies) trust(a netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(a) {
			return true
		}
	}
	return false
}

// origin is where a request of a peer began: the last address in X-Forwarded-For that is none of a trusted proxy. What
// stands before that, the client may have made up.
func (p proxies) origin(peer netip.Addr, r *http.Request) netip.Addr {
	if !p.trust(peer) {
		return peer
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		if peer = hop.Unmap().WithZone(""); !p.trust(peer) {
			break
		}
	}
	return peer
}
