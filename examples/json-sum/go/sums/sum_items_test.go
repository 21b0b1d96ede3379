package sums

import (
	"strings"
	"testing"
)

// The contract in `../../node/test` has more of them, for every server.
func TestBothTakeTheSameBodies(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	const none = -1
	for body, expected := range map[string]int64{
		`{"items":[{"value":1},{"value":2.0},{"value":3e2}]}`: 606,
		`{"items":[]}`: 0,
		`{"items":[{"value":0.99999999999999999999}]}`:                           2,
		`{"items":[{"value":1,"value":4}],"items":[{"value":21}]}`:               42,
		`{"x":1e400,"y":"\ud800","items":[{"value":21,"x":` + deep + `}]}`:       42,
		` {"items":[{"value":21}], "x":[{"a":[1,{"b":"c"}],"d":` + deep + `}]} `: 42,
		`{"Items":[{"value":1}]}`:                                                none,
		`{"items":[{"Value":1}]}`:                                                none,
		`{"items":null}`:                                                         none,
		`{"items":[{"value":null}]}`:                                             none,
		`{"items":[{"value":1.5}]}`:                                              none,
		`{"items":[{"value":1e400}]}`:                                            none,
		`{"items":[{"value":4503599627370495},{"value":1},{"value":-1}]}`:        none,
		`{"items":[]} x`:                                                         none,
		`{"items":[],}`:                                                          none,
		"{\"items\":[\xff]}":                                                     none,
		"\ufeff{\"items\":[]}":                                                   none,
		deep:                                                                     none,
		deep + "]":                                                               none,
		deep[1:] + "]":                                                           none,
		"":                                                                       none,
	} {
		for name, sum := range map[string]func([]byte) (int64, error){"ordinary": SumItems, "tuned": SumItemsTuned} {
			got, err := sum([]byte(body))
			if expected == none && err == nil || expected != none && (err != nil || got != expected) {
				t.Errorf("%s, %.80q: %d, %v", name, body, got, err)
			}
		}
	}
}
