package main

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tierup.local/conformance"
)

func TestTheFunctionsErrorIsAnErrorWithItsWords(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		for _, words := range []string{"plain", "", "ä\n\"quoted\" 😀", strings.Repeat("long ", 2000)} {
			_, err := c.Fail(words)
			if failed[*conformance.CallError](t, err).Error() != words {
				t.Fatal(err)
			}
		}
		if err := c.CheckLimit(3, 2); failed[*conformance.CallError](t, err).Message != "more than 2 is too large" {
			t.Fatal(err)
		}
		if err := c.CheckLimit(1, 2); err != nil {
			t.Fatal(err)
		}
		equal(t, int64(12))(c.ParseNumber(" 12 "))
	})
}

func TestAPanicIsAnErrorAndTheNextCallWorks(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		for number := range 20 {
			words := "round " + strconv.Itoa(number)
			_, err := c.PanicWith(words)
			if message := failed[*conformance.PanicError](t, err).Message; !regexp.MustCompile(`^` + words + `, at \S+calls\.rs:\d+:\d+$`).MatchString(message) {
				t.Fatal(message)
			}
			_, err = c.PanicWith(strings.Repeat(words, 2000))
			if message := failed[*conformance.PanicError](t, err).Message; !strings.HasPrefix(message, words+words) {
				t.Fatal(message)
			}
			_, err = c.Item([]uint32{1, 2}, 7)
			failed[*conformance.PanicError](t, err)
			equal(t, uint32(2))(c.Item([]uint32{1, 2}, 1))
		}
	})
}

func TestPanicsAmongCallsAtOnceHarmOnlyThemselves(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		var group sync.WaitGroup
		for number := range 500 {
			group.Go(func() {
				text := "text " + strconv.Itoa(number)
				answer, err := c.PanicIf(number%10 == 0, text)
				_, panicked := asType[*conformance.PanicError](err)
				if panicked != (number%10 == 0) || !panicked && answer != strings.ToUpper(text) {
					t.Error(number, answer, err)
				}
			})
		}
		group.Wait()
	})
}

func TestWhatTheFunctionPrintsDoesNotGetIntoItsAnswer(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		equal(t, "cba")(c.PrintAndReturn("abc"))
		equal(t, strings.Repeat("\nx", 1000))(c.PrintAndReturn(strings.Repeat("x\n", 1000)))
	})
}

func TestATrappedInstanceIsThrownAway(t *testing.T) {
	c := bound(t, "2:core")
	_, _ = c.CountCalls()
	_, _ = c.CountCalls()
	_, err := c.PanicWith("x")
	failed[*conformance.PanicError](t, err)
	equal(t, uint64(1))(c.CountCalls())
}

func TestAKilledWorkerIsReplaced(t *testing.T) {
	c := bound(t, "1:pool")
	equal(t, "before")(c.EchoText("before"))
	var group sync.WaitGroup
	var mutex sync.Mutex
	lost := 0
	for range 200 {
		group.Go(func() {
			if err := work(c); err != nil {
				if _, ok := asType[*conformance.TransportError](err); !ok || !strings.Contains(err.Error(), "ended before it answered") {
					t.Error(err)
				}
				mutex.Lock()
				lost++
				mutex.Unlock()
			}
		})
	}
	kill(t, workers(t)...)
	group.Wait()
	if lost > 50 {
		t.Fatal(lost, "calls were lost")
	}
	equal(t, "after")(c.EchoText("after"))
}

func TestAClosedBindingRefusesOrAnswers(t *testing.T) {
	for _, tier := range variants {
		c, err := conformance.Bind(conformance.Options{Tier: tier})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				for range 20 {
					if text, err := c.EchoText("x"); err == nil && text != "x" {
						t.Error(tier, text)
					}
				}
			})
		}
		_ = c.Close()
		_ = c.Close()
		group.Wait()
	}
}
