"""Experiments over HTTP, in one process per core.

Settings come from the environment: those of settings.py, and what `experiments` reads itself, TIERUP_TIER above all.
"""

import socket
import sys

import uvicorn
from uvicorn.supervisors import Multiprocess

from settings import read_settings

# Thousands of clients may connect at the same moment; the system cuts it to its own limit.
BACKLOG = 4096


def main() -> None:
    settings = read_settings()
    host = settings.host
    # What cannot run here is said once, by this process, before there are others.
    try:
        from app import rust
    except Exception as error:
        sys.exit(str(error))
    listener = listen(host, settings.port)
    where = f"[{host}]" if ":" in host else host
    address = f"http://{where}:{listener.getsockname()[1]}"
    print(f"listening on {address} (tier {rust.tier}, {settings.workers} workers)", flush=True)
    config = uvicorn.Config(
        "app:app",
        workers=settings.workers,
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


if __name__ == "__main__":
    main()
