package web

import (
	"context"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// Stores are servers behind one listener, each of a store, at a path of its name: NAME/sparql, NAME/ with the workbench, and so on. Each
// has its own limits and tokens, and may share a Budget with the others. It is an http.Handler; Run listens.
//
// At / there is a list of the names, /healthz and /readyz are about all of them, and /metrics has everything of each, with a label
// store; it wants a token where one of the servers asks for one to read, any of theirs.
type Stores struct {
	names   []string
	servers map[string]*Server
	front   *Server
	metrics http.Handler
}

// storeName is what a store may be called: a part of a path that needs no escapes.
var storeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// reserved are the paths that no store can be at.
var reserved = []string{"healthz", "readyz", "metrics"}

// NewStores puts servers at paths of their names. The address, the bound of connections, the names of hosts, the certificate and the
// time of draining are those of the first name's server, in order of the alphabet.
func NewStores(servers map[string]*Server) (*Stores, error) {
	if len(servers) == 0 {
		return nil, fmt.Errorf("web: there is no store to serve")
	}
	m := &Stores{names: slices.Sorted(maps.Keys(servers)), servers: servers}
	for _, name := range m.names {
		if !storeName.MatchString(name) || slices.Contains(reserved, name) {
			return nil, fmt.Errorf("web: %q cannot be the name of a store: expected letters, digits, hyphens, dots and underscores, and none of %s",
				name, strings.Join(reserved, ", "))
		}
	}
	m.front = servers[m.names[0]]
	m.metrics = promhttp.HandlerFor(prometheus.GathererFunc(m.gather), promhttp.HandlerOpts{})
	return m, nil
}

// Run listens until ctx is done, then drains, as Server.Run does.
func (m *Stores) Run(ctx context.Context) error {
	paths := map[string]*Server{}
	for name, s := range m.servers {
		paths["/"+name] = s
	}
	return listening{front: m.front, servers: paths, handler: m}.run(ctx)
}

// mountKey is where a request's context says which path its server is at.
type mountKey struct{}

// mountOf is the path that the server of a request is at, without a slash at the end; "" where it has a listener of its own.
func mountOf(r *http.Request) string {
	path, _ := r.Context().Value(mountKey{}).(string)
	return path
}

// ServeHTTP answers one request.
func (m *Stores) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, rest, below := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s := m.servers[name]
	switch {
	case s != nil && !below:
		w.Header().Set("Location", name+"/") // relative: a proxy may have cut the path that leads here
		w.WriteHeader(http.StatusPermanentRedirect)
	case s != nil:
		inner := r.WithContext(context.WithValue(r.Context(), mountKey{}, "/"+name))
		address := *r.URL
		address.Path, address.RawPath = "/"+rest, strings.TrimPrefix(r.URL.RawPath, "/"+name)
		inner.URL = &address
		s.ServeHTTP(w, inner)
	default:
		w.Header().Set(headerRequestID, identify(r))
		m.serveCommon(w, r)
	}
}

// serveCommon answers what is of no store alone.
func (m *Stores) serveCommon(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		m.serveList(w)
	case "/healthz":
		m.front.serveHealth(w, r)
	case "/readyz":
		for _, name := range m.names {
			if problem := m.servers[name].notReady(); problem != nil {
				problem.Detail = name + ": " + problem.Detail
				m.front.fail(w, r, "", problem)
				return
			}
		}
		m.front.serveReady(w, r)
	case "/metrics":
		m.serveMetrics(w, r)
	default:
		m.front.fail(w, r, "", &Problem{Status: http.StatusNotFound, Title: "not found",
			Detail: "this server has several stores: the addresses begin with a store's name", Expected: m.paths()})
	}
}

func (m *Stores) paths() (paths []string) {
	for _, name := range m.names {
		paths = append(paths, "/"+name+"/sparql")
	}
	return paths
}

// serveList is a page with a link to each store.
func (m *Stores) serveList(w http.ResponseWriter) {
	w.Header().Set("Content-Type", pageOffer.contentType)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	io.WriteString(w, strings.Replace(pageHead, "Answer", "Stores", 1)+"<h1>Stores</h1>\n<ul>\n")
	for _, name := range m.names {
		fmt.Fprintf(w, "<li><a href=\"%[1]s/\">%[1]s</a>\n", html.EscapeString(name))
	}
	io.WriteString(w, "</ul>\n")
}

// serveMetrics shows the metrics to those who may read one of the stores that ask for a token, or to all where none does.
func (m *Stores) serveMetrics(w http.ResponseWriter, r *http.Request) {
	var all []string
	for _, name := range m.names {
		all = append(all, m.servers[name].options.Tokens...)
	}
	m.front.wantToken(all, nil, m.metrics).ServeHTTP(w, r)
}

// gather is the metrics of all servers with a label that names the store; those of the process, which are the same, are the front's.
func (m *Stores) gather() ([]*dto.MetricFamily, error) {
	byName := map[string]*dto.MetricFamily{}
	label := "store"
	for _, name := range m.names {
		families, err := m.servers[name].metrics.registry.Gather()
		if err != nil {
			return nil, err
		}
		for _, family := range families {
			of := family.GetName()
			process := strings.HasPrefix(of, "go_") || strings.HasPrefix(of, "process_")
			if process && m.servers[name] != m.front {
				continue
			}
			for _, metric := range family.Metric {
				if !process {
					metric.Label = append(metric.Label, &dto.LabelPair{Name: &label, Value: &name})
				}
			}
			if known := byName[of]; known != nil {
				known.Metric = append(known.Metric, family.Metric...)
				continue
			}
			byName[of] = family
		}
	}
	var list []*dto.MetricFamily
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, byName[name])
	}
	return list, nil
}
