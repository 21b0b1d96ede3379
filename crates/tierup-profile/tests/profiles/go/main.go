// Compresses labels for two and a half seconds under runtime/pprof.
package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"os"
	"runtime/pprof"
	"time"
)

func price(text string) int {
	sum := 0
	for round := 0; round < 300; round++ {
		for index := 0; index < len(text); index++ {
			sum = (sum*31 + int(text[index])) % 1000003
		}
	}
	return sum
}

func label(text string) []byte {
	var out bytes.Buffer
	writer, _ := flate.NewWriter(&out, 6)
	fmt.Fprintf(writer, "%s %d", text, price(text))
	writer.Close()
	return out.Bytes()
}

func main() {
	file, err := os.Create("shop.pprof")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if err := pprof.StartCPUProfile(file); err != nil {
		panic(err)
	}
	defer pprof.StopCPUProfile()
	for end, number := time.Now().Add(2500*time.Millisecond), 0; time.Now().Before(end); number++ {
		label(fmt.Sprintf("item %d, and its description, which is longer", number))
	}
}
