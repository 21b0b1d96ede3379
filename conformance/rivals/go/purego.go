// The C interface through purego: the library is opened at run time, and no C compiler is needed.
package main

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

type answer struct {
	bytes            *byte
	length, capacity uintptr
}

type viaPurego struct {
	echoText, echoBytes       func(*byte, uintptr, *answer) int32
	release                   func(*answer)
	sortAndHash, writeNumbers func(uint64, uint32, *uint64) int32
}

func newPurego(built string) viaPurego {
	library, err := purego.Dlopen(built+"/librivals_c.so", purego.RTLD_NOW|purego.RTLD_LOCAL)
	check(err)
	var found viaPurego
	purego.RegisterLibFunc(&found.echoText, library, "rivals_echo_text")
	purego.RegisterLibFunc(&found.echoBytes, library, "rivals_echo_bytes")
	purego.RegisterLibFunc(&found.release, library, "rivals_release")
	purego.RegisterLibFunc(&found.sortAndHash, library, "rivals_sort_and_hash")
	purego.RegisterLibFunc(&found.writeNumbers, library, "rivals_write_numbers")
	return found
}

func (via viaPurego) EchoText(text string) (string, error) {
	var found answer
	if via.echoText(unsafe.StringData(text), uintptr(len(text)), &found) != 0 {
		return "", errPanic
	}
	runtime.KeepAlive(text)
	copied := string(unsafe.Slice(found.bytes, found.length))
	via.release(&found)
	return copied, nil
}

func (via viaPurego) EchoBytes(value []byte) ([]byte, error) {
	var found answer
	if via.echoBytes(unsafe.SliceData(value), uintptr(len(value)), &found) != 0 {
		return nil, errPanic
	}
	runtime.KeepAlive(value)
	copied := append([]byte(nil), unsafe.Slice(found.bytes, found.length)...)
	via.release(&found)
	return copied, nil
}

func (via viaPurego) SortAndHash(seed uint64, count uint32) (uint64, error) {
	var hash uint64
	if via.sortAndHash(seed, count, &hash) != 0 {
		return 0, errPanic
	}
	return hash, nil
}

func (via viaPurego) WriteNumbers(seed uint64, count uint32) (uint64, error) {
	var hash uint64
	if via.writeNumbers(seed, count, &hash) != 0 {
		return 0, errPanic
	}
	return hash, nil
}
