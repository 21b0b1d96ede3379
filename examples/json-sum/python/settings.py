"""What the environment says. Whoever sets something that makes no sense is told, and the process ends."""

import os
import re
import sys
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Downstream:
    url: str
    """The service's address, to which `/process` is appended."""
    timeout: float
    """Seconds in which its whole answer must be there."""


@dataclass(frozen=True)
class Settings:
    host: str
    port: int
    workers: int
    downstream: Downstream


def read_settings() -> Settings:
    return Settings(
        host=os.environ.get("HOST") or "127.0.0.1",
        port=whole_number("PORT", 3000, 0, 65535),
        workers=whole_number("TIERUP_WORKERS", len(os.sched_getaffinity(0)), 1, 1024),
        downstream=Downstream(
            url=http_address("DOWNSTREAM_URL", "http://127.0.0.1:4000"),
            timeout=whole_number("DOWNSTREAM_TIMEOUT_MS", 5000, 1, 600_000) / 1000,
        ),
    )


def whole_number(name: str, otherwise: int, least: int, most: int) -> int:
    """An environment variable that is a whole number from `least` to `most`."""
    text = os.environ.get(name) or str(otherwise)
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        sys.exit(f'{name} must be a whole number from {least} to {most}, not "{text}"')
    return int(text)


def http_address(name: str, otherwise: str) -> str:
    """An environment variable that is an address to which a path can be appended."""
    text = os.environ.get(name) or otherwise
    if not re.fullmatch(r"http://[^\s/?#]+(/[^\s?#]*)?", text) or not has_host_and_port(text):
        sys.exit(f'{name} must be an address such as {otherwise}, not "{text}"')
    return text.rstrip("/")


def has_host_and_port(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
