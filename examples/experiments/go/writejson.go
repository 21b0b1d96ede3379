package main

import (
	"encoding/json"
	"strconv"
)

// JSON as JavaScript's JSON.stringify writes it. encoding/json escapes more than that (<, >, &, U+2028 and U+2029), and
// writes -0 where JavaScript writes 0.

// mostProblems is how many are listed: a body of 64 KiB has room for thousands.
const mostProblems = 100

// problems are what is wrong with a body.
type problems []problem

type problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (p *problems) add(path, message string) {
	if !p.full() {
		*p = append(*p, problem{path, message})
	}
}

func (p *problems) full() bool {
	return len(*p) >= mostProblems
}

func (p problems) json() []byte {
	// Paths and messages are this server's own words, and strings can always be written.
	answer, _ := json.Marshal(struct {
		Errors problems `json:"errors"`
	}{p})
	return answer
}

func (e experiment) json() []byte {
	answer := make([]byte, 0, 64+len(e.name)+64*len(e.variants))
	answer = append(answer, `{"name":`...)
	answer = appendText(answer, e.name)
	answer = append(answer, `,"variants":[`...)
	for index, variant := range e.variants {
		if index > 0 {
			answer = append(answer, ',')
		}
		answer = append(answer, `{"name":`...)
		answer = appendText(answer, variant.name)
		answer = append(answer, `,"allocation_percent":`...)
		answer = appendNumber(answer, variant.share)
		answer = append(answer, '}')
	}
	return append(answer, "]}"...)
}

func appendText(to []byte, text string) []byte {
	to = append(to, '"')
	plain := 0 // where what needs no escape begins
	for index := 0; index < len(text); index++ {
		c := text[index]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		to = append(to, text[plain:index]...)
		plain = index + 1
		switch c {
		case '"', '\\':
			to = append(to, '\\', c)
		case '\b':
			to = append(to, `\b`...)
		case '\t':
			to = append(to, `\t`...)
		case '\n':
			to = append(to, `\n`...)
		case '\f':
			to = append(to, `\f`...)
		case '\r':
			to = append(to, `\r`...)
		default:
			const digits = "0123456789abcdef"
			to = append(to, `\u00`...)
			to = append(to, digits[c>>4], digits[c&15])
		}
	}
	to = append(to, text[plain:]...)
	return append(to, '"')
}

// appendNumber writes a number from 0 to some millions in the shortest form that reads back as the same.
func appendNumber(to []byte, number float64) []byte {
	if number == 0 {
		return append(to, '0') // of either sign
	}
	if number >= 1e-6 {
		return strconv.AppendFloat(to, number, 'f', -1, 64)
	}
	to = strconv.AppendFloat(to, number, 'e', -1, 64)
	// Go writes at least two digits of an exponent: 1e-07.
	if end := len(to); to[end-2] == '0' && to[end-3] == '-' {
		to[end-2] = to[end-1]
		to = to[:end-1]
	}
	return to
}
