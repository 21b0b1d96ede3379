# Made by tierup; the same in every package.
"""The functions as a command: runs the program in `artifacts/` with the same arguments."""

import subprocess
import sys

from ._tierup.built import require_built, is_built
from ._tierup.errors import Unavailable
from ._tierup.programs import program
from ._tierup.tiers import Context

# Both variants run the same program, so either will do.
VARIANTS = ("1:spawn", "1:pool")


def main():
    variant = next(filter(is_built, VARIANTS), VARIANTS[0])
    try:
        require_built(variant)
        path = program(Context(variant))
    except Unavailable as error:
        sys.exit(str(error))
    try:
        code = subprocess.call([path, *sys.argv[1:]])
    except KeyboardInterrupt:
        # The terminal has sent the signal to the program as well, which has ended by now.
        code = 130
    # Shells use this exit code for a signal.
    sys.exit(128 - code if code < 0 else code)


if __name__ == "__main__":
    main()
