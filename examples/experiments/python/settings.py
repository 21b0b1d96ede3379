"""What the environment says. Whoever sets something that makes no sense is told, and the process ends."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Settings:
    host: str
    port: int
    workers: int
    now: Callable[[], int]
    """Seconds since 1970."""


def read_settings() -> Settings:
    # A time that stands still, for tests and comparisons; what JavaScript counts exactly, as the other servers do.
    fixed_now = whole_number("EXPERIMENTS_NOW", None, 0, 2**53 - 1)
    return Settings(
        host=os.environ.get("HOST") or "127.0.0.1",
        port=whole_number("PORT", 3000, 0, 65535),
        workers=whole_number("TIERUP_WORKERS", len(os.sched_getaffinity(0)), 1, 1024),
        now=(lambda: int(time.time())) if fixed_now is None else (lambda: fixed_now),
    )


def whole_number(name: str, otherwise: Optional[int], least: int, most: int) -> Optional[int]:
    """An environment variable that is a whole number from `least` to `most`; `otherwise` where it is empty or absent."""
    text = os.environ.get(name)
    if not text:
        return otherwise
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        sys.exit(f'{name} must be a whole number from {least} to {most}, not "{text}"')
    return int(text)
