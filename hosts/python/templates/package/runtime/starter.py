# Made by tierup; the same in every package.
"""The thread that starts workers.

Linux kills a worker when the *thread* that started it ends, not the process: so one thread starts them all, and stays. It
is a daemon, since CPython waits for all others, and for those of executors first of all, once the main thread is through,
although other threads may still serve.
"""

import queue
import threading


class Starter:
    def __init__(self):
        self.orders = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.thread = None

    def begin(self):
        """Starts the thread, unless it runs. At the end of a process there can be no new one: a RuntimeError."""
        with self.lock:
            if self.thread is None:
                thread = threading.Thread(target=_serve, args=(self.orders,), name="tierup-pool", daemon=True)
                thread.start()
                self.thread = thread

    def call(self, make, *args):
        """What `make(*args)` gives in that thread, or raises there."""
        self.begin()
        reply = queue.SimpleQueue()
        self.orders.put((make, args, reply))
        made, error = reply.get()
        if error is None:
            return made
        try:
            raise error
        finally:
            # Its traceback has this frame, which would have the error: a circle.
            del error

    def end(self):
        with self.lock:
            thread, self.thread = self.thread, None
        if thread is not None:
            self.orders.put(None)
            thread.join()


def _serve(orders):
    while True:
        order = orders.get()
        if order is None:
            return
        _carry_out(*order)
        # Else it would be kept until the next one comes.
        del order


def _carry_out(make, args, reply):
    try:
        reply.put((make(*args), None))
    except BaseException as error:
        reply.put((None, error))
