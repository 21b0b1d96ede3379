// Package own has some of the functions in Go, as a server could have them.
package own

import (
	"errors"

	"tierup.local/conformance"
)

// Functions are the server's own, from before Rust.
var Functions = conformance.Functions{
	EchoText: EchoText,
	Fail:     func(words string) ([]byte, error) { return nil, errors.New(words) },
	CountCalls: func() (uint64, error) {
		calls++
		return calls, nil
	},
}

var calls uint64

// EchoText returns its argument.
func EchoText(text string) (string, error) { return text, nil }
