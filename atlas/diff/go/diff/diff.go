// Package diff compares texts by go-diff.
package diff

import (
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// ChangedLines says how many lines a minimal difference removes and adds, together.
func ChangedLines(before, after string) (uint32, error) {
	differ := diffmatchpatch.New()
	// With a time limit, the difference would not be minimal.
	differ.DiffTimeout = 0
	// Each line becomes a character.
	old, changed, _ := differ.DiffLinesToRunes(before, after)
	count := 0
	for _, part := range differ.DiffMainRunes(old, changed, false) {
		if part.Type != diffmatchpatch.DiffEqual {
			count += utf8.RuneCountInString(part.Text)
		}
	}
	return uint32(count), nil
}
