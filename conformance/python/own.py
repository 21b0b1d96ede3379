"""The server's own functions (tier 0): some of those in Rust. They count their calls."""

_calls = []


def _echo(value):
    _calls.append(value)
    return value


echo_text = echo_owned_text = echo_texts = echo_option_text = echo_point = _echo


def do_nothing():
    _echo(None)


def fail(words):
    raise RuntimeError(_echo(words))


def count_calls():
    return len(_calls)
