//go:build !race

package main

// atOnce is how many calls are made at once.
const atOnce = 10_000
