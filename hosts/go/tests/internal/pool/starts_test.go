package pool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"MODULE/internal/failure"
	"MODULE/internal/variants"
)

// obey carries out the order of a worker's start: the first start has the first word of ORDERS, and so on; all that follow
// have the last.
func obey() {
	folder := os.Getenv("FOLDER")
	if folder == "" {
		return
	}
	orders, nth := strings.Fields(os.Getenv("ORDERS")), 1
	for os.Mkdir(filepath.Join(folder, fmt.Sprint("start-", nth)), 0o700) != nil {
		nth++
	}
	switch orders[min(nth, len(orders))-1] {
	case "hang":
		time.Sleep(time.Hour)
	case "exit":
		os.Exit(2)
	case "exit-late":
		time.Sleep(400 * time.Millisecond)
		os.Exit(2)
	case "exit-beside-another":
		for {
			if _, err := os.Stat(filepath.Join(folder, "start-2")); err == nil {
				os.Exit(2)
			}
			time.Sleep(10 * time.Millisecond)
		}
	case "late":
		time.Sleep(1500 * time.Millisecond)
		_ = os.Mkdir(filepath.Join(folder, "late"), 0o700)
	case "hang-with-care":
		_, _ = io.ReadAll(os.Stdin)
		_ = os.Mkdir(filepath.Join(folder, "was-let-end"), 0o700)
		os.Exit(0)
	}
}

// starting is a pool whose workers start by these orders, and what tells whether they left something.
func starting(t *testing.T, orders string, environment map[string]string) (variants.Variant, func(string) bool) {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("FOLDER", folder)
	t.Setenv("ORDERS", orders)
	return loaded(t, environment), func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	}
}

func waitFor(t *testing.T, has func(string) bool, name string) {
	t.Helper()
	for end := time.Now().Add(enough); !has(name); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(name, "never comes")
		}
	}
}

// calls makes so many calls at once.
func calls(t *testing.T, variant variants.Variant, count int) []error {
	t.Helper()
	return within(t, func() []error {
		var group sync.WaitGroup
		errs := make([]error, count)
		for number := range count {
			group.Add(1)
			go func() {
				defer group.Done()
				errs[number] = call(variant, fmt.Sprint("call ", number))
			}()
		}
		group.Wait()
		return errs
	})
}

func TestAllWhoWaitLearnThatNoWorkerStarted(t *testing.T) {
	pool, has := starting(t, "exit-late", map[string]string{"TIERUP_WORKERS": "2"})
	for _, err := range calls(t, pool, 20) {
		failed(t, err, failure.Transport, "itself ended without an answer: exit status 2")
	}
	if has("start-7") {
		t.Fatal("each call tried in turn")
	}
	shut(t, pool)
}

func TestWorkersThatHangInTurnsDoNotKeepCallsWaitingForEver(t *testing.T) {
	pool, has := starting(t, "hang exit-late hang", map[string]string{"TIERUP_WORKERS": "2", "TIERUP_START_TIMEOUT": "1"})
	for _, err := range calls(t, pool, 3) {
		failed(t, err, failure.Transport, "itself did not start within 1 s")
	}
	if has("start-5") {
		t.Fatal("the calls waited for one start after the other")
	}
	shut(t, pool)
}

func TestAStartThatFailsBesideAnotherFailsNoCallBeforeThatIsOver(t *testing.T) {
	pool, _ := starting(t, "exit-beside-another late exit", map[string]string{"TIERUP_WORKERS": "2"})
	if err := errors.Join(calls(t, pool, 2)...); err != nil {
		t.Fatal(err)
	}
	shut(t, pool)
}

func TestCallsThatHaveAWorkerDoNotLearnThatAnotherDidNotStart(t *testing.T) {
	pool, _ := starting(t, "ok exit", map[string]string{"TIERUP_WORKERS": "2"})
	if err := errors.Join(calls(t, pool, 20)...); err != nil {
		t.Fatal(err)
	}
	shut(t, pool)
}

func TestAStartThatHangsHoldsUpNoCallWhileAnotherWorkerIsFree(t *testing.T) {
	pool, has := starting(t, "hang ok", map[string]string{"TIERUP_WORKERS": "8"})
	first := make(chan error, 1)
	go func() { first <- call(pool, "first") }()
	waitFor(t, has, "start-1")
	for range 20 {
		if err := within(t, func() error { return call(pool, "text") }); err != nil {
			t.Fatal(err)
		}
	}
	// It caused the start that hangs, and had the worker that another call started.
	if err := within(t, func() error { return <-first }); err != nil {
		t.Fatal(err)
	}
	if has("start-3") {
		t.Fatal("a worker was free, and another was started")
	}
	shut(t, pool)
}

func TestSequentialCallsDoNotWaitForAStartThatHangs(t *testing.T) {
	// The second worker has this long to start, on a busy machine too.
	pool, _ := starting(t, "hang ok", map[string]string{"TIERUP_WORKERS": "8", "TIERUP_CALL_TIMEOUT": "5"})
	failed(t, call(pool, "first"), failure.Timeout, "no worker was free for the call within 5 s")
	for range 20 {
		if err := call(pool, "text"); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, pool)
}

func TestACallThatComesAfterAFailedStartIsAnsweredByTheNextOne(t *testing.T) {
	pool, _ := starting(t, "exit ok", nil)
	failed(t, call(pool, "a"), failure.Transport, "exit status 2")
	if err := within(t, func() error { return call(pool, "b") }); err != nil {
		t.Fatal(err)
	}
	shut(t, pool)
}

func TestReadyWaitsForAllStartsAndHasTheFirstError(t *testing.T) {
	pool, has := starting(t, "exit late ok", map[string]string{"TIERUP_WORKERS": "2"})
	failed(t, within(t, pool.Ready), failure.Transport, "exit status 2")
	if !has("late") {
		t.Fatal("the other worker was still starting")
	}
	shut(t, pool)
}

func TestReadyWaitsForStartsThatCallsHaveCaused(t *testing.T) {
	pool, has := starting(t, "late", nil)
	first := make(chan error, 1)
	go func() { first <- call(pool, "first") }()
	waitFor(t, has, "start-1")
	if err := within(t, pool.Ready); err != nil || !has("late") {
		t.Fatal(err, has("late"))
	}
	if err := within(t, func() error { return <-first }); err != nil {
		t.Fatal(err)
	}
	shut(t, pool)
}

func TestCloseKillsWorkersThatAreStarting(t *testing.T) {
	pool, has := starting(t, "hang-with-care", map[string]string{"TIERUP_WORKERS": "4"})
	ready := make(chan error, 1)
	go func() { ready <- pool.Ready() }()
	waitFor(t, has, "start-4")
	shut(t, pool)
	if err := within(t, func() error { return <-ready }); err != nil || has("was-let-end") {
		t.Fatal(err, has("was-let-end"))
	}
	failed(t, call(pool, "late"), failure.Transport, "the pool is closed")
}

func TestCloseWaitsForACallWhoseWorkerIsStarting(t *testing.T) {
	pool, has := starting(t, "late", nil)
	first := make(chan error, 1)
	go func() { first <- call(pool, "first") }()
	waitFor(t, has, "start-1")
	shut(t, pool)
	if err := within(t, func() error { return <-first }); err != nil {
		t.Fatal(err)
	}
}
