package main

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tierup.local/conformance"
)

// work keeps a processor busy for a millisecond or two: it writes 128 KiB as decimal numbers.
func work(c *conformance.Binding) error {
	_, err := c.DescribeAll(true, 1, "", 1, content, nil, nil, nil)
	return err
}

var content = make([]byte, 128<<10)

func TestGoRunsWhileACallHangs(t *testing.T) {
	// The call never returns, so it is made in a process of its own.
	environments := map[string][]string{
		"1:pool": nil,
		// The call takes one of Go's processors for ever, so there is one more; and a garbage collection would wait for the call.
		"2:core":   {"GOMAXPROCS=" + strconv.Itoa(runtime.NumCPU()+1), "GOGC=off"},
		"3:native": nil,
	}
	for tier, environment := range environments {
		t.Run(tier, func(t *testing.T) {
			if os.Getenv("HANG_AT") == tier {
				hang(t, tier)
				return
			}
			command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			command.Env = append(append(os.Environ(), "HANG_AT="+tier, "TIERUP_WORKERS=2"), environment...)
			if output, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
		})
	}
}

func hang(t *testing.T, tier string) {
	c, err := conformance.Bind(conformance.Options{Tier: tier})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = c.HangOn("really") }()
	time.Sleep(200 * time.Millisecond)
	for range 20 {
		equal(t, "meanwhile")(c.EchoText("meanwhile"))
		if os.Getenv("GOGC") != "off" {
			runtime.GC()
		}
	}
}

func TestManyCallsAtOnceAreAllAnswered(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		many := atOnce
		if c.Tier() == "1:spawn" {
			// Each call starts a process, which takes long.
			many = 500
		}
		var group sync.WaitGroup
		for number := range many {
			group.Go(func() {
				text := "call " + strconv.Itoa(number)
				if answer, err := c.EchoText(text); err != nil || answer != text {
					t.Error(answer, err)
				}
			})
		}
		group.Wait()
	})
}

// Each long call takes a thread, and Go ends a process with 10,000 threads.
func TestManyLongCallsAtOnceTakeFewThreads(t *testing.T) {
	c := bound(t, "3:native")
	var group sync.WaitGroup
	for range 1_000 {
		group.Go(func() {
			if err := work(c); err != nil {
				t.Error(err)
			}
		})
	}
	most := 0
	for range 50 {
		most = max(most, status(t, "Threads"))
		time.Sleep(5 * time.Millisecond)
	}
	group.Wait()
	if limit := max(16, 4*runtime.GOMAXPROCS(0)) + 40; most > limit {
		t.Fatal(most, "threads")
	}
}

func TestMemoryIsFlatOverManyCallsAndPanics(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		content := content[:16<<10]
		times := memoryRounds
		if os.Getenv("TIERUP_LONG") == "1" {
			times *= 5
		}
		if c.Tier() == "1:spawn" {
			// Each call starts a process, so many calls would take minutes. A leak would end with its process.
			times = 6
		}
		round := func() {
			for range 89 {
				_, _ = c.EchoBytes(content)
			}
			equal(t, conformance.Point{X: 1})(c.EchoPoint(conformance.Point{X: 1}))
			for range 10 {
				_, err := c.PanicWith("words")
				failed[*conformance.PanicError](t, err)
			}
			_, err := c.Fail("words")
			failed[*conformance.CallError](t, err)
		}
		for range times / 4 {
			round()
		}
		before := resident(t)
		for range times {
			round()
		}
		// A leak of a quarter of the content would be 70 MiB.
		if grown := resident(t) - before; grown > 48<<10 {
			t.Fatal(grown, "KiB more")
		}
	})
}

// resident returns how many KiB of memory this process has.
func resident(t *testing.T) int {
	t.Helper()
	runtime.GC()
	return status(t, "VmRSS")
}

// status returns a number of Linux's status of this process.
func status(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("this asks Linux")
	}
	_, rest, _ := strings.Cut(string(text), "\n"+name+":")
	number, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return number
}
