package web

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rdfgpu/rdfgpu"
)

// updateOutcomes are the values of the label outcome of updates.
var updateOutcomes = []string{"ok", "dry-run", "malformed", "refused", "conflict", "unsupported", "timeout", "rows", "memory", "spill", "cancelled", "gone", "busy", "error"}

// updateMetrics counts what changes the store: updates, patches, and graphs that are written or removed.
type updateMetrics struct {
	outcome        map[string]prometheus.Counter
	latency        prometheus.Histogram
	added, removed prometheus.Counter
}

func newUpdateMetrics(registry prometheus.Registerer) *updateMetrics {
	m := &updateMetrics{outcome: map[string]prometheus.Counter{}}
	updates := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rdfgpu_updates_total", Help: "Updates by outcome."}, []string{"outcome"})
	for _, name := range updateOutcomes {
		m.outcome[name] = updates.WithLabelValues(name)
	}
	m.latency = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "rdfgpu_update_seconds",
		Help: "Time from an update's arrival to its commit or end.", Buckets: latencyBuckets})
	m.added = prometheus.NewCounter(prometheus.CounterOpts{Name: "rdfgpu_triples_added_total", Help: "Triples that updates added."})
	m.removed = prometheus.NewCounter(prometheus.CounterOpts{Name: "rdfgpu_triples_removed_total", Help: "Triples that updates removed."})
	registry.MustRegister(updates, m.latency, m.added, m.removed)
	return m
}

// refused counts a request that is no update as it should be.
func (m *updateMetrics) refused() { m.outcome["refused"].Inc() }

// finished counts one update.
func (m *updateMetrics) finished(outcome string, elapsed time.Duration, report rdfgpu.UpdateReport, dryRun bool) {
	if dryRun && outcome == "ok" {
		outcome = "dry-run"
	}
	c := m.outcome[outcome]
	if c == nil {
		c = m.outcome["error"]
	}
	c.Inc()
	m.latency.Observe(elapsed.Seconds())
	if outcome == "ok" {
		m.added.Add(float64(report.Added))
		m.removed.Add(float64(report.Removed))
	}
}

// liveMetrics shows what updates have left of the store; there is none where it is read-only.
type liveMetrics struct{ server *Server }

var liveValues = []struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(rdfgpu.LiveInfo) float64
}{
	{described("rdfgpu_sequence", "Number of the last commit."), prometheus.CounterValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.Sequence) }},
	{described("rdfgpu_updates_queued", "Updates that wait in the engine for those before them."), prometheus.GaugeValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.Waiting) }},
	{described("rdfgpu_delta_added_triples", "Triples that were added and are in no segment yet."), prometheus.GaugeValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.Added) }},
	{described("rdfgpu_delta_removed_triples", "Triples of the segments that were removed."), prometheus.GaugeValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.Removed) }},
	{described("rdfgpu_delta_terms", "Terms that are in no segment yet."), prometheus.GaugeValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.Terms) }},
	{described("rdfgpu_delta_bytes", "Memory of what is in no segment yet."), prometheus.GaugeValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.DeltaBytes) }},
	{described("rdfgpu_log_bytes", "Size of the log of updates."), prometheus.GaugeValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.LogBytes) }},
	{described("rdfgpu_flushes_total", "Times that what updates left was written as a segment."), prometheus.CounterValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.Flushes) }},
	{described("rdfgpu_compactions_total", "Times that segments were made one."), prometheus.CounterValue, func(l rdfgpu.LiveInfo) float64 { return float64(l.Compactions) }},
	{described("rdfgpu_store_writable", "Whether the store takes updates: 0 once one has failed so that it takes none any more."), prometheus.GaugeValue, func(l rdfgpu.LiveInfo) float64 {
		if l.Failed != "" {
			return 0
		}
		return 1
	}},
}

// Describe implements prometheus.Collector.
func (liveMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, v := range liveValues {
		out <- v.desc
	}
}

// Collect implements prometheus.Collector.
func (m liveMetrics) Collect(out chan<- prometheus.Metric) {
	engine, done := m.server.use()
	defer done()
	live, ok := engine.Live()
	if !ok {
		return
	}
	for _, v := range liveValues {
		out <- prometheus.MustNewConstMetric(v.desc, v.kind, v.value(live))
	}
}
