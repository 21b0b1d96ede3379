"""The function as it was before Rust: tier 0."""

import re


def slugify(text: str) -> str:
    """Lower-case letters and digits; a run of anything else becomes one `-`, none at the ends."""
    slug = re.sub(r"[^a-zA-Z0-9]+", "-", text).strip("-").lower()
    if not slug:
        raise ValueError("text has no letters or digits")
    return slug
