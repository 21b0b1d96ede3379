// Package metrics registers the counts of a binding with Prometheus.
package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"tierup.local/conformance"
)

// Register is called once, after Bind.
func Register(registry prometheus.Registerer, binding *conformance.Binding) {
	count := func(name, help string, read func(conformance.Metrics) uint64) {
		options := prometheus.CounterOpts{Name: name, Help: help}
		registry.MustRegister(prometheus.NewCounterFunc(options, func() float64 { return float64(read(binding.Metrics())) }))
	}
	count("tierup_calls_total", "Calls.", func(m conformance.Metrics) uint64 { return m.Calls })
	count("tierup_errors_total", "Calls with an error of the function.", func(m conformance.Metrics) uint64 { return m.Errors })
	count("tierup_panics_total", "Calls with a panic.", func(m conformance.Metrics) uint64 { return m.Panics })
	count("tierup_timeouts_total", "Calls that timed out.", func(m conformance.Metrics) uint64 { return m.Timeouts })
	count("tierup_lost_total", "Calls whose answer was lost.", func(m conformance.Metrics) uint64 { return m.Lost })

	m := binding.Metrics()
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "tierup_info",
		Help:        "What runs.",
		ConstLabels: prometheus.Labels{"package": m.Package, "tier": m.Tier, "asked": m.Asked, "instead": m.Instead, "abi": m.ABI},
	}, func() float64 { return 1 }))
}
