package core

import (
	"runtime"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"MODULE/internal/variants"
	"MODULE/internal/wire"
)

// module has the byte ABI, for an interface with the hash 7. Each of its functions answers with nothing.
var module = []byte("\x00asm\x01\x00\x00\x00" +
	// Types: (i32) -> i32, (i32, i32) -> i32, () -> i64.
	"\x01\x10\x03" + "\x60\x01\x7f\x01\x7f" + "\x60\x02\x7f\x7f\x01\x7f" + "\x60\x00\x01\x7e" +
	// Three functions, one of each type; a memory of one page.
	"\x03\x04\x03\x00\x01\x02" + "\x05\x03\x01\x00\x01" +
	"\x07\x28\x03" + "\x09tierup_in\x00\x00" + "\x0btierup_call\x00\x01" + "\x0atierup_abi\x00\x02" +
	// Arguments go to 1024; the answer's length is at 0; the hash is 7.
	"\x0a\x11\x03" + "\x05\x00\x41\x80\x08\x0b" + "\x04\x00\x41\x00\x0b" + "\x04\x00\x42\x07\x0b")

func TestAfterABurstFewInstancesStay(t *testing.T) {
	variant, err := Load(module, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer variant.Close()
	var burst []variants.Answer
	// The reader of an answer still holds its instance.
	for range 100 + runtime.GOMAXPROCS(0) {
		answer, err := variant.Call(0, make([]byte, wire.Room))
		if err != nil {
			t.Fatal(err)
		}
		burst = append(burst, answer)
	}
	for _, answer := range burst {
		answer.Release()
	}
	idle := &variant.(*core).idle
	if found := len(idle.instances); found != runtime.GOMAXPROCS(0) || idle.bytes != uint64(found)*pageBytes {
		t.Fatal(found, "instances of", idle.bytes, "bytes")
	}
}

// of returns an instance that claims this much memory.
func of(mebibytes uint32) *instance { return &instance{memory: memory{pages: mebibytes << 4}} }

type memory struct {
	api.Memory
	pages uint32
}

func (memory memory) Size() uint32               { return memory.pages * pageBytes }
func (memory memory) Grow(uint32) (uint32, bool) { return memory.pages, true }

func TestIdleInstancesShareABudget(t *testing.T) {
	idle := idle{most: 64, mostBytes: 512 << 20}
	for number, expected := range []bool{true, true, false} {
		if idle.keep(of(200)) != expected {
			t.Fatal(number, idle.bytes)
		}
	}
	if !idle.keep(of(100)) || idle.keep(of(100)) {
		t.Fatal(idle.bytes)
	}
	for range 3 {
		idle.take()
	}
	if idle.take() != nil || idle.bytes != 0 {
		t.Fatal(idle.bytes)
	}
}

func TestAnInstanceThatGrewTooLargeIsGivenBack(t *testing.T) {
	idle := idle{most: 64, mostBytes: 1 << 40}
	// wazero's own Size is 0 for 4 GiB.
	for _, large := range []*instance{of(257), of(4 << 10)} {
		if idle.keep(large) {
			t.Fatal(idle.bytes)
		}
	}
	if !idle.keep(of(256)) {
		t.Fatal(idle.bytes)
	}
}
