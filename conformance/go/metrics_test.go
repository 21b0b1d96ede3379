package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
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

func TestMetricsCountTheCallsOfABinding(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		other := bound(t, c.Tier())
		some(t, c)
		counted(t, c, 6, 1, 1, 0, 0)
		counted(t, other, 0, 0, 0, 0, 0)
		m := c.Metrics()
		if m.Package != "conformance" || m.Tier != c.Tier() || m.Asked != c.Tier() || m.Instead != "" || len(m.ABI) != 16 {
			t.Fatal(m)
		}
	})
}

func TestMetricsSayWhatRunsInsteadOfWhat(t *testing.T) {
	t.Setenv("TIERUP_FALLBACK", "1")
	c := bound(t, "3:async")
	expected := "conformance cannot run at tier 3:async: goroutines already run calls in parallel; use 3:native"
	if m := c.Metrics(); m.Tier != "3:native" || m.Asked != "3:async" || m.Instead != expected {
		t.Fatal(m)
	}
}

func TestMetricsCountTimeouts(t *testing.T) {
	c := limited(t, "1:pool")
	defer c.Close()
	areTimeouts(t, hung(c, 2)())
	counted(t, c, 2, 0, 0, 2, 0)
}

func TestMetricsCountLostCalls(t *testing.T) {
	t.Setenv("TIERUP_WORKERS", "2")
	c := bound(t, "1:pool")
	wait := hung(c, 2)
	// The workers are killed again and again, because one may be killed before it gets its call.
	waitFor(t, "both calls are lost", func() bool {
		kill(t, workers(t)...)
		return c.Metrics().Lost == 2
	})
	wait()
	counted(t, c, 2, 0, 0, 0, 2)
}

func TestMetricsCountCallsAtOnce(t *testing.T) {
	c := bound(t, "3:native")
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			for range 100 {
				_, _ = c.EchoText("text")
				_, _ = c.Fail("words")
				_, _ = c.EchoU8(1)
			}
		})
	}
	group.Wait()
	counted(t, c, 30_000, 10_000, 0, 0, 0)
}

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
