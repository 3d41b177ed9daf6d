package web

import (
	"math"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rdfgpu/rdfgpu"
)

// outcomes are the values of the label outcome.
var outcomes = []string{"ok", "malformed", "refused", "unsupported", "timeout", "rows", "memory", "spill", "cancelled", "gone", "stalled", "slow", "busy", "error"}

// latencyBuckets are seconds: 100 µs to 100 s.
var latencyBuckets = []float64{1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60, 100}

// metrics is what /metrics shows, in a registry of the server's own.
type metrics struct {
	registry *prometheus.Registry
	outcome  map[string]prometheus.Counter
	latency  prometheus.Histogram
	phase    []prometheus.Observer
	rows     prometheus.Counter
	bytes    prometheus.Counter
	panics   prometheus.Counter
	overdue  prometheus.Counter
	updates  *updateMetrics
	standing *standingMetrics
}

func newMetrics(s *Server) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), outcome: map[string]prometheus.Counter{}}
	queries := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rdfgpu_queries_total", Help: "Queries by outcome."}, []string{"outcome"})
	for _, name := range outcomes {
		m.outcome[name] = queries.WithLabelValues(name)
	}
	phases := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "rdfgpu_phase_seconds",
		Help: "Time that queries spent in each phase.", Buckets: latencyBuckets}, []string{"phase"})
	for _, p := range phasesOf(rdfgpu.Timings{}) {
		m.phase = append(m.phase, phases.WithLabelValues(p.name))
	}
	m.latency = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "rdfgpu_query_seconds",
		Help: "Time from a query's arrival to the end of its answer.", Buckets: latencyBuckets})
	m.rows = prometheus.NewCounter(prometheus.CounterOpts{Name: "rdfgpu_rows_total", Help: "Solutions and triples found."})
	m.bytes = prometheus.NewCounter(prometheus.CounterOpts{Name: "rdfgpu_response_bytes_total", Help: "Bytes of answers sent, compressed where they were."})
	m.panics = prometheus.NewCounter(prometheus.CounterOpts{Name: "rdfgpu_panics_total", Help: "Requests that panicked."})
	m.overdue = prometheus.NewCounter(prometheus.CounterOpts{Name: "rdfgpu_queries_overdue_total",
		Help: "Queries that went on for a tenth of a second after they should have ended."})
	m.registry.MustRegister(queries, phases, m.latency, m.rows, m.bytes, m.panics, m.overdue,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.updates = newUpdateMetrics(m.registry)
	m.standing = newStandingMetrics(m.registry, s)
	m.registry.MustRegister(gauges(s)...)
	m.registry.MustRegister(answerMetrics(s.answers)...)
	if s.options.Budget != nil {
		m.registry.MustRegister(budgetMetrics{s.options.Budget})
	}
	return m
}

// gauges are read when somebody looks.
func gauges(s *Server) []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	return []prometheus.Collector{
		gauge("rdfgpu_queries_underway", "Queries and updates that wait or run.", func() float64 { return float64(s.queries.len()) }),
		gauge("rdfgpu_queries_running", "Queries that run.", func() float64 { return float64(s.admit.now().running) }),
		gauge("rdfgpu_queries_waiting", "Queries that wait for their turn.", func() float64 { return float64(s.admit.now().waiting) }),
		gauge("rdfgpu_queries_parked", "Queries that wait for their clients to read, and hold no slot.", func() float64 { return float64(s.admit.now().parked) }),
		gauge("rdfgpu_queries_returning", "Queries that wait for a slot again after their clients have read.", func() float64 { return float64(s.admit.now().returning) }),
		gauge("rdfgpu_updates_running", "Updates that the engine has.", func() float64 { return float64(s.updates.now().running + s.uploads.now().running) }),
		gauge("rdfgpu_updates_waiting", "Updates that wait until the engine may have them.", func() float64 { return float64(s.updates.now().waiting + s.uploads.now().waiting) }),
		connectionMetrics{s}, liveMetrics{s},
		gauge("rdfgpu_store_triples", "Triples in the store.", func() float64 { return s.size(func(i rdfgpu.Info) float64 { return float64(i.Triples) }) }),
		gauge("rdfgpu_store_bytes", "Size of the store on disk.", func() float64 { return s.size(func(i rdfgpu.Info) float64 { return float64(i.TotalBytes) }) }),
		gauge("rdfgpu_store_checked", "Whether every checksum of the store has been compared and is right.", s.is(whole)),
		gauge("rdfgpu_store_damaged", "Whether a file of the store is not what was written.", s.is(damaged)),
		gauge("rdfgpu_store_available", "Whether the store that is served could be opened again.", func() float64 {
			if s.troubled() != nil {
				return 0
			}
			return 1
		}),
		deviceMetrics{s}, cacheMetrics{s},
	}
}

// size is a number of the store's description, NaN where the store is too damaged to have one.
func (s *Server) size(of func(rdfgpu.Info) float64) float64 {
	engine, done := s.use()
	defer done()
	info, err := engine.Info()
	if err != nil {
		return math.NaN()
	}
	return of(info)
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// finished counts one query.
func (m *metrics) finished(outcome string, elapsed time.Duration) {
	if c := m.outcome[outcome]; c != nil {
		c.Inc()
	}
	if elapsed > 0 {
		m.latency.Observe(elapsed.Seconds())
	}
}

// phases records where the time went.
func (m *metrics) phases(t rdfgpu.Timings) {
	if t.Total == 0 {
		return
	}
	for i, phase := range phasesOf(t) {
		if phase.spent > 0 {
			m.phase[i].Observe(phase.spent.Seconds())
		}
	}
}

// phase is a part of a query's time.
type phase struct {
	name  string
	spent time.Duration
}

// phasesOf lists the parts, always in this order.
func phasesOf(t rdfgpu.Timings) [9]phase {
	return [...]phase{{"parse", t.Parse}, {"open-device", t.OpenDevice}, {"plan", t.Plan}, {"match", t.Match}, {"upload", t.Upload}, {"kernels", t.Kernels},
		{"download", t.Download}, {"decode", t.Decode}, {"write", t.Write}}
}
