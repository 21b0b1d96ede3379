// Five functions of known cost. Each request runs all of them. `awaited` runs in goroutines of the request, `inWorker` in
// one goroutine that works for all requests, and `native` is C code.
//
// The server measures its functions itself, and appends to the file TRUTH every 200 ms: milliseconds since 1970, CPU of
// the process, and CPU of each function in the order of the constants, all in microseconds since the start. Only every eighth
// call is measured, and counts eight times: a goroutine that is measured is bound to its thread.
package main

/*
#include <stdint.h>
#include <time.h>

static int64_t microseconds(clockid_t clock) {
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static uint32_t turn(uint32_t sum) {
	for (uint32_t i = 0; i < 3450000; i++) {
		sum = sum * 134775813u + i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}
*/
import "C"

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

const (
	lightPlace = iota
	awaitedPlace
	inWorkerPlace
	smallPlace
	nativePlace
	places
)

const every = 8

var calls, spent [places]atomic.Int64

// CPU of this thread, in microseconds.
func ofThread() int64 {
	return int64(C.microseconds(C.CLOCK_THREAD_CPUTIME_ID))
}

// CPU of the process, in microseconds.
func ofProcess() int64 {
	return int64(C.microseconds(C.CLOCK_PROCESS_CPUTIME_ID))
}

// Runs a function, and counts its CPU.
func measured(place int, function func() uint32) uint32 {
	if calls[place].Add(1)%every != 0 {
		return function()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := ofThread()
	sum := function()
	spent[place].Add((ofThread() - before) * every)
	return sum
}

func light() uint32 {
	sum := uint32(1)
	for i := uint32(0); i < 1_000_000; i++ {
		sum = sum*1664525 + i
	}
	return sum
}

func awaited() uint32 {
	sum := uint32(2)
	for i := uint32(0); i < 500_000; i++ {
		sum = sum*22695477 + i
	}
	return sum
}

func inWorker() uint32 {
	sum := uint32(3)
	for i := uint32(0); i < 3_000_000; i++ {
		sum = sum*1103515245 + i
	}
	return sum
}

func small() uint32 {
	sum := uint32(4)
	for i := uint32(0); i < 500_000; i++ {
		sum = sum*69069 + i
	}
	return sum
}

func native() uint32 {
	return uint32(C.turn(5))
}

type job chan uint32

func work(jobs chan job) {
	for answer := range jobs {
		answer <- measured(inWorkerPlace, inWorker)
	}
}

func answer(jobs chan job) uint32 {
	asked := make(job, 1)
	jobs <- asked
	parts := make(chan uint32, 4)
	for i := 0; i < 4; i++ {
		go func() { parts <- measured(awaitedPlace, awaited) }()
	}
	sum := measured(lightPlace, light) + measured(smallPlace, small) + measured(nativePlace, native)
	for i := 0; i < 4; i++ {
		sum += <-parts
	}
	return sum + <-asked
}

func note(name string) {
	for range time.Tick(200 * time.Millisecond) {
		line := fmt.Sprint(time.Now().UnixMilli(), " ", ofProcess())
		for place := range spent {
			line += fmt.Sprint(" ", spent[place].Load())
		}
		file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(file, line)
		file.Close()
	}
}

func main() {
	jobs := make(chan job)
	go work(jobs)
	if name := os.Getenv("TRUTH"); name != "" {
		go note(name)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		fmt.Fprint(response, answer(jobs))
	})
	if err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil); err != nil {
		panic(err)
	}
}
