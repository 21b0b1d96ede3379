"""Writes small.http, medium.http and large.http: tokens that were made up, half of them with a wrong signature.

`python3 inputs.py`, in this folder. The same bytes each time.
"""

import hmac
import json
from base64 import urlsafe_b64encode
from random import Random

KEY = "a key of the atlas, which protects nothing"
# Bytes of the payload before it is encoded: a login, a login with 100 permissions, a signed report.
SIZES = {"small": 120, "medium": 3_000, "large": 48_000}


def encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def token(size: int, random: Random) -> str:
    payload = {"sub": f"user-{random.randrange(10**6)}", "exp": 1_900_000_000, "permissions": []}
    while len(json.dumps(payload)) < size:
        payload["permissions"].append(f"project-{random.randrange(10**6)}:read")
    header = {"alg": "HS256", "typ": "JWT"}
    content = ".".join(encoded(json.dumps(part).encode()) for part in (header, payload))
    return f"{content}.{encoded(hmac.digest(KEY.encode(), content.encode(), 'sha256'))}"


def main() -> None:
    for name, size in SIZES.items():
        random = Random(name)
        lines = [f"# The tokens of the size `{name}`, as inputs.py wrote them."]
        for title in ("right", "wrong"):
            made = token(size, random)
            if title == "wrong":
                made = made[:-2] + ("AA" if made[-2:] != "AA" else "BB")
            body = json.dumps({"token": made, "key": KEY})
            lines += ["", f"### {title}", "POST http://127.0.0.1/verify", "Content-Type: application/json", "", body]
        with open(f"{name}.http", "w", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
