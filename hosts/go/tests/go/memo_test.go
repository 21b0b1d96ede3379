package server

import (
	"errors"
	"strings"
	"testing"

	"tierup.local/conformance"
)

// What all languages promise is in crates/tierup/tests/conformance/memo.rs.

func memo(t *testing.T, functions *conformance.Functions) *conformance.Binding {
	t.Helper()
	binding, err := conformance.Bind(conformance.Options{Tier: "0:memo", Baseline: functions})
	if err != nil {
		t.Fatal(err)
	}
	return binding
}

func TestNobodyCanChangeAKeptAnswer(t *testing.T) {
	reused := []byte("abc")
	binding := memo(t, &conformance.Functions{
		EchoBytes:  func([]byte) ([]byte, error) { return reused, nil },
		EchoChunks: func([][]byte) ([][]byte, error) { return nil, nil },
	})
	for range 3 {
		found, err := binding.EchoBytes([]byte("q"))
		if err != nil || string(found) != "abc" {
			t.Fatal(string(found), err)
		}
		clear(found)
		// The first answer is empty and not nil, as the later ones are.
		if chunks, err := binding.EchoChunks(nil); err != nil || chunks == nil {
			t.Fatal(chunks, err)
		}
	}
	if string(reused) != "abc" {
		t.Fatal(reused)
	}
}

func TestArgumentsThatCannotBeEncodedGoToTheFunction(t *testing.T) {
	calls := 0
	binding := memo(t, &conformance.Functions{EchoText: func(text string) (string, error) {
		calls++
		return text, nil
	}})
	for range 2 {
		if found, err := binding.EchoText("\xff"); err != nil || found != "\xff" {
			t.Fatal(found, err)
		}
	}
	if calls != 2 {
		t.Fatal(calls)
	}
}

func TestWorkersAreRefusedWithAReason(t *testing.T) {
	_, err := conformance.Bind(conformance.Options{Tier: "0:workers", Baseline: &conformance.Functions{}})
	var unavailable *conformance.UnavailableError
	if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "goroutines already use all processors") {
		t.Fatal(err)
	}
}
