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

    def order(self, make, *args):
        """Has `make(*args)` called in that thread. It must not raise."""
        self.begin()
        self.orders.put((make, args))

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
        make, args = order
        make(*args)
        # Otherwise they would be kept alive until the next one comes.
        del order, make, args
