// A server whose requests spin in a function of its own.
package main

import (
	"math"
	"net/http"
	"os"
	"sync/atomic"
)

//go:noinline
func spin() float64 {
	sum := 0.0
	for i := 0; i < 500_000; i++ {
		sum += math.Sqrt(float64(i))
	}
	return sum
}

// The value is on the heap, as the compiler cannot see who reads it.
var kept atomic.Value

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		if spin() > 0 {
			kept.Store(make([]byte, 1<<18))
			response.Write([]byte("ok"))
		}
	})
	if err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil); err != nil {
		panic(err)
	}
}
