# Made by tierup; the same in every package.
"""The clock by which wasmtime stops late calls: a thread that advances the engine's epoch."""

import threading
import weakref

# A call is stopped at its 11th tick. The time-out is 10 ticks, and the first one is partly over when the call begins.
TICKS = 11


class Ticker:
    def __init__(self, engine, timeout):
        reference = weakref.ref(engine)
        pause = timeout / (TICKS - 1)
        # The thread ends with the engine, which running calls keep alive.
        threading.Thread(target=_tick, args=(reference, pause), name="tierup-clock", daemon=True).start()


def _tick(reference, pause):
    never = threading.Event()
    while True:
        never.wait(pause)
        engine = reference()
        if engine is None:
            return
        engine.increment_epoch()
        # Otherwise this thread would keep the engine alive until the next tick.
        del engine
