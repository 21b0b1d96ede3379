// Package own has some of the functions in Go, as a server could have them. They count their calls.
package own

import (
	"errors"
	"sync/atomic"

	"tierup.local/conformance"
)

// Functions are the server's own, from before Rust.
var Functions = conformance.Functions{
	EchoText:       EchoText,
	EchoOwnedText:  echo[string],
	EchoTexts:      echo[[]string],
	EchoOptionText: echo[*string],
	EchoPoint:      echo[conformance.Point],
	DoNothing: func() error {
		calls.Add(1)
		return nil
	},
	Fail: func(words string) ([]byte, error) {
		calls.Add(1)
		return nil, errors.New(words)
	},
	CountCalls: func() (uint64, error) { return calls.Load(), nil },
}

var calls atomic.Uint64

// EchoText returns its argument.
func EchoText(text string) (string, error) { return echo(text) }

func echo[T any](value T) (T, error) {
	calls.Add(1)
	return value, nil
}
