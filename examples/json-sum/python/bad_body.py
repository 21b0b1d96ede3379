"""The one error of the service's own function. It stands alone, so that the server knows it without the function."""


class BadBody(Exception):
    """The body is not what the service takes."""
