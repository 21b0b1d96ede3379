# Made by tierup; the same in every package.
"""A key for a call's arguments: their encoding. Arguments that Rust cannot tell apart have the same key."""


def key_of(functions, number, args):
    """(number, text or bytes); None if the arguments do not fit the signature."""
    function = functions[number]
    # A single text, the most common case, is its own key.
    if function.direct == (True,) and type(args[0]) is str:
        return number, args[0]
    try:
        return number, bytes(function.encoded(args))
    except Exception:
        return None
