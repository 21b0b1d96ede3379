package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"tierup.local/conformance"
)

const timeout = 2500 * time.Millisecond

func limited(t *testing.T, tier string) *conformance.Binding {
	t.Helper()
	t.Setenv("TIERUP_CALL_TIMEOUT", "2.5")
	return withTwoWorkers(t, tier)
}

func withTwoWorkers(t *testing.T, tier string) *conformance.Binding {
	t.Helper()
	t.Setenv("TIERUP_WORKERS", "2")
	c, err := conformance.Bind(conformance.Options{Tier: tier})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this asks Linux")
	}
	return len(entries)
}

// hung makes calls that do not return, and returns a function that waits until all have failed.
func hung(c *conformance.Binding, count int) func() []error {
	var group sync.WaitGroup
	errs := make([]error, count)
	for number := range count {
		group.Go(func() { _, errs[number] = c.HangOn("really") })
	}
	return func() []error {
		group.Wait()
		return errs
	}
}

func areTimeouts(t *testing.T, errs []error) {
	t.Helper()
	for _, err := range errs {
		failed[*conformance.CallTimeoutError](t, err)
		failed[*conformance.TransportError](t, err)
		if !errors.Is(err, context.DeadlineExceeded) || !os.IsTimeout(err) {
			t.Fatalf("%T %v is no time-out of Go's", err, err)
		}
	}
}

func TestATimeoutIsOneOfGosToo(t *testing.T) {
	c := limited(t, "1:spawn")
	areTimeouts(t, hung(c, 1)())
	_ = c.Close()
}

// Calls of 1:spawn wait in other languages.
func TestAFullQueueAtSpawnIsAnError(t *testing.T) {
	t.Setenv("TIERUP_CALL_QUEUE", "3")
	// On a busy machine, a process may take seconds to start: no time limit.
	c := withTwoWorkers(t, "1:spawn")
	defer c.Close()
	var group sync.WaitGroup
	var mutex sync.Mutex
	refused, answered := 0, 0
	for range 200 {
		group.Go(func() {
			err := work(c)
			mutex.Lock()
			defer mutex.Unlock()
			if err == nil {
				answered++
			} else if found, _ := asType[*conformance.TransportError](err); found != nil &&
				found.Message == "3 calls wait for a worker already, which is the most (TIERUP_CALL_QUEUE)" {
				refused++
			} else {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if refused == 0 || answered < 5 {
		t.Fatal(refused, "were refused,", answered, "answered")
	}
}
