package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"conformance-go/metrics"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tierup.local/conformance"
)

// counted fails unless the binding has these counts of calls, errors, panics, time-outs and lost calls.
func counted(t *testing.T, c *conformance.Binding, expected ...uint64) {
	t.Helper()
	m := c.Metrics()
	found := []uint64{m.Calls, m.Errors, m.Panics, m.Timeouts, m.Lost}
	if fmt.Sprint(found) != fmt.Sprint(expected) {
		t.Fatal(c.Tier(), found, expected)
	}
}

// some makes 6 calls: 3 good ones, an error, a panic, and one whose argument is refused.
func some(t *testing.T, c *conformance.Binding) {
	t.Helper()
	equal(t, "text")(c.EchoText("text"))
	equal(t, uint8(1))(c.EchoU8(1))
	if err := c.DoNothing(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Fail("words")
	failed[*conformance.CallError](t, err)
	_, err = c.PanicWith("words")
	failed[*conformance.PanicError](t, err)
	_, err = c.EchoText("\xff")
	failed[*conformance.ArgumentError](t, err)
}

// What all languages promise is in crates/tierup/tests/conformance/metrics.rs.

func TestMetricsAreInTheRegistry(t *testing.T) {
	c := bound(t, "3:native")
	registry := prometheus.NewRegistry()
	metrics.Register(registry, c)
	some(t, c)
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	text := answer.Body.String()
	info := `tierup_info{abi="` + c.Metrics().ABI + `",asked="3:native",instead="",package="conformance",tier="3:native"} 1`
	for _, line := range []string{
		"tierup_calls_total 6", "tierup_errors_total 1", "tierup_panics_total 1", "tierup_timeouts_total 0", "tierup_lost_total 0", info,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Error(line, "is not in", text)
		}
	}
}
