package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"conformance-go/own"

	"tierup.local/conformance"
)

// TIERUP_ROLLOUT in Go alone: goroutines, panics, text that is not UTF-8. What all languages promise is in
// crates/tierup/tests/conformance/rollout.rs.

const (
	shadowLines = "candidate=3:native\nshadow=1\nkeep=values\n"
	shareLines  = "candidate=3:native\nshare=1\n"
)

// rolledOut is the baseline under a control file with these lines, ready.
func rolledOut(t *testing.T, lines string) (*conformance.Binding, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rollout")
	written(t, path, lines)
	return rolledOutBy(t, path), path
}

func rolledOutBy(t *testing.T, path string) *conformance.Binding {
	t.Helper()
	t.Setenv("TIERUP_ROLLOUT", path)
	c, err := conformance.Bind(conformance.Options{Tier: "0", Baseline: &own.Different})
	if err != nil || c.Ready() != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		noneLives(t)
	})
	return c
}

// written replaces a file in one step, so that no reader finds half of it.
func written(t *testing.T, path, lines string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".part", []byte(lines), 0o600), os.Rename(path+".part", path)); err != nil {
		t.Fatal(err)
	}
}

type counts struct {
	Compared, Different, Dropped int
	Host                         struct {
		Refusal                                          string
		Calls, Sampled, Refused, Dropped, Shared, Panics int
	}
}

// evidence returns the counts of the process that compares. At first, it has no file, or an empty one.
func evidence(t *testing.T, path string) (found counts) {
	t.Helper()
	files, _ := filepath.Glob(path + ".evidence/*.jsonl")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if line, _, isWhole := bytes.Cut(text, []byte("\n")); isWhole {
			err = json.Unmarshal(line, &found)
		}
		if err != nil {
			t.Fatal(err, string(text))
		}
	}
	return found
}

func same(t *testing.T, found, expected any) {
	t.Helper()
	if fmt.Sprint(found) != fmt.Sprint(expected) {
		t.Fatalf("%v, not %v", found, expected)
	}
}

func TestRolloutComparesPanicsAndCountsTextThatRustRefuses(t *testing.T) {
	c, path := rolledOut(t, shadowLines)
	// A panic of the server's own function reaches the caller.
	func() {
		defer func() { same(t, recover(), "own words") }()
		_, _ = c.EchoText("panic")
	}()
	_, err := c.Fail("it")
	same(t, failed[*conformance.CallError](t, err).Message, "own words for it")
	// The control changes its arguments, and the caller the answer. Neither change is compared.
	texts := []string{"a", "b"}
	answer, err := c.EchoTexts(texts)
	same(t, []any{answer, err, texts}, "[[a b] <nil> [changed changed]]")
	answer[0] = "changed"
	equal(t, "\xff")(c.EchoText("\xff"))
	found := func() []any {
		one := evidence(t, path)
		return []any{one.Compared, one.Different, one.Host.Sampled, one.Host.Refused, one.Host.Refusal}
	}
	waitFor(t, "the reason is told", func() bool {
		return fmt.Sprint(found()) == "[3 1 4 1 EchoText: text: expected text in UTF-8]"
	})
	// The reason may contain a value, which is forgotten with the line that asks for it.
	written(t, path, strings.Replace(shadowLines, "keep=values\n", "", 1))
	waitFor(t, "the reason is forgotten", func() bool { return fmt.Sprint(found()) == "[3 1 4 1 EchoText]" })
	counted(t, c, 4, 2, 0, 0, 0)
}

func TestRolloutWritesNoReasonUnlessTheControlFileAsksForIt(t *testing.T) {
	c, path := rolledOut(t, "candidate=3:native\nshadow=1\n")
	equal(t, "\xff")(c.EchoText("\xff"))
	_ = c.Close()
	same(t, evidence(t, path).Host.Refusal, "EchoText")
}

func TestRolloutCountsACallOnce(t *testing.T) {
	c, path := rolledOut(t, shareLines)
	equal(t, "X")(c.PanicIf(true, "x"))
	equal(t, "\xff")(c.EchoText("\xff"))
	_, err := c.Fail("it")
	same(t, failed[*conformance.CallError](t, err).Message, "own words for it")
	counted(t, c, 3, 1, 0, 0, 0)
	_ = c.Close()
	found := evidence(t, path).Host
	same(t, []int{found.Calls, found.Shared, found.Panics, found.Refused}, "[3 3 1 1]")
}

func TestRolloutCountsAndAnswersGoroutinesAtOnce(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), descriptors(t)
	c, path := rolledOut(t, strings.Replace(shadowLines, "shadow=1", "shadow=0.1\nshare=0.5", 1))
	other := rolledOutBy(t, path)
	var group sync.WaitGroup
	for number := range 8 {
		group.Go(func() {
			for range 1000 {
				if answer, err := []*conformance.Binding{c, other}[number%2].EchoText("a"); err != nil || answer != "a" {
					t.Error(answer, err)
				}
			}
		})
	}
	group.Wait()
	marks, _ := filepath.Glob(path + ".evidence/*.call")
	text, _ := os.ReadFile(marks[0])
	same(t, string(text), "0 3:native\n")
	_ = c.Close()
	equal(t, "a")(other.EchoText("a"))
	_ = other.Close()
	counted(t, c, 4000, 0, 0, 0, 0)
	one := evidence(t, path)
	same(t, one.Host.Calls, 8001)
	// The package and the companion both drop calls that they have no room for.
	if one.Different > 0 || one.Compared+one.Dropped+one.Host.Dropped != one.Host.Sampled || one.Host.Shared < 3000 {
		t.Fatal(one)
	}
	if marks, _ := filepath.Glob(path + ".evidence/*.call"); len(marks) > 0 {
		t.Fatal(marks)
	}
	noneLives(t)
	waitFor(t, "as many goroutines and descriptors as before", func() bool {
		return runtime.NumGoroutine() <= goroutines && descriptors(t) <= files
	})
}
