package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tierup.local/conformance"
)

// programs returns the living processes that the package started in this one; with a mark, only the companion or its workers.
func programs(t *testing.T, mark string) []int {
	t.Helper()
	lines, err := exec.Command("ps", "-wweo", "pid,ppid,stat,args").Output()
	if err != nil {
		t.Fatal(err)
	}
	below := map[string]bool{strconv.Itoa(os.Getpid()): true}
	var found []int
	// Workers are the companion's children, and may precede it in the list, so one round would not find them.
	for round := range 2 {
		for line := range strings.Lines(string(lines)) {
			fields := strings.Fields(line)
			if !below[fields[1]] || fields[2][0] == 'Z' || !strings.Contains(line, "--tierup-") {
				continue
			}
			below[fields[0]] = true
			if round == 1 && strings.Contains(line, "--tierup-"+mark) {
				process, _ := strconv.Atoi(fields[0])
				found = append(found, process)
			}
		}
	}
	return found
}

// workers returns the pool's processes.
func workers(t *testing.T) []int { return programs(t, "connection") }

// kill kills processes and waits until they have ended.
func kill(t *testing.T, processes ...int) {
	t.Helper()
	for _, process := range processes {
		_ = syscall.Kill(process, syscall.SIGKILL)
	}
	for _, process := range processes {
		waitFor(t, "a process ends", func() bool { return !lives(process) })
	}
}

// lives reports whether any thread of a process lives: its pipes are open until then, and the first thread may end before the others.
func lives(process int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", process))
	return err == nil && (!strings.Contains(string(text), ") Z ") || len(threads) > 1)
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
	waitFor(t, "all processes of the program end", func() bool { return len(programs(t, "")) == 0 })
}

// ready returns a binding whose pool has two workers that are ready.
func ready(t *testing.T) *conformance.Binding {
	t.Helper()
	t.Setenv("TIERUP_WORKERS", "2")
	c := bound(t, "1:pool")
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAKilledCompanionIsStartedAnewAndItsWorkersLiveOn(t *testing.T) {
	c := ready(t)
	old := workers(t)
	wait := hung(c, 1)
	time.Sleep(200 * time.Millisecond)
	kill(t, programs(t, "companion")...)
	equal(t, "a")(c.EchoText("a"))
	for _, worker := range old {
		if !lives(worker) {
			t.Fatal("it ended with its companion:", worker)
		}
	}
	kill(t, old...)
	failed[*conformance.TransportError](t, wait()[0])
	// No call goes to a worker that has ended.
	for number := range 3 {
		equal(t, strconv.Itoa(number))(c.EchoText(strconv.Itoa(number)))
	}
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
	if len(programs(t, "companion")) != 1 || len(workers(t)) != 2 {
		t.Fatal(programs(t, "companion"), workers(t))
	}
}

func TestProcessesKilledAtRandomLoseCallsButGiveNoWrongAnswer(t *testing.T) {
	c := ready(t)
	var group sync.WaitGroup
	var isOver atomic.Bool
	var right atomic.Int64
	for client := range 4 {
		group.Go(func() {
			for number := 0; !isOver.Load(); number++ {
				text := fmt.Sprint(client, number)
				answer, err := c.EchoText(text)
				if _, isLost := asType[*conformance.TransportError](err); err != nil && !isLost || err == nil && answer != text {
					t.Error(text, answer, err)
				} else if err == nil {
					right.Add(1)
				}
			}
		})
	}
	for number := range 20 {
		before := right.Load()
		processes := workers(t)
		if number%4 == 3 {
			processes = programs(t, "companion")
		}
		kill(t, processes[:min(1, len(processes))]...)
		for wait := 0; wait < 3000 && right.Load() == before; wait++ {
			time.Sleep(20 * time.Millisecond)
		}
	}
	isOver.Store(true)
	group.Wait()
	if right.Load() < 20 {
		t.Fatal(right.Load(), "calls were answered")
	}
	// The last kill may hit a companion that is starting: then calls fail for half a second.
	answer, err := c.EchoText("after")
	for wait := 0; wait < 100 && err != nil; wait++ {
		time.Sleep(100 * time.Millisecond)
		answer, err = c.EchoText("after")
	}
	equal(t, "after")(answer, err)
}

func TestAWorkerThatReadsNoMoreIsGivenUpInTime(t *testing.T) {
	c := limited(t, "1:pool")
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
	stopped := workers(t)
	for _, worker := range stopped {
		_ = syscall.Kill(worker, syscall.SIGSTOP)
	}
	_, err := c.EchoBytes(make([]byte, 16<<20))
	areTimeouts(t, []error{err})
	kill(t, stopped...)
	equal(t, "next")(c.EchoText("next"))
	_ = c.Close()
	noneLives(t)
}

func TestACompanionThatSomebodyElseHasStarted(t *testing.T) {
	// The folder's path is short, because the path of a socket may have at most 107 bytes.
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	text, err := os.ReadFile("../.tierup/go/internal/built/program/program")
	program, socket := filepath.Join(folder, "program"), filepath.Join(folder, "socket")
	if err != nil || os.WriteFile(program, text, 0o700) != nil {
		t.Fatal(err)
	}
	own := ready(t)
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", programs(t, "companion")[0]))
	if err != nil {
		t.Skip("this asks Linux")
	}
	hash := strings.Split(string(line), "\x00")[2]
	_ = own.Close()

	t.Setenv("TIERUP_POOL_SOCKET", socket)
	c := bound(t, "1:pool")
	_, err = c.EchoText("early")
	if !strings.Contains(failed[*conformance.TransportError](t, err).Message, "(TIERUP_POOL_SOCKET): does its program run?") {
		t.Fatal(err)
	}
	// Linux ends the companion when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	companion := exec.Command(program, "--tierup-listen", socket, hash)
	if err := companion.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = companion.Process.Kill(), companion.Wait() })
	waitFor(t, "it listens", func() bool { _, err := os.Stat(socket); return err == nil })
	if err := c.Ready(); err != nil {
		t.Fatal(err)
	}
	equal(t, "text")(c.EchoText("text"))
	_ = c.Close()
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
