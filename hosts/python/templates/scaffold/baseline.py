"""The function as it was before Rust: tier 0."""

import re


class SlugError(ValueError):
    """An error of the caller. Its message may be shown."""


def slugify(text: str) -> str:
    """Keeps letters and digits in lower case. Each run of other characters becomes one `-`, but none at the ends."""
    slug = re.sub(r"[^a-zA-Z0-9]+", "-", text).strip("-").lower()
    if not slug:
        raise SlugError("text has no letters or digits")
    return slug
