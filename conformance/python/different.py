"""Functions of a server, for rollouts (tier 0:different): like those in Rust, but for some inputs."""


def echo_text(text):
    return ":-)" if text == "😀" else text


def panic_if(condition, text):
    return text.upper()


def fail(words):
    if words == "nothing":
        return b""
    raise RuntimeError(f"own words for {words}")


def hang_on(word):
    return 0 if word == "changed" else len(word)


def make_bytes(length):
    return b"\1" * min(length, 100)


def echo_texts(texts):
    """Changes its argument before anybody compares."""
    answer = list(texts)
    texts.clear()
    return answer


def echo_bytes(content):
    return content


def count_calls():
    return 0
