package main

import (
	"encoding/json"
	"os"
	"testing"

	"tierup.local/conformance"
)

// variants are all that can run a call of the package. All must be built, as the tests would pass without testing one that is not.
var variants = []string{"1:spawn", "1:pool", "2:core", "3:native"}

func TestMain(m *testing.M) {
	var record struct {
		Variants map[string]struct{ Built bool }
	}
	text, err := os.ReadFile("../.tierup/go/built.json")
	if err == nil {
		err = json.Unmarshal(text, &record)
	}
	if err != nil {
		panic(err)
	}
	for _, name := range variants {
		if !record.Variants[name].Built {
			panic(name + " is not built: run `tierup build conformance`")
		}
	}
	os.Exit(m.Run())
}

// each runs a test at every variant.
func each(t *testing.T, test func(t *testing.T, c *conformance.Binding)) {
	for _, tier := range variants {
		t.Run(tier, func(t *testing.T) { test(t, bound(t, tier)) })
	}
}

func bound(t testing.TB, tier string) *conformance.Binding {
	t.Helper()
	c, err := conformance.Bind(conformance.Options{Tier: tier})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// equal fails if a call failed or returned another value.
func equal[T comparable](t *testing.T, expected T) func(found T, err error) {
	t.Helper()
	return func(found T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if found != expected {
			t.Fatalf("%v, not %v", found, expected)
		}
	}
}

// failed fails unless a call ended with this kind of error, and returns it.
func failed[E error](t *testing.T, err error) E {
	t.Helper()
	found, ok := asType[E](err)
	if !ok {
		t.Fatalf("%T %v is no %T", err, err, found)
	}
	return found
}
