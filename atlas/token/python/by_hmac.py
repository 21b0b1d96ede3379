"""Signed tokens by hmac and hashlib, which call OpenSSL."""

import hmac
from base64 import urlsafe_b64encode


def verify(token: str, key: str) -> bool:
    """Whether the signature of `CONTENT.SIGNATURE` is the HMAC-SHA-256 of the content, in base64url without padding."""
    content, dot, signature = token.rpartition(".")
    if not dot or not key:
        return False
    right = urlsafe_b64encode(hmac.digest(key.encode(), content.encode(), "sha256")).rstrip(b"=")
    return hmac.compare_digest(right, signature.encode())
