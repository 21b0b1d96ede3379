package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tierup.local/conformance"
)

func memo(t *testing.T, functions *conformance.Functions) *conformance.Binding {
	t.Helper()
	binding, err := conformance.Bind(conformance.Options{Tier: "0:memo", Baseline: functions})
	if err != nil {
		t.Fatal(err)
	}
	return binding
}

// counting returns a function that counts its calls.
func counting(calls *int) *conformance.Functions {
	return &conformance.Functions{
		EchoText: func(text string) (string, error) {
			*calls++
			return text, nil
		},
		EchoBytes: func(content []byte) ([]byte, error) {
			*calls++
			return content, nil
		},
	}
}

func TestACallThatWasMadeBeforeIsAnsweredFromMemory(t *testing.T) {
	var calls int
	binding := memo(t, counting(&calls))
	for range 3 {
		for _, text := range []string{"a", "b"} {
			if found, err := binding.EchoText(text); err != nil || found != text {
				t.Fatal(found, err)
			}
		}
		if found, err := binding.EchoBytes([]byte("a")); err != nil || string(found) != "a" {
			t.Fatal(found, err)
		}
	}
	if calls != 3 || binding.Tier() != "0:memo" {
		t.Fatal(calls)
	}
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

func TestAnErrorIsNotKept(t *testing.T) {
	left := 2
	binding := memo(t, &conformance.Functions{EchoText: func(text string) (string, error) {
		if left--; left >= 0 {
			return "", errors.New("not now")
		}
		return text, nil
	}})
	for _, words := range []string{"not now", "not now", "", ""} {
		if _, err := binding.EchoText("a"); fmt.Sprint(err) != words && (words != "" || err != nil) {
			t.Fatal(err)
		}
	}
	if left != -1 {
		t.Fatal(left)
	}
	// Arguments that cannot be encoded go to the function each time.
	if found, err := binding.EchoText("\xff"); err != nil || found != "\xff" || left != -2 {
		t.Fatal(found, err, left)
	}
}

func TestKeptAnswersAreBoundedInNumberAndBytes(t *testing.T) {
	t.Setenv("TIERUP_MEMO_ENTRIES", "2")
	var calls int
	binding := memo(t, counting(&calls))
	for _, text := range strings.Split("abacab", "") {
		_, _ = binding.EchoText(text)
	}
	if calls != 4 {
		t.Fatal(calls)
	}
	t.Setenv("TIERUP_MEMO_ENTRIES", "")
	t.Setenv("TIERUP_MEMO_BYTES", "3000")
	calls = 0
	binding = memo(t, counting(&calls))
	one, other, large := make([]byte, 800), append(make([]byte, 799), 1), make([]byte, 4000)
	for _, content := range [][]byte{one, large, one, large, other, one} {
		_, _ = binding.EchoBytes(content)
	}
	if calls != 5 {
		t.Fatal(calls)
	}
	t.Setenv("TIERUP_MEMO_ENTRIES", "0")
	if _, err := conformance.Bind(conformance.Options{Tier: "0:memo", Baseline: counting(&calls)}); err == nil ||
		!strings.Contains(err.Error(), "TIERUP_MEMO_ENTRIES must be a whole number") {
		t.Fatal(err)
	}
}

func TestGoroutinesShareTheAnswersAndTheCounts(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TIERUP_MEMO_COUNTS", folder)
	t.Setenv("TIERUP_MEMO_ENTRIES", "3")
	binding := memo(t, &conformance.Functions{EchoText: func(text string) (string, error) { return text, nil }})
	end := time.Now().Add(300 * time.Millisecond)
	var group sync.WaitGroup
	for number := range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for turn := 0; time.Now().Before(end); turn++ {
				text := fmt.Sprint(turn * number % 7)
				if found, err := binding.EchoText(text); err != nil || found != text {
					t.Error(found, err)
				}
			}
		}()
	}
	group.Wait()
	names, _ := filepath.Glob(filepath.Join(folder, "*.counts"))
	if len(names) != 1 {
		t.Fatal(names)
	}
	content, _ := os.ReadFile(names[0])
	var calls, hits, entries, bytes int
	if _, err := fmt.Sscan(string(content), &calls, &hits, &entries, &bytes); err != nil {
		t.Fatal(err)
	}
	if calls < 10 || hits == 0 || hits >= calls || entries > 3 || bytes < 300 {
		t.Fatal(calls, hits, entries, bytes)
	}
}

func TestWorkersAreRefusedWithAReason(t *testing.T) {
	var calls int
	_, err := conformance.Bind(conformance.Options{Tier: "0:workers", Baseline: counting(&calls)})
	var unavailable *conformance.UnavailableError
	if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "goroutines already use all processors") {
		t.Fatal(err)
	}
}
