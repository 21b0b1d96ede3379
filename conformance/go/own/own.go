// Package own has some of the functions in Go: what a server could hand over.
package own

import (
	"errors"

	"tierup.local/conformance"
)

// Functions are those that the server had before Rust.
var Functions = conformance.Functions{
	EchoText: EchoText,
	Fail:     func(words string) ([]byte, error) { return nil, errors.New(words) },
	CountCalls: func() (uint64, error) {
		calls++
		return calls, nil
	},
}

var calls uint64

// EchoText answers what it is given.
func EchoText(text string) (string, error) { return text, nil }
