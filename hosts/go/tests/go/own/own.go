// Package own has some of the functions of `conformance/` in Go, as a server could pass them.
package own

import (
	"errors"

	"tierup.local/conformance"
)

// Functions has several functions at once.
var Functions = conformance.Functions{
	EchoText: EchoText,
	Fail:     func(words string) ([]byte, error) { return nil, errors.New(words) },
}

// EchoText has an error in its signature.
func EchoText(text string) (string, error) { return text, nil }

// EchoU8 has no error.
func EchoU8(value uint8) uint8 { return value }

// Wrong is not a function of the package.
func Wrong(int) int { return 0 }
