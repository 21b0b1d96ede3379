// What every way has to offer, and the arguments it is called with.
package main

import (
	"bytes"
	"encoding/binary"
)

// Functions are the four of conformance/crossings.
type Functions interface {
	EchoText(text string) (string, error)
	EchoBytes(value []byte) ([]byte, error)
	SortAndHash(seed uint64, count uint32) (uint64, error)
	WriteNumbers(seed uint64, count uint32) (uint64, error)
}

// Contestant is a way with its name.
type Contestant struct {
	Name string
	Functions
}

const text = "a text of sixty-four bytes, like a title that becomes an address"

var value = bytes.Repeat([]byte("0123456789abcdef"), 4096)

// Call is one function with its arguments; its answer is made comparable.
type Call struct {
	Title string
	Do    func(Functions) ([]byte, error)
}

var calls = []Call{
	{"echo_text, 64 bytes", func(functions Functions) ([]byte, error) {
		answer, err := functions.EchoText(text)
		return []byte(answer), err
	}},
	{"echo_bytes, 64 KiB", func(functions Functions) ([]byte, error) { return functions.EchoBytes(value) }},
	{"sort_and_hash, 50,000 numbers", func(functions Functions) ([]byte, error) {
		answer, err := functions.SortAndHash(7, 50_000)
		return binary.LittleEndian.AppendUint64(nil, answer), err
	}},
	{"write_numbers, 50,000 numbers", func(functions Functions) ([]byte, error) {
		answer, err := functions.WriteNumbers(7, 50_000)
		return binary.LittleEndian.AppendUint64(nil, answer), err
	}},
}
