# Made by tierup; the same in every package.
"""What a forked child needs anew: above all locks, which a thread may have held that the child does not have."""

import os
import weakref

# By themselves they would stay for ever: nobody can take back what `os.register_at_fork` was given.
_objects = weakref.WeakSet()


def renew_after_fork(thing):
    """Has `thing.after_fork()` called in every child that is forked while it exists."""
    _objects.add(thing)


def _after_fork():
    for thing in list(_objects):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
