package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tierup.local/conformance"
)

// TIERUP_ROLLOUT: the control's answers reach every caller, whatever the candidate, the disk or the companion does. Answers that
// differ are found.

const (
	shadowLines = "candidate=3:native\nshadow=1\nkeep=values\n"
	shareLines  = "candidate=3:native\nshare=1\n"
)

// atControl are functions of a server: like those in Rust, but for some inputs.
var atControl = conformance.Functions{
	EchoText: func(text string) (string, error) {
		switch text {
		case "😀":
			return ":-)", nil
		case "panic":
			panic("own words")
		}
		return text, nil
	},
	PanicIf: func(condition bool, text string) (string, error) { return strings.ToUpper(text), nil },
	Fail:    func(words string) ([]byte, error) { return nil, errors.New("own words for " + words) },
	HangOn: func(word string) (uint32, error) {
		if word == "changed" {
			return 0, nil
		}
		return uint32(len(word)), nil
	},
	MakeBytes: func(length uint32) ([]byte, error) { return make([]byte, min(length, 100)), nil },
	EchoTexts: func(texts []string) ([]string, error) {
		answer := append([]string{}, texts...)
		for at := range texts {
			texts[at] = "changed"
		}
		return answer, nil
	},
	EchoBytes:  func(content []byte) ([]byte, error) { return content, nil },
	CountCalls: func() (uint64, error) { return 0, nil },
}

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
	c, err := conformance.Bind(conformance.Options{Tier: "0", Baseline: &atControl})
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
	Compared, Alike, Different, Panics, Timeouts, Deaths, Dropped int
	Host                                                          struct {
		Process, Refusal                                                                   string
		Calls, Sampled, TooLarge, Refused, Dropped, Shared, Errors, Panics, Timeouts, Lost int
	}
}

// evidence returns the counts of each process that compares, and the calls that differ.
func evidence(t *testing.T, path string) (found []counts, differences []string) {
	t.Helper()
	files, _ := filepath.Glob(path + ".evidence/*.jsonl")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// A file that was just made is empty.
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		lines := strings.Split(string(text), "\n")
		var one counts
		if err := json.Unmarshal([]byte(strings.ReplaceAll(lines[0], "too_large", "TooLarge")), &one); err != nil {
			t.Fatal(err, lines[0])
		}
		found, differences = append(found, one), append(differences, lines[1:]...)
	}
	return found, differences
}

// only returns the counts of the only process that compares, and the calls that differ.
func only(t *testing.T, path string) (counts, []string) {
	t.Helper()
	found, differences := evidence(t, path)
	if len(found) != 1 {
		t.Fatal(found)
	}
	return found[0], differences
}

// compared waits until so many calls are compared, which may take long: comparing has the lowest priority.
func compared(t *testing.T, path string, count int) {
	t.Helper()
	waitFor(t, fmt.Sprint(count, " calls are compared"), func() bool {
		found, _ := evidence(t, path)
		sum := 0
		for _, one := range found {
			sum += one.Compared
		}
		return sum == count
	})
}

func same(t *testing.T, found, expected any) {
	t.Helper()
	if fmt.Sprint(found) != fmt.Sprint(expected) {
		t.Fatalf("%v, not %v", found, expected)
	}
}

func TestRolloutFindsWhatDiffersAndNothingElse(t *testing.T) {
	c, path := rolledOut(t, shadowLines)
	for _, text := range []string{"a", "", "ä\n"} {
		equal(t, text)(c.EchoText(text))
	}
	equal(t, ":-)")(c.EchoText("😀"))
	// The candidate panics in the first call.
	equal(t, "X")(c.PanicIf(true, "x"))
	equal(t, "X")(c.PanicIf(false, "x"))
	// Errors with different messages are alike. The caller gets the server's own error.
	_, err := c.Fail("it")
	same(t, failed[*conformance.CallError](t, err).Message, "own words for it")
	// The control changes its arguments, and the caller the answer. Neither change is compared.
	texts := []string{"a", "b"}
	answer, err := c.EchoTexts(texts)
	same(t, []any{answer, err, texts}, "[[a b] <nil> [changed changed]]")
	answer[0] = "changed"
	// A panic of the server's own function reaches the caller.
	func() {
		defer func() { same(t, recover(), "own words") }()
		_, _ = c.EchoText("panic")
	}()
	// CountCalls is not pure, so it is not compared.
	equal(t, uint64(0))(c.CountCalls())
	// Nor are these calls: Rust would refuse the text, and the bytes are too large.
	equal(t, "\xff")(c.EchoText("\xff"))
	for _, size := range []int{65_533, 1 << 20} {
		content, err := c.EchoBytes(make([]byte, size))
		same(t, []any{len(content), err}, []any{size, nil})
	}
	compared(t, path, 9)
	equal(t, strings.Repeat("x", 60_000))(c.EchoText(strings.Repeat("x", 60_000)))
	compared(t, path, 10)
	counted(t, c, 14, 2, 0, 0, 0)
	_ = c.Close()
	one, differences := only(t, path)
	same(t, []int{one.Compared, one.Alike, one.Different, one.Panics, one.Timeouts, one.Deaths}, "[10 7 3 1 0 0]")
	found := one.Host
	same(t, []int{found.Calls, found.Sampled, found.TooLarge, found.Refused, found.Dropped}, "[13 13 2 1 0]")
	same(t, found.Refusal, "EchoText: text: expected text in UTF-8")
	same(t, len(differences), 3)
}

func TestRolloutWritesNoValueUnlessTheControlFileAsksForIt(t *testing.T) {
	c, path := rolledOut(t, "candidate=3:native\nshadow=1\n")
	equal(t, ":-)")(c.EchoText("😀"))
	equal(t, "\xff")(c.EchoText("\xff"))
	compared(t, path, 1)
	_ = c.Close()
	one, differences := only(t, path)
	same(t, []any{one.Different, one.Host.Refusal, len(differences)}, "[1 EchoText 0]")
}

func TestRolloutForgetsAValueWithKeepValues(t *testing.T) {
	c, path := rolledOut(t, shadowLines)
	refusal := func() string {
		found, _ := evidence(t, path)
		if len(found) == 0 {
			return ""
		}
		return found[0].Host.Refusal
	}
	equal(t, "\xff")(c.EchoText("\xff"))
	waitFor(t, "why it was refused is told", func() bool { return strings.HasPrefix(refusal(), "EchoText: ") })
	written(t, path, strings.Replace(shadowLines, "keep=values\n", "", 1))
	waitFor(t, "it is forgotten", func() bool { return refusal() == "EchoText" })
}

func TestRolloutLeavesAControlAloneThatIsTheCandidate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout")
	written(t, path, "candidate=3:native\nshare=1\n")
	t.Setenv("TIERUP_ROLLOUT", path)
	c, err := conformance.Bind(conformance.Options{Tier: "3:native"})
	if err != nil || c.Ready() != nil {
		t.Fatal(err)
	}
	failed[*conformance.PanicError](t, second(c.PanicIf(true, "x")))
	metrics := c.Metrics()
	_ = c.Close()
	same(t, []uint64{metrics.Calls, metrics.Panics}, "[1 1]")
	one, _ := only(t, path)
	same(t, []int{one.Host.Calls, one.Host.Shared}, "[0 0]")
}

func second[T any](_ T, err error) error { return err }

func TestRolloutFindsCallsThatHangOrDieBesideTheServer(t *testing.T) {
	t.Setenv("TIERUP_CALL_TIMEOUT", "3")
	c, path := rolledOut(t, shadowLines)
	for _, word := range []string{"really", "deeply", "fine"} {
		equal(t, uint32(len(word)))(c.HangOn(word))
	}
	content, err := c.MakeBytes(1 << 20)
	same(t, []any{len(content), err}, "[100 <nil>]")
	compared(t, path, 4)
	_ = c.Close()
	one, _ := only(t, path)
	same(t, []int{one.Alike, one.Different, one.Timeouts, one.Deaths}, "[1 3 1 1]")
}

func TestRolloutLetsTheControlAnswerWhateverPanics(t *testing.T) {
	c, path := rolledOut(t, shareLines)
	for number := range 1000 {
		equal(t, fmt.Sprint("X", number))(c.PanicIf(true, fmt.Sprint("x", number)))
		// The candidate is still called, as no more than half of its calls panic.
		equal(t, "X")(c.PanicIf(false, "x"))
		equal(t, "X")(c.PanicIf(false, "x"))
	}
	equal(t, "😀")(c.EchoText("😀"))
	_, err := c.Fail("it")
	same(t, failed[*conformance.CallError](t, err).Message, "own words for it")
	equal(t, "\xff")(c.EchoText("\xff"))
	counted(t, c, 3003, 1, 0, 0, 0)
	_ = c.Close()
	one, _ := only(t, path)
	found := one.Host
	same(t, []int{found.Calls, found.Shared, found.Panics, found.Errors, found.Refused}, "[3003 3003 1000 1 1]")
}

func TestRolloutGivesNoMoreToACandidateThatFailsInMoreThanHalfOfItsCalls(t *testing.T) {
	said := rolledOutApart(t, shareLines, func(c *conformance.Binding, path string) {
		for range 300 {
			equal(t, "X")(c.PanicIf(true, "x"))
		}
		equal(t, ":-)")(c.EchoText("😀"))
		written(t, path, shareLines+"generation=2\n")
		waitFor(t, "the candidate is asked again", func() bool { return side(t, c) == "😀" })
	})
	if !strings.Contains(said, "100 of 100 calls failed at 3:native, so the control answers until the control file changes") {
		t.Fatal(said)
	}
}

// side returns the answer to an input for which the candidate and the control answer differently.
func side(t *testing.T, c *conformance.Binding) string {
	t.Helper()
	answer, err := c.EchoText("😀")
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestRolloutKeepsTheSameInputWithItsSide(t *testing.T) {
	c, _ := rolledOut(t, "candidate=3:native\nshare=0.5\nby=input\nkey=secret\n")
	sides := [2]string{}
	for round := range sides {
		for number := range 400 {
			content := []byte(fmt.Sprint(number))
			answer, err := c.EchoBytes(content)
			if err != nil {
				t.Fatal(err)
			}
			// The control returns its argument itself, and the candidate a copy.
			sides[round] += map[bool]string{true: "0", false: "1"}[&answer[0] == &content[0]]
		}
	}
	if count := strings.Count(sides[0], "1"); sides[0] != sides[1] || count <= 140 || count >= 260 {
		t.Fatal(sides)
	}
	// The hash is the same in Python and Node.
	same(t, sides[0][:40], "0100111111100001001111111110001001100111")
}

func TestRolloutFileThatIsMissingCutWrongOrOverMeansTheControl(t *testing.T) {
	lines := shareLines + "until=4102444800\n"
	digest := sha256.Sum256([]byte(lines))
	whole := lines + "checksum=" + hex.EncodeToString(digest[:8]) + "\n"
	cases := []struct{ text, words string }{
		{whole[:len(whole)-9], "its last line has no end: it may be cut"},
		{strings.Replace(whole, "share=1", "share=0.9", 1), "its checksum does not fit the lines above it"},
		{strings.Replace(shareLines, "1", "1.5", 1), "`share` must be a number from 0 to 1, such as 0.01, got \"1.5\""},
		{"candidate=0:tuned\nshare=1\n", "`candidate` must be a variant in Rust, such as 3:native, got \"0:tuned\""},
		{shareLines + "until=1\n", "its judge has not renewed it: `until` is over"},
		{strings.Repeat("#\n", 2049), "it has more than 4096 bytes"},
		{"", "no such file or directory"},
	}
	said := rolledOutApart(t, whole, func(c *conformance.Binding, path string) {
		for _, one := range cases {
			waitFor(t, "the candidate answers", func() bool { return side(t, c) == "😀" })
			if one.text == "" {
				_ = os.Remove(path)
			} else {
				written(t, path, one.text)
			}
			waitFor(t, "the control answers: "+one.words, func() bool { return side(t, c) == ":-)" })
			written(t, path, whole)
		}
	})
	same(t, strings.Count(said, "is not obeyed, so the control answers every call: "), len(cases))
	for _, one := range cases {
		if !strings.Contains(said, one.words) {
			t.Fatal(one.words, " is not in ", said)
		}
	}
}

func TestRolloutWithKilledCompanionsChangesNothingForCallers(t *testing.T) {
	c, path := rolledOut(t, shadowLines)
	large := make([]byte, 60_000)
	for number := range 10 {
		processes := programs(t, "")
		for _, process := range processes {
			_ = syscall.Kill(process, []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP}[number%2])
		}
		for range 50 {
			equal(t, "a")(c.EchoText("a"))
			if answer, err := c.EchoBytes(large); err != nil || &answer[0] != &large[0] {
				t.Fatal(err)
			}
		}
		time.Sleep(300 * time.Millisecond)
		for _, process := range processes {
			_ = syscall.Kill(process, syscall.SIGCONT)
		}
	}
	waitFor(t, "calls are compared again", func() bool {
		equal(t, "a")(c.EchoText("a"))
		found, _ := evidence(t, path)
		for _, one := range found {
			if one.Compared > 0 && one.Host.Calls >= 1000 {
				return true
			}
		}
		return false
	})
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
	one, _ := only(t, path)
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

// rolledOutApart makes calls in a process of its own, which runs this test again, and returns what the rollout wrote to standard
// error.
func rolledOutApart(t *testing.T, lines string, calls func(c *conformance.Binding, path string)) string {
	t.Helper()
	if path := os.Getenv("ROLLED_OUT"); path != "" {
		c := rolledOutBy(t, path)
		calls(c, path)
		// The first process checks the output of this one.
		t.SkipNow()
	}
	path := filepath.Join(t.TempDir(), "rollout")
	written(t, path, lines)
	text, err := again(t, path, "")
	if err != nil {
		t.Fatal(err, text)
	}
	return text
}

// again runs this test in a process of its own, which finds the path and the task in its environment.
func again(t *testing.T, path, task string) (string, error) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^"+regexp.QuoteMeta(t.Name())+"$")
	command.Env = append(os.Environ(), "ROLLED_OUT="+path, "TASK="+task)
	var text strings.Builder
	command.Stdout, command.Stderr = &text, &text
	err := command.Run()
	return text.String(), err
}

// task makes the calls of a process that again started.
func task(t *testing.T) {
	c := rolledOutBy(t, os.Getenv("ROLLED_OUT"))
	switch os.Getenv("TASK") {
	case "die":
		equal(t, uint32(6))(c.HangOn("deeply"))
		fmt.Println("it lives")
	case "be killed":
		equal(t, "a")(c.EchoText("a"))
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func TestRolloutStartsAtTheControlAfterTwoDeathsInACallOfTheCandidate(t *testing.T) {
	if os.Getenv("ROLLED_OUT") != "" {
		task(t)
		return
	}
	path := filepath.Join(t.TempDir(), "rollout")
	written(t, path, shareLines)
	for range 2 {
		if text, err := again(t, path, "die"); err == nil || strings.Contains(text, "it lives") {
			t.Fatal(text, err)
		}
	}
	// A process that is killed between two calls does not count against the candidate.
	if text, err := again(t, path, "be killed"); err == nil {
		t.Fatal(text)
	}
	text, err := again(t, path, "die")
	if err != nil || !strings.Contains(text, "it lives") || !strings.Contains(text, "2 processes died in a call of 3:native ") {
		t.Fatal(text, err)
	}
	written(t, path, shareLines+"generation=2\n")
	if text, err := again(t, path, "die"); err == nil {
		t.Fatal(text)
	}
}

func TestRolloutInAFolderThatCannotBeWrittenInChangesNothingForCallers(t *testing.T) {
	if os.Getenv("ROLLED_OUT") != "" {
		task(t)
		return
	}
	path := filepath.Join(t.TempDir(), "rollout")
	written(t, path, shareLines+"shadow=1\n")
	// A file stands where the folder for the evidence would be.
	written(t, path+".evidence", "")
	text, err := again(t, path, "die")
	if err != nil || !strings.Contains(text, "it lives") || !strings.Contains(text, "nobody would learn that a call of 3:native ended the process") ||
		!strings.Contains(text, "the evidence of a shadow is incomplete") {
		t.Fatal(text, err)
	}
}
