// Package markdown renders Markdown by goldmark.
package markdown

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/renderer/html"
)

// Without this option, goldmark replaces HTML by a comment.
var commonMark = goldmark.New(goldmark.WithRendererOptions(html.WithUnsafe()))

// Render writes CommonMark as HTML.
func Render(markdown string) (string, error) {
	var rendered bytes.Buffer
	if err := commonMark.Convert([]byte(markdown), &rendered); err != nil {
		return "", err
	}
	return rendered.String(), nil
}
