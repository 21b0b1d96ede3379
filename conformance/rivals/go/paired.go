// Times rows side by side: every round gives each row one slice, in an order of its own. What is compared is compared
// within a round, so that whatever else the machine does falls on all of them.
package main

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"time"
)

const (
	slice  = 20 * time.Millisecond
	rounds = 21
)

// compare prints a table; the first contestant is what the others are compared with.
func compare(title string, call Call, contestants []Contestant) {
	expected, err := call.Do(contestants[0])
	check(err)
	repeats := make([]int, len(contestants))
	for place, contestant := range contestants {
		answer, err := call.Do(contestant)
		if check(err); !bytes.Equal(answer, expected) {
			panic(contestant.Name + " answers otherwise than " + contestants[0].Name)
		}
		for repeats[place] = 1; repeats[place] < 1_000_000; {
			spent := timed(call, contestant, repeats[place]) * float64(repeats[place])
			if spent >= slice.Seconds() {
				break
			}
			wanted := int(float64(repeats[place]) * slice.Seconds() / max(spent, 1e-9))
			repeats[place] = min(repeats[place]*10, max(repeats[place]+1, wanted))
		}
	}
	times := make([][]float64, len(contestants))
	for range rounds {
		for _, place := range rand.Perm(len(contestants)) {
			times[place] = append(times[place], timed(call, contestants[place], repeats[place]))
		}
	}
	fmt.Printf("\n| %s: %s | one call | x the first | 10-90 %% |\n|---|--:|--:|--:|\n", title, call.Title)
	for place, contestant := range contestants {
		ratios := make([]float64, rounds)
		for round := range rounds {
			ratios[round] = times[place][round] / times[0][round]
		}
		slices.Sort(ratios)
		sorted := slices.Sorted(slices.Values(times[place]))
		fmt.Printf("| %s | %s | %.2f | %.2f-%.2f |\n", contestant.Name, written(sorted[rounds/2]),
			ratios[rounds/2], ratios[rounds/10], ratios[rounds-1-rounds/10])
	}
}

// timed answers seconds for one call.
func timed(call Call, contestant Contestant, count int) float64 {
	start := time.Now()
	for range count {
		_, err := call.Do(contestant)
		check(err)
	}
	return time.Since(start).Seconds() / float64(count)
}

func written(seconds float64) string {
	if seconds < 1e-3 {
		return fmt.Sprintf("%.2f us", seconds*1e6)
	}
	return fmt.Sprintf("%.2f ms", seconds*1e3)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
