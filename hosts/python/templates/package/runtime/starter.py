# Made by tierup; the same in every package.
"""The thread that creates the processes of workers.

Linux kills a worker when the *thread* that created it ends, so one thread creates them all and stays. It is a daemon: CPython
waits for all other threads, and for those of executors first of all, when the main thread has ended, while other threads may
still serve.
"""

import queue
import threading


class Starter:
    def __init__(self):
        self.orders = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.thread = None

    def begin(self):
        """Starts the thread, unless it runs. Once the main thread has ended, this is a RuntimeError."""
        with self.lock:
            if self.thread is None:
                thread = threading.Thread(target=_serve, args=(self.orders,), name="tierup-pool", daemon=True)
                thread.start()
                self.thread = thread

    def call(self, make, *args):
        """Returns what `make(*args)` returns in that thread, or raises what it raises."""
        self.begin()
        reply = queue.SimpleQueue()
        self.orders.put((make, args, reply))
        made, error = reply.get()
        if error is None:
            return made
        try:
            raise error
        finally:
            # Its traceback refers to this frame, which refers to the error: a reference cycle.
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
        # Otherwise it would be kept alive until the next one comes.
        del order


def _carry_out(make, args, reply):
    try:
        reply.put((make(*args), None))
    except BaseException as error:
        reply.put((None, error))
