"""QR codes over HTTP, in one process per core.

Settings come from the environment: HOST, PORT and TIERUP_WORKERS here, and what `qr` reads itself, TIERUP_TIER above all.
"""

import os
import socket
import sys

import uvicorn
from uvicorn.supervisors import Multiprocess

# More connections than this wait for nobody.
BACKLOG = 2048


def main() -> None:
    host = os.environ.get("HOST") or "127.0.0.1"
    port = whole_number("PORT", 42069, 0, 65535)
    workers = whole_number("TIERUP_WORKERS", len(os.sched_getaffinity(0)), 1, 1024)
    # What cannot run here is said once, by this process, before there are others.
    try:
        from app import rust
    except Exception as error:
        sys.exit(str(error))
    listener = listen(host, port)
    where = f"[{host}]" if ":" in host else host
    print(f"listening on http://{where}:{listener.getsockname()[1]} (tier {rust.tier}, {workers} workers)", flush=True)
    config = uvicorn.Config(
        "app:app",
        host=host,
        port=port,
        workers=workers,
        backlog=BACKLOG,
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    # In processes of its own even where there is one: so that it is replaced when it dies.
    Multiprocess(config, sockets=[listener]).run()


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        sys.exit(f"cannot listen on {host}:{port}: {error.strerror}")
    return listener


def whole_number(name: str, otherwise: int, least: int, most: int) -> int:
    """An environment variable that is a whole number from `least` to `most`."""
    text = os.environ.get(name) or str(otherwise)
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        sys.exit(f'{name} must be a whole number from {least} to {most}, not "{text}"')
    return int(text)


if __name__ == "__main__":
    main()
