package query

import (
	"errors"
	"slices"
	"testing"
)

func TestValues(t *testing.T) {
	for query, expected := range map[string][]string{
		"":                        nil,
		"text=x":                  {"x"},
		"text=a+b&text=%61%20b":   {"a b", "a b"},
		"%74ext=x&text[]=y&text=": {"x", ""},
		"a=1;text=x":              nil,
		"text==":                  {"="},
		"text":                    {""},
	} {
		if found, err := Values(query, "text"); err != nil || !slices.Equal(found, expected) {
			t.Errorf("%s: %q, %v", query, found, err)
		}
	}
	for _, query := range []string{"text=%", "text=100%2", "text=%zz", "text=%ff", "text=%ED%A0%80", "text=é", "text=x&%zz=1", "text=a b"} {
		if found, err := Values(query, "text"); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %q, %v", query, found, err)
		}
	}
}
