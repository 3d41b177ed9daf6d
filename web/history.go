package web

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// The last hour: a look at the metrics every historyInterval, as many as fit into historySpan.
const (
	historyInterval = 10 * time.Second
	historySpan     = time.Hour
)

// reading is what the metrics said at one moment, counted since the server began.
type reading struct {
	at                    time.Time
	queries, failed, rows float64
	// latency holds, for each bucket's upper bound in seconds, how many queries took no longer.
	latency        map[float64]uint64
	memory, device float64
}

// history keeps the readings of the last hour. Its methods are safe for concurrent use.
type history struct {
	mu       sync.Mutex
	readings []reading
}

// add keeps a reading and lets go of what is older than the span.
func (h *history) add(r reading) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(h.readings) > 0 && r.at.Sub(h.readings[0].at) > historySpan {
		h.readings = h.readings[1:]
	}
	h.readings = append(h.readings, r)
}

// due reports whether the newest reading is older than the interval.
func (h *history) due(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.readings) == 0 || now.Sub(h.readings[len(h.readings)-1].at) >= historyInterval
}

// sample is what happened between two readings, as /api/history tells it.
type sample struct {
	At      int64   `json:"at"` // milliseconds since 1970
	Queries float64 `json:"queries"`
	Failed  float64 `json:"failed"`
	Rows    float64 `json:"rows"`
	Median  float64 `json:"medianMilliseconds"`
	Slow    float64 `json:"slowMilliseconds"` // 95 % took no longer
	Memory  float64 `json:"memoryBytes"`
	Device  float64 `json:"deviceBytes"`
}

// samples are the differences between readings, oldest first; the first reading counts from nothing.
func (h *history) samples() []sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]sample, 0, len(h.readings))
	var before reading
	for _, r := range h.readings {
		list = append(list, between(before, r))
		before = r
	}
	return list
}

func between(before, now reading) sample {
	return sample{
		At: now.at.UnixMilli(), Queries: now.queries - before.queries, Failed: now.failed - before.failed, Rows: now.rows - before.rows,
		Median: 1e3 * quantile(before, now, 0.5), Slow: 1e3 * quantile(before, now, 0.95), Memory: now.memory, Device: now.device,
	}
}

// quantile is the upper bound in seconds of the bucket in which the share of the queries between two readings ended; 0
// where there was no query, the highest bound where they took longer than that.
func quantile(before, now reading, share float64) float64 {
	last := latencyBuckets[len(latencyBuckets)-1]
	total := now.queries - before.queries
	if total <= 0 {
		return 0
	}
	for _, bound := range latencyBuckets {
		if float64(now.latency[bound]-before.latency[bound]) >= share*total {
			return bound
		}
	}
	return last
}

// read takes a reading of the metrics.
func (m *metrics) read() reading {
	r := reading{at: time.Now(), latency: map[float64]uint64{}}
	families, _ := m.registry.Gather() // what could be gathered is there beside an error
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			switch family.GetName() {
			case "rdfgpu_queries_total":
				r.queries += metric.GetCounter().GetValue()
				if metric.GetLabel()[0].GetValue() != "ok" {
					r.failed += metric.GetCounter().GetValue()
				}
			case "rdfgpu_rows_total":
				r.rows = metric.GetCounter().GetValue()
			case "rdfgpu_query_seconds":
				for _, bucket := range metric.GetHistogram().GetBucket() {
					r.latency[bucket.GetUpperBound()] = bucket.GetCumulativeCount()
				}
			case "process_resident_memory_bytes":
				r.memory = metric.GetGauge().GetValue()
			case "rdfgpu_gpu_memory_used_bytes":
				r.device = metric.GetGauge().GetValue()
			}
		}
	}
	return r
}

// keepHistory takes readings until stop is called or ctx ends; stop waits for that.
func (s *Server) keepHistory(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(historyInterval)
		defer ticker.Stop()
		for ctx.Err() == nil {
			s.history.add(s.metrics.read())
			select {
			case <-ticker.C:
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// serveHistory tells the last hour. Where nobody keeps it, a look is a reading.
func (s *Server) serveHistory(w http.ResponseWriter, r *http.Request) {
	if s.history.due(time.Now()) {
		s.history.add(s.metrics.read())
	}
	s.writeJSON(w, r, map[string]any{"intervalSeconds": historyInterval.Seconds(), "samples": s.history.samples()})
}
