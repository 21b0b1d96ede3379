// The C interface through cgo, linked statically: what uniffi-bindgen-go's code stands on, too.
package main

/*
#cgo LDFLAGS: ${SRCDIR}/../built/librivals_c.a -lm -ldl -lpthread
#include <stdint.h>
#include <stddef.h>
typedef struct { uint8_t *bytes; size_t length; size_t capacity; } Answer;
int32_t rivals_echo_text(const uint8_t *, size_t, Answer *);
int32_t rivals_echo_bytes(const uint8_t *, size_t, Answer *);
void rivals_release(const Answer *);
int32_t rivals_sort_and_hash(uint64_t, uint32_t, uint64_t *);
int32_t rivals_write_numbers(uint64_t, uint32_t, uint64_t *);
#cgo noescape rivals_echo_text
#cgo noescape rivals_echo_bytes
#cgo noescape rivals_release
#cgo noescape rivals_sort_and_hash
#cgo noescape rivals_write_numbers
#cgo nocallback rivals_echo_text
#cgo nocallback rivals_echo_bytes
#cgo nocallback rivals_release
#cgo nocallback rivals_sort_and_hash
#cgo nocallback rivals_write_numbers
*/
import "C"

import (
	"errors"
	"unsafe"
)

var errPanic = errors.New("the function panicked")

type viaCgo struct{}

func (viaCgo) EchoText(text string) (string, error) {
	var answer C.Answer
	if C.rivals_echo_text((*C.uint8_t)(unsafe.StringData(text)), C.size_t(len(text)), &answer) != 0 {
		return "", errPanic
	}
	copied := string(unsafe.Slice((*byte)(answer.bytes), int(answer.length)))
	C.rivals_release(&answer)
	return copied, nil
}

func (viaCgo) EchoBytes(value []byte) ([]byte, error) {
	var answer C.Answer
	if C.rivals_echo_bytes((*C.uint8_t)(unsafe.SliceData(value)), C.size_t(len(value)), &answer) != 0 {
		return nil, errPanic
	}
	copied := append([]byte(nil), unsafe.Slice((*byte)(answer.bytes), int(answer.length))...)
	C.rivals_release(&answer)
	return copied, nil
}

func (viaCgo) SortAndHash(seed uint64, count uint32) (uint64, error) {
	var hash C.uint64_t
	if C.rivals_sort_and_hash(C.uint64_t(seed), C.uint32_t(count), &hash) != 0 {
		return 0, errPanic
	}
	return uint64(hash), nil
}

func (viaCgo) WriteNumbers(seed uint64, count uint32) (uint64, error) {
	var hash C.uint64_t
	if C.rivals_write_numbers(C.uint64_t(seed), C.uint32_t(count), &hash) != 0 {
		return 0, errPanic
	}
	return uint64(hash), nil
}
