package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/cors"

	"github.com/rdfgpu/rdfgpu/internal/mcp"
)

// Server serves one engine at a time. It is an http.Handler; Run listens.
type Server struct {
	options Options
	turning sync.RWMutex // of edition and startCheck
	edition *edition
	// startCheck, while the server runs, compares the checksums of an edition beside its queries.
	startCheck func(*edition)
	handler    http.Handler
	admit      *admission // of queries
	// updates and uploads admit what changes the store: texts and small documents, and large documents.
	updates, uploads *admission
	origins          *http.CrossOriginProtection
	proxies          proxies
	// connections are those that Run accepts; nil before.
	connections atomic.Pointer[connections]
	queries     *running
	answers     *answerCache // nil without one
	tools       http.Handler // the Model Context Protocol
	metrics     *metrics
	tracer      *tracer // nil: nobody follows requests
	history     history
	tokens      [][32]byte // the digests of Options.Tokens and Options.WriteTokens
	// sockets are the WebSockets that are open, idle how long one may be where no query stands on it.
	sockets openSockets
	idle    time.Duration
	hooks   *webhooks // nil where there may be none
	// draining is set once the server has been told to stop; stopping ends then.
	draining atomic.Bool
	stopping context.Context
	stop     context.CancelFunc
	// trouble is what Trouble was told last.
	trouble atomic.Pointer[error]
	rate    *rateLimit // nil without a limit
	// ready, when not nil, receives the address that Run listens on.
	ready chan net.Addr
}

// New prepares a server.
func New(engine Engine, options Options) (*Server, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{edition: newEdition(engine), options: options, queries: newRunning(), idle: idleTimeout}
	if s.proxies, err = readProxies(options.TrustedProxies); err != nil {
		return nil, err
	}
	admits := func(slots int) *admission {
		return newAdmission(slots, max(0, options.MaxQueued), options.MaxParked, options.ClientShare, options.QueueWait)
	}
	s.admit, s.updates, s.uploads = admits(options.MaxConcurrent), admits(options.MaxUpdates), admits(options.MaxUploads)
	s.tokens = digestsOf(slices.Concat(options.Tokens, options.WriteTokens))
	s.origins = trustedOrigins(options.Origins)
	s.rate = newRateLimit(options.Rate, options.Burst)
	s.answers = newAnswerCache(options.AnswerCache, options.Budget)
	s.tracer = newTracer(options.Traces)
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.metrics = newMetrics(s)
	if s.hooks, err = newWebhooks(s, s.metrics.registry); err != nil {
		return nil, err
	}
	s.tools = mcp.New(mcp.Options{Budget: options.Budget, Log: options.Log}).Handler(func(r *http.Request) mcp.Source { return caller{s, r} })
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP answers one request. A panic of a handler is logged and answered with 500.
func (s *Server) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w := &tracked{ResponseWriter: out}
	id := identify(r)
	if s.tracer != nil {
		var end func()
		r, end = s.tracer.request(w, r)
		defer end()
	}
	defer s.recover(w, r)
	setField(w, "X-Content-Type-Options", "nosniff")
	setField(w, headerRequestID, id)
	if s.plainQuery(r) {
		if s.withinRate(w, r) {
			s.serveQuery(w, r)
		}
		return
	}
	s.handler.ServeHTTP(w, r)
}

// plainQuery reports a request for the endpoint that no middleware has anything to say about: most of the traffic.
func (s *Server) plainQuery(r *http.Request) bool {
	return r.URL.Path == "/sparql" && r.Method != http.MethodOptions && !s.options.asksTokens() && r.Header["Origin"] == nil
}

func (s *Server) routes() http.Handler {
	router := chi.NewRouter()
	if len(s.options.Origins) > 0 {
		router.Use(cors.Handler(cors.Options{
			AllowedOrigins: s.options.Origins,
			AllowedMethods: []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"},
			AllowedHeaders: []string{"Accept", "Authorization", "Content-Type", "Content-Encoding", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer", "X-Rdfgpu-*",
				headerSemantics, headerDevice, headerTimeout, headerExplain, headerSend, headerMinSequence, headerDryRun, headerBase, headerRequestID, "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"},
			ExposedHeaders: []string{headerQueryID, headerRequestID, headerRows, headerSequence, "ETag", "Location", "Server-Timing", "Retry-After"},
			MaxAge:         3600,
		}))
	}
	router.Get("/healthz", s.serveHealth)
	router.Get("/readyz", s.serveReady)
	router.HandleFunc("/subscribe", s.subscribing())
	router.HandleFunc("/subscribe/", s.subscribing())
	router.Group(func(router chi.Router) {
		router.Use(s.authenticate)
		router.HandleFunc("/sparql", s.limited(s.serveQuery))
		router.HandleFunc("/sparql/", s.limited(s.serveQuery))
		router.HandleFunc("/update", s.limited(s.serveUpdate))
		router.HandleFunc("/update/", s.limited(s.serveUpdate))
		router.HandleFunc(storePath, s.limited(s.serveGraphs))
		router.HandleFunc(storePath+"/*", s.limited(s.serveGraphs))
		router.HandleFunc("/mine", s.limited(s.serveMine))
		router.HandleFunc("/mcp", s.limited(s.serveTools))
		router.Handle("/metrics", s.metrics.handler())
		router.Route("/api", func(router chi.Router) {
			router.Get("/info", s.serveInfo)
			router.Get("/schema", s.serveSchema)
			router.Get("/examples", s.serveExamples)
			router.Post("/graph", s.serveGraph)
			router.Get("/queries", s.serveQueries)
			router.Delete("/queries/{id}", s.serveCancel)
			router.Get("/history", s.serveHistory)
			router.Get("/subscriptions", s.serveHooks)
			router.Get("/subscriptions/{id}", s.serveHook)
			router.Delete("/subscriptions/{id}", s.serveHook)
		})
		if s.options.Pprof {
			router.HandleFunc("/debug/pprof/*", pprof.Index)
			router.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
			router.HandleFunc("/debug/pprof/profile", pprof.Profile)
			router.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
			router.HandleFunc("/debug/pprof/trace", pprof.Trace)
		}
	})
	router.NotFound(s.serveWorkbench)
	router.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, "", &Problem{Status: http.StatusMethodNotAllowed, Title: "method not allowed"})
	})
	return router
}

// recover answers a request whose handler panicked. http.ErrAbortHandler, which breaks a response off, passes.
func (s *Server) recover(w *tracked, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v)
	}
	s.panicked(r, v)
	if w.begun {
		panic(http.ErrAbortHandler)
	}
	s.fail(w, r, "", &Problem{Status: http.StatusInternalServerError, Title: "internal error"})
}

// panicked counts a panic, and logs it.
func (s *Server) panicked(r *http.Request, v any) {
	s.metrics.panics.Inc()
	s.options.Log.Error("a request panicked", "path", r.URL.Path, "request", requestOf(r), "panic", fmt.Sprint(v), "stack", stack())
}

// tracked knows whether a response has begun, and with which status.
type tracked struct {
	http.ResponseWriter
	begun  bool
	status int
	fields fields
}

// WriteHeader sends the header.
func (t *tracked) WriteHeader(status int) {
	t.begun, t.status = true, status
	t.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (t *tracked) Write(b []byte) (int, error) {
	if !t.begun {
		t.begun, t.status = true, http.StatusOK
	}
	return t.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find flushing and deadlines.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }
