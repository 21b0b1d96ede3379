//go:build race

package main

const (
	// atOnce is how many calls are made at once: the race detector watches up to 8128 goroutines.
	atOnce = 5_000
	// memoryRounds are of a hundred calls each, which take ten times as long here.
	memoryRounds = 50
)
