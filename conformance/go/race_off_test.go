//go:build !race

package main

const (
	// atOnce is how many calls are made at once.
	atOnce = 10_000
	// memoryRounds are of a hundred calls each.
	memoryRounds = 200
)
