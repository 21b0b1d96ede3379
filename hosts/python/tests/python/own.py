"""What a server could hand over: some of the functions of `conformance/`, in Python."""


def echo_text(text):
    return text


def echo_bytes(content):
    return content


def fail(words):
    raise ValueError(words)
