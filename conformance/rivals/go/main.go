// Prints what one call costs in Go, natively and in Wasm, for each way of doing it. Argument: the folder that `run.sh`
// fills.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/tetratelabs/wazero"
)

func main() {
	built := os.Args[1]
	module, err := os.ReadFile(built + "/rivals_wasm.wasm")
	check(err)
	plugin, err := os.ReadFile(built + "/rivals_extism.wasm")
	check(err)
	fmt.Print(runtime.Version(), ", wasmtime as in Python's package")
	if info, found := debug.ReadBuildInfo(); found {
		for _, module := range info.Deps {
			fmt.Print(", ", module.Path, " ", module.Version)
		}
	}
	fmt.Println()

	native := []Contestant{{"cgo, as 3:native", viaCgo{}}, {"purego", newPurego(built)}}
	for _, call := range calls[:3] {
		compare("native", call, native)
	}
	wasm := []Contestant{
		{"wazero, as 2:core", newWazero(wazero.NewRuntimeConfigCompiler(), module)},
		{"wasmtime through cgo", newWasmtime(module)},
		{"Extism (on wazero)", newExtism(plugin)},
		{"wazero's interpreter", newWazero(wazero.NewRuntimeConfigInterpreter(), module)},
		// Native code is a row here, so that it can be seen what Wasm itself costs.
		native[0],
	}
	for _, call := range calls {
		compare("Wasm", call, wasm)
	}
}
