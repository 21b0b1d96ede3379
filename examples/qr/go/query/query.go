// Package query reads query strings strictly.
//
// net/url takes bytes that are no UTF-8 for text and a semicolon for an error. Here a parameter is text and nothing else.
package query

import (
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"
)

// ErrMalformed says that a query string does not say which text it means.
var ErrMalformed = errors.New("malformed query string")

// Values are those of all parameters with this name, in what was sent behind the `?`.
func Values(query, name string) ([]string, error) {
	for at := range len(query) {
		// What a URL must encode was not.
		if query[at] < '!' || query[at] > '~' {
			return nil, ErrMalformed
		}
	}
	var values []string
	for parameter := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(parameter, "=")
		key, err := decoded(key)
		if err != nil {
			return nil, err
		}
		value, err = decoded(value)
		if err != nil {
			return nil, err
		}
		if key == name {
			values = append(values, value)
		}
	}
	return values, nil
}

func decoded(encoded string) (string, error) {
	text, err := url.QueryUnescape(encoded)
	if err != nil || !utf8.ValidString(text) {
		return "", ErrMalformed
	}
	return text, nil
}
