package web

import "github.com/prometheus/client_golang/prometheus"

// connectionMetrics shows the connections that Run accepts; there are none where another program listens.
type connectionMetrics struct{ server *Server }

var (
	connectionsOpen    = described("rdfgpu_connections", "Connections that are open.")
	connectionsEvicted = described("rdfgpu_connections_evicted_total", "Unused connections that were closed to make room.")
	connectionsRefused = described("rdfgpu_connections_refused_total", "Connections that were refused because all others were in use.")
)

// Describe implements prometheus.Collector.
func (connectionMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- connectionsOpen
	out <- connectionsEvicted
	out <- connectionsRefused
}

// Collect implements prometheus.Collector.
func (m connectionMetrics) Collect(out chan<- prometheus.Metric) {
	l := m.server.connections.Load()
	if l == nil {
		return
	}
	out <- prometheus.MustNewConstMetric(connectionsOpen, prometheus.GaugeValue, float64(l.len()))
	out <- prometheus.MustNewConstMetric(connectionsEvicted, prometheus.CounterValue, float64(l.evicted.Load()))
	out <- prometheus.MustNewConstMetric(connectionsRefused, prometheus.CounterValue, float64(l.refused.Load()))
}
