package main

import (
	"sync"
	"testing"

	"tierup.local/conformance"
)

// What all languages promise of errors and panics is in crates/tierup/tests/conformance/failures.rs.

func TestAClosedBindingRefusesOrAnswers(t *testing.T) {
	for _, tier := range variants {
		c, err := conformance.Bind(conformance.Options{Tier: tier})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				for range 20 {
					if text, err := c.EchoText("x"); err == nil && text != "x" {
						t.Error(tier, text)
					}
				}
			})
		}
		_ = c.Close()
		_ = c.Close()
		group.Wait()
	}
}
