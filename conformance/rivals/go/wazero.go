// The module in wazero, compiled or interpreted.
package main

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var errMemory = errors.New("the Wasm module named memory that it does not have")

type viaWazero struct {
	memory                                               api.Memory
	room, echoText, echoBytes, sortAndHash, writeNumbers api.Function
}

func newWazero(config wazero.RuntimeConfig, module []byte) viaWazero {
	background := context.Background()
	instance, err := wazero.NewRuntimeWithConfig(background, config).Instantiate(background, module)
	check(err)
	return viaWazero{
		instance.Memory(),
		instance.ExportedFunction("rivals_in"),
		instance.ExportedFunction("echo_text"),
		instance.ExportedFunction("echo_bytes"),
		instance.ExportedFunction("sort_and_hash"),
		instance.ExportedFunction("write_numbers"),
	}
}

// through copies the bytes in, calls, and answers a view of the module's memory.
func (via viaWazero) through(function api.Function, copyTo func(place uint32) bool, length int) ([]byte, error) {
	var stack [1]uint64
	background := context.Background()
	stack[0] = uint64(length)
	if err := via.room.CallWithStack(background, stack[:]); err != nil {
		return nil, err
	}
	if !copyTo(uint32(stack[0])) {
		return nil, errMemory
	}
	stack[0] = uint64(length)
	if err := function.CallWithStack(background, stack[:]); err != nil {
		return nil, err
	}
	start, found := via.memory.ReadUint32Le(uint32(stack[0]))
	size, also := via.memory.ReadUint32Le(uint32(stack[0]) + 4)
	view, inside := via.memory.Read(start, size)
	if !found || !also || !inside {
		return nil, errMemory
	}
	return view, nil
}

func (via viaWazero) EchoText(text string) (string, error) {
	view, err := via.through(via.echoText, func(place uint32) bool { return via.memory.WriteString(place, text) }, len(text))
	return string(view), err
}

func (via viaWazero) EchoBytes(value []byte) ([]byte, error) {
	view, err := via.through(via.echoBytes, func(place uint32) bool { return via.memory.Write(place, value) }, len(value))
	return append([]byte(nil), view...), err
}

func (via viaWazero) number(function api.Function, seed uint64, count uint32) (uint64, error) {
	stack := [2]uint64{seed, uint64(count)}
	err := function.CallWithStack(context.Background(), stack[:])
	return stack[0], err
}

func (via viaWazero) SortAndHash(seed uint64, count uint32) (uint64, error) {
	return via.number(via.sortAndHash, seed, count)
}

func (via viaWazero) WriteNumbers(seed uint64, count uint32) (uint64, error) {
	return via.number(via.writeNumbers, seed, count)
}
