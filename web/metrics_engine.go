package web

import (
	"slices"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rdfgpu/rdfgpu"
)

// deviceMetrics asks the engine for its GPU once for each look at the metrics.
type deviceMetrics struct{ server *Server }

// deviceGauges are what is shown of the GPU. How busy it is, the driver's own exporters measure.
var deviceGauges = []struct {
	desc  *prometheus.Desc
	value func(rdfgpu.DeviceInfo) int64
}{
	{described("rdfgpu_gpu_available", "1 when queries can run on the GPU."), func(d rdfgpu.DeviceInfo) int64 {
		if d.Available {
			return 1
		}
		return 0
	}},
	{described("rdfgpu_gpu_memory_bytes", "Memory of the GPU."), func(d rdfgpu.DeviceInfo) int64 { return d.Memory }},
	{described("rdfgpu_gpu_memory_free_bytes", "Free memory of the GPU."), func(d rdfgpu.DeviceInfo) int64 { return d.Free }},
	{described("rdfgpu_gpu_memory_used_bytes", "Memory of the GPU that this process has taken."), func(d rdfgpu.DeviceInfo) int64 { return d.Used }},
	{described("rdfgpu_gpu_resident_bytes", "Bytes of the store that are resident on the GPU."), func(d rdfgpu.DeviceInfo) int64 { return d.Resident }},
	{described("rdfgpu_gpu_working_bytes", "Memory of the GPU that running queries hold."), func(d rdfgpu.DeviceInfo) int64 { return d.Working }},
	{described("rdfgpu_gpu_host_bytes", "Bytes of the store that lie in pinned host memory, because the GPU has no room for them."), func(d rdfgpu.DeviceInfo) int64 { return d.Host }},
}

// deviceCounters count from the start.
var deviceCounters = []struct {
	desc  *prometheus.Desc
	value func(rdfgpu.DeviceInfo) int64
}{
	{described("rdfgpu_gpu_copied_bytes_total", "Bytes of whole partitions that were copied to the GPU."), func(d rdfgpu.DeviceInfo) int64 { return d.Copied }},
	{described("rdfgpu_gpu_pages_copied_bytes_total", "Bytes of pages that were copied to the GPU, of partitions that do not fit it."), func(d rdfgpu.DeviceInfo) int64 { return d.PagesCopied }},
	{described("rdfgpu_gpu_page_hits_total", "How often a page was on the GPU when a step of a query wanted lists of it."), func(d rdfgpu.DeviceInfo) int64 { return d.PageHits }},
	{described("rdfgpu_gpu_page_misses_total", "How often a page was not on the GPU when a step of a query wanted lists of it."), func(d rdfgpu.DeviceInfo) int64 { return d.PageMisses }},
}

func described(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// Describe implements prometheus.Collector.
func (deviceMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, g := range slices.Concat(deviceGauges, deviceCounters) {
		out <- g.desc
	}
}

// Collect implements prometheus.Collector.
func (m deviceMetrics) Collect(out chan<- prometheus.Metric) {
	engine, done := m.server.use()
	defer done()
	info := engine.Device()
	for _, g := range deviceGauges {
		out <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(g.value(info)))
	}
	for _, c := range deviceCounters {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.CounterValue, float64(c.value(info)))
	}
}

// cacheMetrics shows the caches of parsed queries and of plans; it begins anew when the store changes.
type cacheMetrics struct{ server *Server }

var (
	cacheHits    = described("rdfgpu_parse_cache_hits_total", "Queries whose parsed form was kept from before.")
	cacheMisses  = described("rdfgpu_parse_cache_misses_total", "Queries that were parsed.")
	cacheEntries = described("rdfgpu_parse_cache_entries", "Parsed queries that are kept.")
	plansKept    = described("rdfgpu_plans_kept_total", "Queries whose plan was kept from before.")
	plansMade    = described("rdfgpu_plans_made_total", "Queries that were planned.")
)

// Describe implements prometheus.Collector.
func (cacheMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- cacheHits
	out <- cacheMisses
	out <- cacheEntries
	out <- plansKept
	out <- plansMade
}

// answerMetrics show the answers that are kept, where some may be.
func answerMetrics(c *answerCache) []prometheus.Collector {
	if c == nil {
		return nil
	}
	counter := func(name, help string, n *atomic.Uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(n.Load()) })
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	return []prometheus.Collector{
		counter("rdfgpu_answer_cache_hits_total", "Requests whose answer was kept from before.", &c.hits),
		counter("rdfgpu_answer_cache_misses_total", "Requests whose answer was looked for among those that are kept, and not found.", &c.misses),
		gauge("rdfgpu_answer_cache_entries", "Answers that are kept.", func() float64 { n, _ := c.size(); return float64(n) }),
		gauge("rdfgpu_answer_cache_bytes", "What they take, with those on their way.", func() float64 { _, bytes := c.size(); return float64(bytes) }),
	}
}

// Collect implements prometheus.Collector.
func (m cacheMetrics) Collect(out chan<- prometheus.Metric) {
	engine, done := m.server.use()
	defer done()
	stats := engine.CacheStats()
	out <- prometheus.MustNewConstMetric(cacheHits, prometheus.CounterValue, float64(stats.Hits))
	out <- prometheus.MustNewConstMetric(cacheMisses, prometheus.CounterValue, float64(stats.Misses))
	out <- prometheus.MustNewConstMetric(cacheEntries, prometheus.GaugeValue, float64(stats.Entries))
	out <- prometheus.MustNewConstMetric(plansKept, prometheus.CounterValue, float64(stats.Planned))
	out <- prometheus.MustNewConstMetric(plansMade, prometheus.CounterValue, float64(stats.Unplanned))
}
