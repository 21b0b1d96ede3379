package main

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// What readers of JSON disagree about is refused before encoding/json sees it. It stops at another depth than others, and
// would put U+FFFD in the place of half a surrogate pair and of bytes that are not UTF-8.

// deepest is how many lists and objects may be open at a time.
const deepest = 64

var (
	errNotUTF8  = errors.New("the body is not UTF-8")
	errTooDeep  = errors.New("the body is nested more than 64 deep")
	errHalfPair = errors.New("the body has half of a surrogate pair")
	errTooLarge = errors.New("the body has a number that is too large")
	errNotJSON  = errors.New("the body is not JSON")
)

// readJSON makes maps, lists, strings and numbers of a body. It does not fill a struct: encoding/json would take "NAME" for
// the field `name`, and stop at the first value of a wrong type.
func readJSON(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, errNotUTF8
	}
	if err := scan(body); err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, errNotJSON
	}
	return value, nil
}

func scan(body []byte) error {
	depth := 0
	for at := 0; at < len(body); {
		switch c := body[at]; {
		case c == '"':
			next, err := afterString(body, at+1)
			if err != nil {
				return err
			}
			at = next
			continue
		case c == '-' || c >= '0' && c <= '9':
			next, err := afterNumber(body, at)
			if err != nil {
				return err
			}
			at = next
			continue
		case c == '[' || c == '{':
			depth++
			if depth > deepest {
				return errTooDeep
			}
		case c == ']' || c == '}':
			depth = max(depth-1, 0)
		}
		at++
	}
	return nil
}

// afterString finds the place behind the quote that ends a string.
func afterString(body []byte, at int) (int, error) {
	for at < len(body) {
		switch body[at] {
		case '"':
			return at + 1, nil
		case '\\':
			unit, ok := unitAt(body, at)
			switch {
			case !ok:
				at += 2
			case unit < 0xD800 || unit > 0xDFFF:
				at += 6
			default:
				second, _ := unitAt(body, at+6)
				if unit > 0xDBFF || second < 0xDC00 || second > 0xDFFF {
					return 0, errHalfPair
				}
				at += 12
			}
		default:
			at++
		}
	}
	return at, nil
}

// unitAt reads the UTF-16 unit that `\uXXXX` stands for, if that is what is there.
func unitAt(body []byte, at int) (unit uint16, ok bool) {
	if len(body) < at+6 || body[at] != '\\' || body[at+1] != 'u' {
		return 0, false
	}
	for _, c := range body[at+2 : at+6] {
		var digit byte
		switch {
		case c >= '0' && c <= '9':
			digit = c - '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			digit = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint16(digit)
	}
	return unit, true
}

// afterNumber finds the place behind everything that a number could go on with. Only an exponent or 309 digits make one too
// large.
func afterNumber(body []byte, start int) (int, error) {
	at, hasExponent := start, false
number:
	for ; at < len(body); at++ {
		switch c := body[at]; c {
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '-', '+':
		case 'e', 'E':
			hasExponent = true
		default:
			break number
		}
	}
	if hasExponent || at-start > 300 {
		// The value of what is out of range is infinite; what is no number is for the reader to refuse.
		if value, _ := strconv.ParseFloat(string(body[start:at]), 64); math.IsInf(value, 0) {
			return 0, errTooLarge
		}
	}
	return at, nil
}
