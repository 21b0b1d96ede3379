// The module in wasmtime's C library, through cgo: what wasmtime-go does, without its allocations for each call. The
// library is the one in the Python wheel, so that both languages are measured with the same.
package main

/*
#cgo LDFLAGS: -L${SRCDIR}/../built -lwasmtime -Wl,-rpath,${SRCDIR}/../built
#include <stdint.h>
#include <stddef.h>
// wasmtime's C API 50, as far as it is needed. All that is opaque there is only carried around here.
typedef struct { uint64_t opaque[2]; } func_t;
typedef struct { uint64_t opaque[3]; } memory_t;
typedef struct { uint64_t opaque[2]; } instance_t;
typedef struct { uint8_t kind; union { func_t func; memory_t memory; uint64_t room[3]; } of; } extern_t;
typedef struct { uint8_t kind; union { int32_t i32; int64_t i64; uint64_t room[3]; } of; } val_t;
void *wasm_engine_new(void);
void *wasmtime_store_new(void *engine, void *data, void (*finalizer)(void *));
void *wasmtime_store_context(void *store);
void *wasmtime_module_new(void *engine, const uint8_t *wasm, size_t length, void **module);
void *wasmtime_instance_new(void *context, void *module, const extern_t *imports, size_t count, instance_t *, void **trap);
_Bool wasmtime_instance_export_get(void *context, const instance_t *, const char *name, size_t length, extern_t *);
void *wasmtime_func_call(void *context, const func_t *, const val_t *arguments, size_t count, val_t *results, size_t results_count, void **trap);
uint8_t *wasmtime_memory_data(void *context, const memory_t *);
size_t wasmtime_memory_data_size(void *context, const memory_t *);

static int load(const uint8_t *wasm, size_t length, void **context, instance_t *instance) {
	void *engine = wasm_engine_new(), *module = NULL, *trap = NULL;
	*context = wasmtime_store_context(wasmtime_store_new(engine, NULL, NULL));
	if (wasmtime_module_new(engine, wasm, length, &module)) return 1;
	return wasmtime_instance_new(*context, module, NULL, 0, instance, &trap) || trap;
}
static func_t func_of(extern_t found) { return found.of.func; }
static memory_t memory_of(extern_t found) { return found.of.memory; }
// One argument, one result: 32-bit numbers.
static int call(void *context, const func_t *func, uint32_t *number) {
	val_t argument = { .kind = 0, .of = { .i32 = (int32_t)*number } }, result;
	void *trap = NULL;
	if (wasmtime_func_call(context, func, &argument, 1, &result, 1, &trap) || trap) return 1;
	*number = (uint32_t)result.of.i32;
	return 0;
}
static int compute(void *context, const func_t *func, uint64_t *seed, uint32_t count) {
	val_t arguments[2] = { { .kind = 1, .of = { .i64 = (int64_t)*seed } }, { .kind = 0, .of = { .i32 = (int32_t)count } } };
	val_t result;
	void *trap = NULL;
	if (wasmtime_func_call(context, func, arguments, 2, &result, 1, &trap) || trap) return 1;
	*seed = (uint64_t)result.of.i64;
	return 0;
}
#cgo noescape call
#cgo noescape compute
*/
import "C"

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

var errTrap = errors.New("the Wasm module trapped")

type viaWasmtime struct {
	context                                              unsafe.Pointer
	memory                                               C.memory_t
	room, echoText, echoBytes, sortAndHash, writeNumbers C.func_t
}

func newWasmtime(module []byte) *viaWasmtime {
	via := &viaWasmtime{}
	var instance C.instance_t
	if C.load((*C.uint8_t)(&module[0]), C.size_t(len(module)), &via.context, &instance) != 0 {
		panic("wasmtime does not load the module")
	}
	export := func(name string) C.extern_t {
		var found C.extern_t
		if !C.wasmtime_instance_export_get(via.context, &instance, (*C.char)(unsafe.Pointer(unsafe.StringData(name))),
			C.size_t(len(name)), &found) {
			panic("the module has no " + name)
		}
		return found
	}
	via.memory = C.memory_of(export("memory"))
	via.room, via.echoText = C.func_of(export("rivals_in")), C.func_of(export("echo_text"))
	via.echoBytes, via.sortAndHash = C.func_of(export("echo_bytes")), C.func_of(export("sort_and_hash"))
	via.writeNumbers = C.func_of(export("write_numbers"))
	return via
}

// view is all of the module's memory: it moves when it grows.
func (via *viaWasmtime) view() []byte {
	return unsafe.Slice((*byte)(C.wasmtime_memory_data(via.context, &via.memory)), C.wasmtime_memory_data_size(via.context, &via.memory))
}

func (via *viaWasmtime) through(function *C.func_t, copyTo func([]byte), length int) ([]byte, error) {
	number := C.uint32_t(length)
	if C.call(via.context, &via.room, &number) != 0 {
		return nil, errTrap
	}
	copyTo(via.view()[number:])
	number = C.uint32_t(length)
	if C.call(via.context, function, &number) != 0 {
		return nil, errTrap
	}
	view := via.view()
	start, size := binary.LittleEndian.Uint32(view[number:]), binary.LittleEndian.Uint32(view[number+4:])
	return view[start : start+size], nil
}

func (via *viaWasmtime) EchoText(text string) (string, error) {
	view, err := via.through(&via.echoText, func(room []byte) { copy(room, text) }, len(text))
	return string(view), err
}

func (via *viaWasmtime) EchoBytes(value []byte) ([]byte, error) {
	view, err := via.through(&via.echoBytes, func(room []byte) { copy(room, value) }, len(value))
	return append([]byte(nil), view...), err
}

func (via *viaWasmtime) number(function *C.func_t, seed uint64, count uint32) (uint64, error) {
	number := C.uint64_t(seed)
	if C.compute(via.context, function, &number, C.uint32_t(count)) != 0 {
		return 0, errTrap
	}
	return uint64(number), nil
}

func (via *viaWasmtime) SortAndHash(seed uint64, count uint32) (uint64, error) {
	return via.number(&via.sortAndHash, seed, count)
}

func (via *viaWasmtime) WriteNumbers(seed uint64, count uint32) (uint64, error) {
	return via.number(&via.writeNumbers, seed, count)
}
