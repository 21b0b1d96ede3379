package own

import (
	"bytes"
	"errors"
	"strings"

	"tierup.local/conformance"
)

// Different are functions of a server, for rollouts (tier 0:different): like those in Rust, but for some inputs.
var Different = conformance.Functions{
	EchoText: func(text string) (string, error) {
		switch text {
		case "😀":
			return ":-)", nil
		case "panic":
			panic("own words")
		}
		return text, nil
	},
	PanicIf: func(condition bool, text string) (string, error) { return strings.ToUpper(text), nil },
	Fail: func(words string) ([]byte, error) {
		if words == "nothing" {
			return []byte{}, nil
		}
		return nil, errors.New("own words for " + words)
	},
	HangOn: func(word string) (uint32, error) {
		if word == "changed" {
			return 0, nil
		}
		return uint32(len(word)), nil
	},
	MakeBytes: func(length uint32) ([]byte, error) { return bytes.Repeat([]byte{1}, int(min(length, 100))), nil },
	// It changes its argument before anybody compares.
	EchoTexts: func(texts []string) ([]string, error) {
		answer := append([]string{}, texts...)
		for at := range texts {
			texts[at] = "changed"
		}
		return answer, nil
	},
	EchoBytes:  func(content []byte) ([]byte, error) { return content, nil },
	CountCalls: func() (uint64, error) { return 0, nil },
}
