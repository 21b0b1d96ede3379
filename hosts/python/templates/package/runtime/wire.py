# Made by tierup; the same in every package.
"""The byte encoding: Borsh's layout (https://borsh.io), except that a float is its raw IEEE-754 bits, NaN included.

Numbers are little-endian. Text, bytes, lists and maps start with a 32-bit count, an optional value with a byte 0 or 1.
"""

import operator
import struct

from .checks import LARGEST, Mismatch, bytes_of, expected, items_of, not_text, outside


class _Number:
    """A type of number: its format for `struct`, and its range."""

    def __init__(self, code, least, most):
        self.code = code
        self.least = least
        self.most = most
        plain = struct.Struct("<" + code)
        self.pack = plain.pack
        self.unpack_from = plain.unpack_from
        self.size = plain.size
        self.what = "a number" if least is None else f"a whole number from {least} to {most}"

    def mismatch(self, value):
        """The error for a value that `struct` refused."""
        if self.least is None:
            return outside(self.what, value) if _is_number(value) else expected(self.what, value)
        try:
            whole = operator.index(value)
        except TypeError:
            return expected(self.what, value)
        return outside(self.what, whole)


def _is_number(value):
    return isinstance(value, (int, float)) or hasattr(value, "__float__") or hasattr(value, "__index__")


I8 = _Number("b", -(2**7), 2**7 - 1)
U8 = _Number("B", 0, 2**8 - 1)
I16 = _Number("h", -(2**15), 2**15 - 1)
U16 = _Number("H", 0, 2**16 - 1)
I32 = _Number("i", -(2**31), 2**31 - 1)
U32 = _Number("I", 0, 2**32 - 1)
I64 = _Number("q", -(2**63), 2**63 - 1)
U64 = _Number("Q", 0, 2**64 - 1)
F32 = _Number("f", None, None)
F64 = _Number("d", None, None)

# Looked up once, not at every number.
_pack_i8 = I8.pack
_pack_u8 = U8.pack
_pack_i16 = I16.pack
_pack_u16 = U16.pack
_pack_i32 = I32.pack
_pack_u32 = U32.pack
_pack_i64 = I64.pack
_pack_u64 = U64.pack
_pack_f32 = F32.pack
_pack_f64 = F64.pack
_unpack_count = U32.unpack_from

# Errors of `struct` for a value that is not a number or does not fit, and errors of a value's own `__index__`.
_REFUSED = (struct.error, TypeError, OverflowError, ValueError)


class Writer:
    """Appends values to `buffer`, after checking their types."""

    __slots__ = ("buffer",)

    def __init__(self, start=b""):
        self.buffer = bytearray(start)

    def bool(self, value):
        if value is not True and value is not False:
            raise expected("True or False", value)
        self.buffer.append(value)

    def case(self, number):
        """A byte that says what follows."""
        self.buffer.append(number)

    def count(self, number):
        """The number of items that follow."""
        if number > LARGEST or len(self.buffer) > LARGEST:
            raise Mismatch(OverflowError, "more than 2 GiB of arguments cannot cross")
        self.buffer += _pack_u32(number)

    def number(self, kind, value):
        try:
            self.buffer += kind.pack(value)
        except _REFUSED:
            raise kind.mismatch(value) from None

    def i8(self, value):
        try:
            self.buffer += _pack_i8(value)
        except _REFUSED:
            raise I8.mismatch(value) from None

    def u8(self, value):
        try:
            self.buffer += _pack_u8(value)
        except _REFUSED:
            raise U8.mismatch(value) from None

    def i16(self, value):
        try:
            self.buffer += _pack_i16(value)
        except _REFUSED:
            raise I16.mismatch(value) from None

    def u16(self, value):
        try:
            self.buffer += _pack_u16(value)
        except _REFUSED:
            raise U16.mismatch(value) from None

    def i32(self, value):
        try:
            self.buffer += _pack_i32(value)
        except _REFUSED:
            raise I32.mismatch(value) from None

    def u32(self, value):
        try:
            self.buffer += _pack_u32(value)
        except _REFUSED:
            raise U32.mismatch(value) from None

    def i64(self, value):
        try:
            self.buffer += _pack_i64(value)
        except _REFUSED:
            raise I64.mismatch(value) from None

    def u64(self, value):
        try:
            self.buffer += _pack_u64(value)
        except _REFUSED:
            raise U64.mismatch(value) from None

    def f32(self, value):
        try:
            self.buffer += _pack_f32(value)
        except _REFUSED:
            raise F32.mismatch(value) from None

    def f64(self, value):
        try:
            self.buffer += _pack_f64(value)
        except _REFUSED:
            raise F64.mismatch(value) from None

    def text(self, value):
        """Raises UnicodeEncodeError for a lone surrogate, as Python does everywhere."""
        if not isinstance(value, str):
            raise not_text(value)
        encoded = value.encode()
        self.count(len(encoded))
        self.buffer += encoded

    def bytes(self, value):
        content = bytes_of(value)
        self.count(len(content))
        self.buffer += content

    def numbers(self, kind, value):
        """A list of numbers, in one step."""
        items = items_of(value)
        self.count(len(items))
        try:
            self.buffer += struct.pack(f"<{len(items)}{kind.code}", *items)
        except _REFUSED:
            self._numbers_one_by_one(kind, items)

    def _numbers_one_by_one(self, kind, items):
        """Finds the item that does not fit, for the error."""
        at = 0
        try:
            for at, item in enumerate(items):
                self.number(kind, item)
        except Mismatch as mismatch:
            mismatch.path = f"[{at}]{mismatch.path}"
            raise


class Malformed(Exception):
    """The bytes do not fit the interface: the program and this package do not match."""


class Reader:
    """Reads values from the front of bytes."""

    __slots__ = ("data", "position", "end")

    def __init__(self, data, position=0):
        self.data = data
        self.position = position
        self.end = len(data)

    def finish(self):
        """Checks that nothing is left."""
        if self.position != self.end:
            raise Malformed(f"{self.end - self.position} bytes follow the answer")

    def take(self, count):
        position = self.position
        if count > self.end - position:
            raise Malformed("the answer ends too early")
        self.position = position + count
        return position

    def bool(self):
        byte = self.case()
        if byte > 1:
            raise Malformed(f"{byte} is not a valid bool")
        return byte == 1

    def case(self):
        """A byte that says what follows."""
        return self.data[self.take(1)]

    def word(self, words):
        """One of these words, by its index."""
        number = self.case()
        if number >= len(words):
            raise Malformed(f"{number} is no case of {type(words[0]).__name__}")
        return words[number]

    def count(self):
        """The number of items that follow."""
        return _unpack_count(self.data, self.take(4))[0]

    def number(self, kind):
        return kind.unpack_from(self.data, self.take(kind.size))[0]

    def i8(self):
        return self.number(I8)

    def u8(self):
        return self.case()

    def i16(self):
        return self.number(I16)

    def u16(self):
        return self.number(U16)

    def i32(self):
        return self.number(I32)

    def u32(self):
        return self.number(U32)

    def i64(self):
        return self.number(I64)

    def u64(self):
        return self.number(U64)

    def f32(self):
        return self.number(F32)

    def f64(self):
        return self.number(F64)

    def text(self):
        content = self.bytes()
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise Malformed(f"its text is no UTF-8: {error}") from None

    def bytes(self):
        length = self.count()
        start = self.take(length)
        # A copy, so that the whole answer is not kept alive.
        return bytes(self.data[start : start + length])

    def numbers(self, kind):
        """A list of numbers, in one step."""
        length = self.count()
        start = self.take(length * kind.size)
        return list(struct.unpack_from(f"<{length}{kind.code}", self.data, start))

    def key(self, last):
        """The key of a map's next entry. Keys ascend, so comparing it with `last` finds duplicates."""
        key = self.text()
        if last is not None and last >= key:
            raise Malformed("a map's keys are not sorted or not unique")
        return key


class Function:
    """Facts about one function. `_interface.py` has a table of them."""

    __slots__ = ("name", "parameters", "direct", "raw", "write_arguments", "read_arguments", "write_output", "read_output")

    def __init__(self, name, parameters, *, direct, raw, write_arguments, read_arguments, write_output, read_output):
        self.name = name
        self.parameters = parameters
        # Whether each argument is text, if the function has only text and bytes; otherwise None.
        self.direct = direct
        self.raw = raw
        self.write_arguments = write_arguments
        self.read_arguments = read_arguments
        self.write_output = write_output
        self.read_output = read_output

    def encoded(self, args, start=b""):
        """The arguments' bytes, after `start`. Raises TypeError, ValueError or OverflowError if they do not fit the
        signature."""
        writer = Writer(start)
        self.write_arguments(writer, args)
        return writer.buffer
