// Package gzip compresses texts by compress/gzip, and by a library with the same interface.
package gzip

import (
	"bytes"
	"compress/gzip"
	"io"

	klauspost "github.com/klauspost/compress/gzip"
)

// Compress uses the standard library, at level 6.
func Compress(text string) ([]byte, error) {
	var compressed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&compressed, 6)
	if err != nil {
		return nil, err
	}
	return finish(writer, &compressed, text)
}

// CompressByKlauspost uses klauspost/compress, at level 6.
func CompressByKlauspost(text string) ([]byte, error) {
	var compressed bytes.Buffer
	writer, err := klauspost.NewWriterLevel(&compressed, 6)
	if err != nil {
		return nil, err
	}
	return finish(writer, &compressed, text)
}

func finish(writer io.WriteCloser, compressed *bytes.Buffer, text string) ([]byte, error) {
	if _, err := io.WriteString(writer, text); err != nil {
		return nil, err
	}
	err := writer.Close()
	return compressed.Bytes(), err
}
