// The plug-in in Extism's Go host, which stands on wazero.
package main

import (
	"context"
	"encoding/binary"

	extism "github.com/extism/go-sdk"
)

type viaExtism struct{ plugin *extism.Plugin }

func newExtism(plugin []byte) viaExtism {
	manifest := extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: plugin}}}
	made, err := extism.NewPlugin(context.Background(), manifest, extism.PluginConfig{}, nil)
	check(err)
	return viaExtism{made}
}

func (via viaExtism) EchoText(text string) (string, error) {
	_, answer, err := via.plugin.Call("echo_text", []byte(text))
	return string(answer), err
}

func (via viaExtism) EchoBytes(value []byte) ([]byte, error) {
	_, answer, err := via.plugin.Call("echo_bytes", value)
	return answer, err
}

func (via viaExtism) number(name string, seed uint64, count uint32) (uint64, error) {
	arguments := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, seed), count)
	_, answer, err := via.plugin.Call(name, arguments)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(answer), nil
}

func (via viaExtism) SortAndHash(seed uint64, count uint32) (uint64, error) {
	return via.number("sort_and_hash", seed, count)
}

func (via viaExtism) WriteNumbers(seed uint64, count uint32) (uint64, error) {
	return via.number("write_numbers", seed, count)
}
