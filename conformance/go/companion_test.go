package main

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"tierup.local/conformance"
)

// programs returns how many processes that the package started in this one live.
func programs(t *testing.T) int {
	t.Helper()
	lines, err := exec.Command("ps", "-wweo", "pid,ppid,stat,args").Output()
	if err != nil {
		t.Fatal(err)
	}
	below := map[string]bool{strconv.Itoa(os.Getpid()): true}
	found := 0
	// Workers are the companion's children, and may precede it in the list, so one round would not find them.
	for round := range 2 {
		for line := range strings.Lines(string(lines)) {
			fields := strings.Fields(line)
			if !below[fields[1]] || fields[2][0] == 'Z' || !strings.Contains(line, "--tierup-") {
				continue
			}
			below[fields[0]] = true
			found += round
		}
	}
	return found
}

func waitFor(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !isSo(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never happens:", what)
		}
	}
}

func noneLives(t *testing.T) {
	t.Helper()
	waitFor(t, "all processes of the program end", func() bool { return programs(t) == 0 })
}

func TestNothingIsLeftOfAClosedPool(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), descriptors(t)
	for range 5 {
		c, err := conformance.Bind(conformance.Options{Tier: "1:pool"})
		if err != nil || c.Ready() != nil {
			t.Fatal(err)
		}
		equal(t, "text")(c.EchoText("text"))
		_ = c.Close()
	}
	noneLives(t)
	waitFor(t, "as many goroutines and descriptors as before", func() bool {
		return runtime.NumGoroutine() <= goroutines && descriptors(t) <= files
	})
}
