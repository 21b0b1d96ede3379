# Made by tierup; the same in every package.
"""What a forked child must renew: mainly locks, as threads that the child does not have may hold them."""

import os
import weakref

# Weak references, because a callback cannot be unregistered from `os.register_at_fork`.
_objects = weakref.WeakSet()


def renew_after_fork(thing):
    """Calls `thing.after_fork()` in every child that is forked while the thing exists."""
    _objects.add(thing)


def _after_fork():
    for thing in list(_objects):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
