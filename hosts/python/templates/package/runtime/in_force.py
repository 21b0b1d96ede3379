# Made by tierup; the same in every package.
"""The control in force, with the candidate's variant."""

import hashlib
import hmac
import secrets

# The candidate gets no more calls if more than _MOST_FAILED of BLOCK calls panic, time out or get lost.
BLOCK, _MOST_FAILED = 100, 50

# The key for hashes if the file has none. An input then stays with one side for the process's lifetime.
_own_key = secrets.token_hex(16)


class InForce:
    """`variant` is None if the candidate must not answer calls."""

    def __init__(self, control, variant, pairs):
        self.candidate = control.candidate
        self.shadow = control.shadow
        self.share = 0 if variant is None else control.share
        self.is_by_input = control.is_by_input
        self.keeps_values = control.keeps_values
        self.key = (control.key or _own_key).encode()
        self.pairs = pairs
        self.calls, self.call_async = (None, None) if variant is None else variant
        # The candidate's calls since the last block ended, and how many of them failed.
        self.block = [0, 0]

    def chooses(self, number, encoded):
        """Whether the candidate answers these encoded arguments."""
        digest = hmac.new(self.key, f"{number} ".encode() + encoded, hashlib.sha256).digest()
        return int.from_bytes(digest[:4], "little") < self.share * 2**32

    def ended(self, is_failure):
        """Counts a call of the candidate. If too many have failed, returns their number; it gets no more calls then."""
        self.block[0] += 1
        self.block[1] += is_failure
        if self.block[0] < BLOCK:
            return 0
        failed, self.block = self.block[1], [0, 0]
        if failed <= _MOST_FAILED or self.share == 0:
            return 0
        self.share = 0
        return failed
