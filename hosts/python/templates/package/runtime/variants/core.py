# Made by tierup; the same in every package.
"""`2:core`: a Wasm module with the byte ABI and nothing else, in wasmtime."""

import ctypes
import threading

from ..answers import read_answer
from ..built import check_abi
from ..errors import PanicError, Unavailable
from ..exports import fast_export
from ..forks import renew_after_fork
from ..limits import Limits
from ..ticker import TICKS, Ticker
from ..wire import Reader
from .ways import AtOnce

# The memory limit for all idle instances, in bytes. An instance beyond it is dropped, because Wasm memory never
# shrinks.
MOST_IDLE_BYTES = 256 << 20

# The most idle instances. Each also takes address space.
MOST_IDLE = 64


class Instance:
    """One instance and its exports. It serves one call at a time."""

    def __init__(self, wasmtime, engine, module, limits, alternative):
        self.limits = limits
        self.interrupted = wasmtime.TrapCode.INTERRUPT
        self.errors = (wasmtime.WasmtimeError, wasmtime.Trap)
        self.store = wasmtime.Store(engine)
        self.begin()
        exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory = exports["memory"]
        self.tierup_abi = exports["tierup_abi"]
        self.tierup_in = fast_export(wasmtime, self.store, exports["tierup_in"], 1)
        self.tierup_call = fast_export(wasmtime, self.store, exports["tierup_call"], 2)
        self.tierup_last_panic = fast_export(wasmtime, self.store, exports["tierup_last_panic"], 0)
        if alternative != 0:
            exports["tierup_choose"](self.store, alternative)
        # The size of its memory after the last call.
        self.bytes = self.memory.data_len(self.store)

    def begin(self):
        """Starts a call's time-out."""
        if self.limits.timeout is not None:
            self.store.set_epoch_deadline(TICKS)

    def abi(self):
        return f"{self.tierup_abi(self.store) & (2**64 - 1):016x}"

    def call(self, number, arguments):
        """Makes a call, and returns the answer's bytes."""
        length = len(arguments)
        self.begin()
        pointer = self.enter(self.tierup_in, length)
        if length:
            ctypes.memmove(self.address(pointer, length), bytes(arguments), length)
        return self.answer_at(self.enter(self.tierup_call, number, length))

    def enter(self, exported, *args):
        """Calls an export."""
        try:
            return exported(*args) & 0xFFFFFFFF
        except self.errors as error:
            is_late = getattr(error, "trap_code", None) == self.interrupted
            words = "" if is_late else self.last_words(error)
        # Errors are made here, as in `answers.py`: one in a local variable would keep the whole instance alive.
        if is_late:
            raise self.limits.took_too_long()
        raise PanicError(words)

    def last_words(self, error):
        """The reason for a trap: the panic's message, if it was a panic."""
        try:
            pointer = self.tierup_last_panic() & 0xFFFFFFFF
            if pointer:
                return Reader(self.answer_at(pointer), 1).text()
        except Exception:
            pass  # The instance is too broken to say why.
        return f"the Wasm module trapped: {str(error).strip().splitlines()[-1]}"

    def answer_at(self, pointer):
        """The bytes at a pointer. Their length precedes them."""
        start = self.address(pointer, 4)
        length = int.from_bytes(ctypes.string_at(start, 4), "little")
        self.check(pointer + 4, length)
        return ctypes.string_at(start + 4, length)

    def address(self, pointer, length):
        """The address of these bytes of the module's memory, which moves when it grows."""
        self.check(pointer, length)
        # `ctypes.cast` would leave a reference cycle for the garbage collector at every call.
        return ctypes.addressof(self.memory.data_ptr(self.store).contents) + pointer

    def check(self, pointer, length):
        """Checks a pointer. If user code has overwritten it, it may lead out of the module's memory."""
        self.bytes = self.memory.data_len(self.store)
        if pointer + length > self.bytes:
            raise PanicError("the Wasm module returned an address outside its memory")


class Core(AtOnce):
    def __init__(self, context, wasmtime):
        self.functions = context.functions
        self.alternative = context.alternative
        self.wasmtime = wasmtime
        self.limits = Limits()
        config = wasmtime.Config()
        # A forked child lacks the compiler's threads, and may load a module of its own.
        config.parallel_compilation = False
        # Calls without a time-out need not check for it.
        config.epoch_interruption = self.limits.timeout is not None
        self.engine = wasmtime.Engine(config)
        self.after_fork()
        renew_after_fork(self)
        self.module = wasmtime.Module(self.engine, context.artifact("core.wasm").read_bytes())
        # A caller takes an instance and puts it back, so threads never share one. A list's `pop` and `append` are
        # atomic.
        self.idle = [self.instance()]
        check_abi(self.idle[0].abi())
        if self.limits.timeout is not None:
            # CPython starts no threads once the main thread has ended, so this starts now and not at the first call.
            self.begin_ticking()

    def instance(self):
        return Instance(self.wasmtime, self.engine, self.module, self.limits, self.alternative)

    def call(self, number, *args):
        function = self.functions[number]
        arguments = function.encoded(args)
        if self.ticker is None and self.limits.timeout is not None:
            self.begin_ticking()
        try:
            instance = self.idle.pop()
        except IndexError:
            instance = self.instance()
        # After an exception, a trap or Ctrl-C, the instance is dropped, as its state is unknown.
        answer = instance.call(number, arguments)
        self.put_back(instance)
        return read_answer(function, answer)

    def put_back(self, instance):
        """Keeps an instance for the next call, if there is room. Concurrent threads may use the same room twice; later
        ones see it taken."""
        held = sum([idle.bytes for idle in self.idle]) if self.idle else 0
        if len(self.idle) < MOST_IDLE and held + instance.bytes <= MOST_IDLE_BYTES:
            self.idle.append(instance)

    def after_fork(self):
        # The clock's thread is the parent's, so the first call here starts a new one.
        self.ticker = None
        self.lock = threading.Lock()

    def begin_ticking(self):
        with self.lock:
            if self.ticker is None:
                self.ticker = Ticker(self.engine, self.limits.timeout)

    def ready(self):
        pass

    def close(self):
        self.idle.clear()


def load(context):
    try:
        import wasmtime
    except ImportError as error:
        raise Unavailable(f"it needs wasmtime ({error}): run `pip install wasmtime`") from error
    return Core(context, wasmtime)
