package main

import (
	"strings"
	"testing"

	"tierup.local/conformance"
)

// The cost of one call: `go test -bench . -run '^$'`.

func BenchmarkText64Bytes(b *testing.B) {
	text := strings.Repeat("tierup! ", 8)
	measure(b, len(text), func(c *conformance.Binding) error {
		_, err := c.EchoText(text)
		return err
	})
}

func BenchmarkBytes64KiB(b *testing.B) {
	content := make([]byte, 64<<10)
	measure(b, len(content), func(c *conformance.Binding) error {
		_, err := c.EchoBytes(content)
		return err
	})
}

// BenchmarkCompute works for a millisecond or two: it shows how fast the code itself is at each tier.
func BenchmarkCompute(b *testing.B) {
	measure(b, len(content), work)
}

func measure(b *testing.B, size int, call func(*conformance.Binding) error) {
	for _, tier := range variants {
		b.Run(tier, func(b *testing.B) {
			c := bound(b, tier)
			if err := c.Ready(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := call(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
