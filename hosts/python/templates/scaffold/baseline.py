"""The function as it was before Rust: tier 0."""

import re


class SlugError(ValueError):
    """A mistake of the caller, whose message may be shown."""


def slugify(text: str) -> str:
    """Lower-case letters and digits; a run of anything else becomes one `-`, none at the ends."""
    slug = re.sub(r"[^a-zA-Z0-9]+", "-", text).strip("-").lower()
    if not slug:
        raise SlugError("text has no letters or digits")
    return slug
