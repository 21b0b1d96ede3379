package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"conformance-go/own"

	"tierup.local/conformance"
)

func TestTheEnvironmentChoosesTheTier(t *testing.T) {
	for tier, expected := range map[string]string{"": "3:native", "0": "0", "0:free": "0:free", "1": "1:pool", "2": "2:core", "1:spawn": "1:spawn"} {
		t.Setenv("TIERUP_TIER", tier)
		c, err := conformance.Bind(conformance.Options{Baseline: &own.Functions})
		if err != nil {
			t.Fatal(err)
		}
		if c.Tier() != expected {
			t.Fatal(tier, c.Tier())
		}
		equal(t, "text")(c.EchoText("text"))
		_ = c.Close()
	}
}

func TestAnErrorOfTheServersOwnIsACallErrorToo(t *testing.T) {
	sentinel := errors.New("mine")
	functions := conformance.Functions{Fail: func(string) ([]byte, error) { return nil, sentinel }}
	for _, tier := range []string{"0", "0:free", "0:tuned"} {
		c, err := conformance.Bind(conformance.Options{
			Tier: tier, Baseline: &functions, Baselines: map[string]*conformance.Functions{"tuned": &functions},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Fail("x")
		if failed[*conformance.CallError](t, err).Message != "mine" || !errors.Is(err, sentinel) {
			t.Fatal(err)
		}
		_, err = c.EchoText("x")
		if message := failed[*conformance.UnavailableError](t, err).Message; message != "the baseline has no function EchoText" {
			t.Fatal(message)
		}
	}
}

func TestFreeReplaysWhatWasAnswered(t *testing.T) {
	t.Setenv("TIERUP_RECORDING", t.TempDir())
	calls := 0
	functions := conformance.Functions{EchoShapes: func(shapes []conformance.Shape) ([]conformance.Shape, error) {
		calls++
		return slices.Clone(shapes), nil
	}}
	shapes := []conformance.Shape{conformance.ShapeCircle{Value: 1}}
	for range 3 {
		// A new binding stands for a new process, which would find the same record.
		c, err := conformance.Bind(conformance.Options{Tier: "0:free", Baseline: &functions})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			found, err := c.EchoShapes(shapes)
			if err != nil || len(found) != 1 || found[0] != shapes[0] {
				t.Fatal(found, err)
			}
			// The caller owns the answer and may change it.
			found[0] = nil
		}
	}
	if calls != 1 {
		t.Fatal(calls)
	}
}

func TestWhatCannotRunIsAClearErrorAtStart(t *testing.T) {
	check := func(tier, expected string) {
		t.Helper()
		_, err := conformance.Bind(conformance.Options{Tier: tier})
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Fatal(err)
		}
	}
	check("0", "pass them as Baseline in the Options")
	check("0:tuned", `pass them as Baselines["tuned"] in the Options`)
	check("3:async", "goroutines already run calls in parallel; use 3:native")
	check("2:component", "wazero does not support components")
	check("4", "tierup serve --tier 4")
	check("9", `"9" is not a tier`)
}

func TestFallingBackIsAskedForAndSeen(t *testing.T) {
	t.Setenv("TIERUP_FALLBACK", "1")
	c, err := conformance.Bind(conformance.Options{Tier: "3:async"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Tier() != "3:native" {
		t.Fatal(c.Tier())
	}
	_ = c.Close()
}

func TestHealthWithoutAGoldenCallSaysSo(t *testing.T) {
	c := bound(t, "2:core")
	if message := failed[*conformance.HealthError](t, c.CheckHealth()).Message; !strings.Contains(message, "give it a [health]") {
		t.Fatal(message)
	}
}
