package web

import "github.com/prometheus/client_golang/prometheus"

// standingOutcomes are the values of the label outcome of subscriptions: how they end.
var standingOutcomes = []string{"gone", "stalled", "ended", "cancelled", "memory", "rows", "timeout", "spill", "malformed", "refused", "unsupported", "busy", "error"}

// standingEvents are the values of the label event.
var standingEvents = []string{eventSnapshot, eventChange, eventProgress, eventEnd}

// standingMetrics counts queries that stand.
type standingMetrics struct{ outcome, events map[string]prometheus.Counter }

func newStandingMetrics(registry prometheus.Registerer, s *Server) *standingMetrics {
	m := &standingMetrics{map[string]prometheus.Counter{}, map[string]prometheus.Counter{}}
	ended := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rdfgpu_subscriptions_total", Help: "Subscriptions that have ended, or were refused, by outcome."}, []string{"outcome"})
	for _, name := range standingOutcomes {
		m.outcome[name] = ended.WithLabelValues(name)
	}
	events := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rdfgpu_subscription_events_total", Help: "Events that were sent to subscribers."}, []string{"event"})
	for _, name := range standingEvents {
		m.events[name] = events.WithLabelValues(name)
	}
	registry.MustRegister(ended, events,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "rdfgpu_subscriptions", Help: "Queries that stand."}, func() float64 {
			n, _ := s.queries.standingNow()
			return float64(n)
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "rdfgpu_subscription_sockets", Help: "WebSockets that are open."}, func() float64 {
			return float64(s.sockets.now.Load())
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "rdfgpu_subscription_memory_bytes", Help: "Memory that is held for queries that stand, as of what they were told last."}, func() float64 {
			_, held := s.queries.standingNow()
			return float64(held)
		}))
	return m
}

// finished counts a subscription that has ended.
func (m *standingMetrics) finished(outcome string) {
	c := m.outcome[outcome]
	if c == nil {
		c = m.outcome["error"]
	}
	c.Inc()
}
