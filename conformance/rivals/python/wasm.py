"""Wasm runtimes that Python can load: each class has the four functions, and the same module inside but for Extism."""

import ctypes
import os
import struct

import extism
import wasm3
import wasmtime

from native import load_module

EXPORTS = os.path.join(os.path.dirname(__file__), "../../../hosts/python/templates/package/runtime/exports.py")
LOW = 2**32 - 1
ALL = 2**64 - 1


class Wasmtime:
    """wasmtime through its Python API."""

    def __init__(self, module):
        config = wasmtime.Config()
        config.parallel_compilation = False
        engine = wasmtime.Engine(config)
        self.store = wasmtime.Store(engine)
        self.exports = wasmtime.Instance(self.store, wasmtime.Module(engine, module), []).exports(self.store)
        self.memory = self.exports["memory"]
        for name in ("rivals_in", "echo_text", "echo_bytes"):
            setattr(self, name + "_", self.export(name))

    def export(self, name):
        function = self.exports[name]
        return lambda number: function(self.store, number)

    def bytes_through(self, export, value):
        place = self.rivals_in_(len(value)) & LOW
        ctypes.memmove(self.base() + place, value, len(value))
        answer = export(len(value)) & LOW
        base = self.base()
        start, length = struct.unpack("<II", ctypes.string_at(base + answer, 8))
        return ctypes.string_at(base + start, length)

    def base(self):
        return ctypes.cast(self.memory.data_ptr(self.store), ctypes.c_void_p).value

    def echo_text(self, text):
        return self.bytes_through(self.echo_text_, text.encode()).decode()

    def echo_bytes(self, value):
        return self.bytes_through(self.echo_bytes_, value)

    def sort_and_hash(self, seed, count):
        return self.exports["sort_and_hash"](self.store, seed, count) & ALL

    def write_numbers(self, seed, count):
        return self.exports["write_numbers"](self.store, seed, count) & ALL


class WasmtimeFast(Wasmtime):
    """wasmtime as `2:core` calls it: the C function beneath its Python API, with arrays that are kept."""

    def export(self, name):
        return load_module("exports", EXPORTS).fast_export(wasmtime, self.store, self.exports[name], 1)


class Views:
    """What runtimes whose memory is a buffer of Python's have in common."""

    def echo_text(self, text):
        return self.bytes_through(self.echo_text_, text.encode()).decode()

    def echo_bytes(self, value):
        return self.bytes_through(self.echo_bytes_, value)

    def bytes_through(self, export, value):
        place = self.rivals_in(len(value)) & LOW
        self.view()[place : place + len(value)] = value
        answer = export(len(value)) & LOW
        view = self.view()
        start, length = struct.unpack("<II", bytes(view[answer : answer + 8]))
        return bytes(view[start : start + length])

    def sort_and_hash(self, seed, count):
        return self.sort_and_hash_(seed, count) & ALL

    def write_numbers(self, seed, count):
        return self.write_numbers_(seed, count) & ALL


class Wasm3(Views):
    """wasm3, an interpreter."""

    def __init__(self, module):
        self.environment = wasm3.Environment()
        self.runtime = self.environment.new_runtime(1 << 20)
        self.runtime.load(self.environment.parse_module(module))
        self.rivals_in = self.runtime.find_function("rivals_in")
        for name in ("echo_text", "echo_bytes", "sort_and_hash", "write_numbers"):
            setattr(self, name + "_", self.runtime.find_function(name))

    def view(self):
        return self.runtime.get_memory(0)


class Wasmer(Views):
    """wasmer with its Cranelift compiler, of 2022."""

    def __init__(self, module):
        import wasmer
        from wasmer_compiler_cranelift import Compiler

        store = wasmer.Store(wasmer.engine.JIT(Compiler))
        self.instance = wasmer.Instance(wasmer.Module(store, module))
        exports = self.instance.exports
        self.memory = exports.memory
        self.rivals_in = exports.rivals_in
        for name in ("echo_text", "echo_bytes", "sort_and_hash", "write_numbers"):
            setattr(self, name + "_", getattr(exports, name))

    def view(self):
        return memoryview(self.memory.buffer)


class Extism:
    """Extism: a module made with its kit, called through its host, with wasmtime inside."""

    def __init__(self, plugin):
        self.plugin = extism.Plugin(plugin)

    def echo_text(self, text):
        return self.plugin.call("echo_text", text).decode()

    def echo_bytes(self, value):
        return self.plugin.call("echo_bytes", value)

    def number(self, name, seed, count):
        return int.from_bytes(self.plugin.call(name, struct.pack("<QI", seed, count)), "little")

    def sort_and_hash(self, seed, count):
        return self.number("sort_and_hash", seed, count)

    def write_numbers(self, seed, count):
        return self.number("write_numbers", seed, count)


def contestants(built):
    """Name and functions of each runtime; what cannot be loaded is said."""
    with open(f"{built}/rivals_wasm.wasm", "rb") as file:
        module = file.read()
    with open(f"{built}/rivals_extism.wasm", "rb") as file:
        plugin = file.read()
    found = [
        ("wasmtime, as 2:core calls it", WasmtimeFast(module)),
        ("wasmtime, its Python API", Wasmtime(module)),
        ("Extism", Extism(plugin)),
        ("wasm3 (interpreter)", Wasm3(module)),
    ]
    try:
        found.insert(2, ("wasmer 1.1.0 (2022)", Wasmer(module)))
    except ImportError as error:
        print(f"\nNo row for wasmer: {error}")
    return found
