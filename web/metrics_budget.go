package web

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rdfgpu/rdfgpu"
)

// budgetMetrics shows what queries hold of the process's memory and temporary disk.
type budgetMetrics struct{ budget *rdfgpu.Budget }

var budgetGauges = []struct {
	desc  *prometheus.Desc
	value func(rdfgpu.BudgetUsage) int64
}{
	{described("rdfgpu_memory_limit_bytes", "Memory that the process may take, mapped files aside."), func(u rdfgpu.BudgetUsage) int64 { return u.Memory }},
	{described("rdfgpu_query_memory_limit_bytes", "Memory that all queries may hold together."), func(u rdfgpu.BudgetUsage) int64 { return u.Live }},
	{described("rdfgpu_query_memory_bytes", "Memory that queries and requests hold."), func(u rdfgpu.BudgetUsage) int64 { return u.Used }},
	{described("rdfgpu_spill_limit_bytes", "Temporary files that queries may have on disk at once."), func(u rdfgpu.BudgetUsage) int64 { return u.MaxSpill }},
	{described("rdfgpu_spill_bytes", "Temporary files that queries have on disk."), func(u rdfgpu.BudgetUsage) int64 { return u.Spilled }},
}

// Describe implements prometheus.Collector.
func (budgetMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, g := range budgetGauges {
		out <- g.desc
	}
}

// Collect implements prometheus.Collector.
func (m budgetMetrics) Collect(out chan<- prometheus.Metric) {
	usage := m.budget.Usage()
	for _, g := range budgetGauges {
		out <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(g.value(usage)))
	}
}
