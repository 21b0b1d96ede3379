# Made by tierup; the same in every package.
"""The clock by which wasmtime sees that a call has taken too long: a thread that counts the engine's epochs on."""

import threading
import weakref

# So many are the time that a call has. One more may pass before it is seen: the first is partly over when a call begins.
TICKS = 11


class Ticker:
    def __init__(self, engine, timeout):
        reference = weakref.ref(engine)
        pause = timeout / (TICKS - 1)
        # It ends with the engine, which calls under way hold.
        threading.Thread(target=_tick, args=(reference, pause), name="tierup-clock", daemon=True).start()


def _tick(reference, pause):
    never = threading.Event()
    while True:
        never.wait(pause)
        engine = reference()
        if engine is None:
            return
        engine.increment_epoch()
        # Else it would be held until the next one.
        del engine
