//go:build race

package main

// atOnce is how many calls are made at once: the race detector watches up to 8128 goroutines.
const atOnce = 5_000
