# Made by tierup; the same in every package.
"""Calls of a Wasm module's exports that take and return 32-bit numbers.

wasmtime's Python API looks up the types of the numbers at every call, which takes ten times as long as the call itself. So
this calls the function of its C API directly, with arrays that are kept. If a later wasmtime renames what this needs, its
Python API is used instead.
"""

import ctypes
import functools


def fast_export(wasmtime, store, function, parameters):
    """A callable for an exported function of numbers. It raises the errors of wasmtime."""
    try:
        return _Export(wasmtime, store, function, parameters)
    except (ImportError, AttributeError, TypeError):
        return lambda *numbers: function(store, *numbers)


@functools.cache
def _array_of(kind, length):
    """The type of an array, cached: each new type that ctypes makes is a reference cycle for the garbage collector."""
    return kind * length


class _Export:
    __slots__ = ("call", "slots", "result", "arguments", "trap", "trap_error", "other_error", "kept")

    def __init__(self, wasmtime, store, function, parameters):
        from wasmtime import _ffi

        values = _array_of(_ffi.wasmtime_val_t, max(parameters, 1))()
        results = _array_of(_ffi.wasmtime_val_t, 1)()
        # wasmtime itself uses this type for an instance's imports.
        _array_of(_ffi.wasmtime_extern_t, 0)
        for value in values:
            value.kind = _ffi.WASMTIME_I32.value
        self.call = _ffi.wasmtime_func_call
        self.slots = [values[place].of for place in range(parameters)]
        self.result = results[0].of
        self.trap = ctypes.POINTER(_ffi.wasm_trap_t)()
        self.trap_error = wasmtime.Trap._from_ptr
        self.other_error = wasmtime.WasmtimeError._from_ptr
        callee = ctypes.byref(function._func)
        self.arguments = (store._context(), callee, values, parameters, results, 1, ctypes.byref(self.trap))
        # Keeps the objects alive that the arguments point to.
        self.kept = (store, function)

    def __call__(self, *numbers):
        for slot, number in zip(self.slots, numbers):
            slot.i32 = number
        error = self.call(*self.arguments)
        if error:
            raise self.other_error(error)
        if self.trap:
            raise self.trap_error(self.trap)
        return self.result.i32
