"""Native ways out of Python: each class has the four functions."""

import ctypes
import importlib.machinery
import importlib.util

import cffi


def load_module(name, path):
    """A module from a file, an extension's too, whatever its ending."""
    loader = importlib.machinery.ExtensionFileLoader if path.endswith(".so") else importlib.machinery.SourceFileLoader
    spec = importlib.util.spec_from_file_location(name, path, loader=loader(name, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Ctypes:
    """The C interface through ctypes, written for speed: prototypes are set, one answer's memory is kept."""

    class Answer(ctypes.Structure):
        _fields_ = [("bytes", ctypes.c_void_p), ("length", ctypes.c_size_t), ("capacity", ctypes.c_size_t)]

    def __init__(self, built):
        library = ctypes.CDLL(f"{built}/librivals_c.so")
        self.answer = self.Answer()
        self.answer_at = ctypes.byref(self.answer)
        self.hash = ctypes.c_uint64()
        self.hash_at = ctypes.byref(self.hash)
        for name in ("rivals_echo_text", "rivals_echo_bytes"):
            getattr(library, name).argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(self.Answer)]
        for name in ("rivals_sort_and_hash", "rivals_write_numbers"):
            getattr(library, name).argtypes = [ctypes.c_uint64, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint64)]
        library.rivals_release.argtypes = [ctypes.POINTER(self.Answer)]
        library.rivals_release.restype = None
        self.library = library

    def taken(self, status):
        if status:
            raise RuntimeError("the function panicked")
        value = ctypes.string_at(self.answer.bytes, self.answer.length)
        self.library.rivals_release(self.answer_at)
        return value

    def echo_text(self, text):
        text = text.encode()
        return self.taken(self.library.rivals_echo_text(text, len(text), self.answer_at)).decode()

    def echo_bytes(self, value):
        return self.taken(self.library.rivals_echo_bytes(value, len(value), self.answer_at))

    def number(self, status):
        if status:
            raise RuntimeError("the function panicked")
        return self.hash.value

    def sort_and_hash(self, seed, count):
        return self.number(self.library.rivals_sort_and_hash(seed, count, self.hash_at))

    def write_numbers(self, seed, count):
        return self.number(self.library.rivals_write_numbers(seed, count, self.hash_at))


class Cffi:
    """The C interface through cffi without a compiler at hand (its ABI mode)."""

    def __init__(self, built):
        self.ffi = cffi.FFI()
        self.ffi.cdef("""
            typedef struct { uint8_t *bytes; size_t length; size_t capacity; } Answer;
            int32_t rivals_echo_text(const uint8_t *, size_t, Answer *);
            int32_t rivals_echo_bytes(const uint8_t *, size_t, Answer *);
            void rivals_release(const Answer *);
            int32_t rivals_sort_and_hash(uint64_t, uint32_t, uint64_t *);
            int32_t rivals_write_numbers(uint64_t, uint32_t, uint64_t *);
        """)
        self.library = self.ffi.dlopen(f"{built}/librivals_c.so")
        self.answer = self.ffi.new("Answer *")
        self.hash = self.ffi.new("uint64_t *")

    def taken(self, status):
        if status:
            raise RuntimeError("the function panicked")
        value = self.ffi.buffer(self.answer.bytes, self.answer.length)[:]
        self.library.rivals_release(self.answer)
        return value

    def echo_text(self, text):
        text = text.encode()
        return self.taken(self.library.rivals_echo_text(text, len(text), self.answer)).decode()

    def echo_bytes(self, value):
        return self.taken(self.library.rivals_echo_bytes(value, len(value), self.answer))

    def number(self, status):
        if status:
            raise RuntimeError("the function panicked")
        return self.hash[0]

    def sort_and_hash(self, seed, count):
        return self.number(self.library.rivals_sort_and_hash(seed, count, self.hash))

    def write_numbers(self, seed, count):
        return self.number(self.library.rivals_write_numbers(seed, count, self.hash))


def contestants(built):
    """Name and functions of each way."""
    return [
        ("PyO3, as 3:native", load_module("rivals_pyo3", f"{built}/librivals_pyo3.so")),
        ("ctypes", Ctypes(built)),
        ("cffi", Cffi(built)),
        ("UniFFI's own Python", load_module("rivals_uniffi", f"{built}/rivals_uniffi.py")),
    ]
