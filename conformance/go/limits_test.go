package main

import (
	"context"
	"errors"
	"os"
	"strings"
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

func TestTwoEndlessCallsAtOnceLeaveTwoWorkersThatAnswer(t *testing.T) {
	c := limited(t, "1:pool")
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
	beforePrograms, beforeDescriptors, memory := len(programs(t, "")), descriptors(t), resident(t)
	for range 3 {
		wait := hung(c, 2)
		time.Sleep(timeout / 2)
		equal(t, "third")(c.EchoText("third"))
		areTimeouts(t, wait())
	}
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "as many processes as before", func() bool { return len(programs(t, "")) == beforePrograms })
	if found := descriptors(t); found > beforeDescriptors {
		t.Fatal(found, "descriptors,", beforeDescriptors, "before")
	}
	if grown := resident(t) - memory; grown > 48<<10 {
		t.Fatal(grown, "KiB more")
	}
	wait := hung(c, 1)
	time.Sleep(200 * time.Millisecond)
	_ = c.Close()
	failed[*conformance.TransportError](t, wait()[0])
	noneLives(t)
}

func TestAnEndlessCallIsEnded(t *testing.T) {
	for _, tier := range []string{"1:spawn", "2:core"} {
		t.Run(tier, func(t *testing.T) {
			c := limited(t, tier)
			equal(t, "before")(c.EchoText("before"))
			before := descriptors(t)
			areTimeouts(t, hung(c, 3)())
			equal(t, "next")(c.EchoText("next"))
			_, err := c.PanicWith("words")
			failed[*conformance.PanicError](t, err)
			if found := descriptors(t); found > before {
				t.Fatal(found, "descriptors,", before, "before")
			}
			_ = c.Close()
			noneLives(t)
		})
	}
}

func TestAFullQueueAtOnceIsAnError(t *testing.T) {
	for _, tier := range []string{"1:spawn", "1:pool"} {
		t.Run(tier, func(t *testing.T) {
			t.Setenv("TIERUP_CALL_QUEUE", "3")
			// On a busy machine, a process may take seconds to start: no time limit.
			c := withTwoWorkers(t, tier)
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
		})
	}
}

func TestCloseGivesUpACallThatDoesNotEnd(t *testing.T) {
	for _, tier := range []string{"1:spawn", "1:pool"} {
		t.Run(tier, func(t *testing.T) {
			c, err := conformance.Bind(conformance.Options{Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			wait := hung(c, 1)
			time.Sleep(200 * time.Millisecond)
			_ = c.Close()
			failed[*conformance.TransportError](t, wait()[0])
			noneLives(t)
		})
	}
}

func TestLimitsAreNumbers(t *testing.T) {
	for name, wrong := range map[string][]string{
		"TIERUP_WORKERS":       {"0", "many"},
		"TIERUP_CALL_QUEUE":    {"0", "1.5"},
		"TIERUP_CALL_TIMEOUT":  {"0", "-1", "1e3", "2s", "1000001", "nan"},
		"TIERUP_START_TIMEOUT": {"0", "-1", "1e3", "2s", "1000001", "nan"},
	} {
		for _, text := range wrong {
			t.Setenv(name, text)
			_, err := conformance.Bind(conformance.Options{Tier: "1:pool"})
			if found := failed[*conformance.UnavailableError](t, err); !strings.Contains(found.Message, name+" must be a") {
				t.Fatal(err)
			}
		}
		t.Setenv(name, "")
	}
}
