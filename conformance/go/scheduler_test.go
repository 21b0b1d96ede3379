package main

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
)

// Code that wazero compiled cannot be interrupted: if calls had all of Go's processors, nothing else would run.
func TestGoroutinesGoOnWhileCallsRunAtCore(t *testing.T) {
	withProcessors(t, 2)
	// A garbage collection waits for calls at 2:core and stops everything else meanwhile, as the docs say.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	c := bound(t, "2:core")
	var turns atomic.Int64
	var isDone atomic.Bool
	var other, callers sync.WaitGroup
	other.Go(func() {
		for !isDone.Load() {
			turns.Add(1)
			runtime.Gosched()
		}
	})
	for range 2 {
		callers.Go(func() {
			before := int64(0)
			for number := range 500 {
				if err := work(c); err != nil {
					t.Error(err)
				}
				// After 20 calls, the other caller has begun, too.
				if number == 20 {
					before = turns.Load()
				}
				// Between calls there may be one or two turns; during a call there are thousands.
				if number > 20 && turns.Load()-before > 10_000 {
					return
				}
			}
			t.Error(turns.Load()-before, "turns during 480 calls")
		})
	}
	callers.Wait()
	isDone.Store(true)
	other.Wait()
}

// withProcessors sets GOMAXPROCS for one test.
func withProcessors(t *testing.T, count int) {
	before := runtime.GOMAXPROCS(count)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
