// Package baseline has the function as it was before Rust: tier 0.
package baseline

import (
	"errors"
	"regexp"
	"strings"
)

var between = regexp.MustCompile("[^a-zA-Z0-9]+")

// Slugify keeps letters and digits in lower case. Each run of other characters becomes one `-`, but none at the ends.
func Slugify(text string) (string, error) {
	slug := strings.ToLower(strings.Trim(between.ReplaceAllString(text, "-"), "-"))
	if slug == "" {
		return "", errors.New("text has no letters or digits")
	}
	return slug, nil
}
