"""Prints what one call costs in Python, natively and in Wasm, for each way of doing it. Argument: the folder that
`run.sh` fills."""

import importlib.metadata
import platform
import sys

import native
import wasm
from paired import compare

TEXT = "a text of sixty-four bytes, like a title that becomes an address"
BYTES = bytes(range(256)) * 256
CALLS = [
    ("echo_text, 64 bytes", "echo_text", (TEXT,)),
    ("echo_bytes, 64 KiB", "echo_bytes", (BYTES,)),
    ("sort_and_hash, 50,000 numbers", "sort_and_hash", (7, 50_000)),
    ("write_numbers, 50,000 numbers", "write_numbers", (7, 50_000)),
]


def table(title, name, arguments, contestants):
    """All of them must answer alike before they are timed."""
    rows = []
    expected = getattr(contestants[0][1], name)(*arguments)
    for contestant, functions in contestants:
        function = getattr(functions, name)
        try:
            answer = function(*arguments)
        except RuntimeError as error:
            print(f"\nNo row for {contestant} at {name}, which fails there: {str(error).splitlines()[0]}")
            continue
        if answer != expected:
            raise SystemExit(f"error: {contestant} answers {name} otherwise than {contestants[0][0]}")
        rows.append((contestant, lambda function=function: function(*arguments)))
    compare(title, rows)


def main():
    built = sys.argv[1]
    versions = ("wasmtime", "wasmer", "extism", "extism-sys", "pywasm3", "cffi")
    print(f"Python {platform.python_version()}:", ", ".join(f"{name} {importlib.metadata.version(name)}" for name in versions))
    ways, runtimes = native.contestants(built), wasm.contestants(built)
    for title, name, arguments in CALLS[:3]:
        table(f"native: {title}", name, arguments, ways)
    # Native code is a row here, so that it can be seen what Wasm itself costs.
    for title, name, arguments in CALLS:
        table(f"Wasm: {title}", name, arguments, [*runtimes, ways[0]])


main()
