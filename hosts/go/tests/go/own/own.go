// Package own is what a server could hand over: some of the functions of `conformance/`, in Go.
package own

import (
	"errors"

	"tierup.local/conformance"
)

// Functions are several at once.
var Functions = conformance.Functions{
	EchoText: EchoText,
	Fail:     func(words string) ([]byte, error) { return nil, errors.New(words) },
}

// EchoText has an error in its signature.
func EchoText(text string) (string, error) { return text, nil }

// EchoU8 has no error.
func EchoU8(value uint8) uint8 { return value }

// Wrong is no function of the package's.
func Wrong(int) int { return 0 }
