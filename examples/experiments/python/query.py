"""The query string, of which one parameter counts. It is taken as it was sent: `fingerprint=md5` needs no decoding, and
whatever would have to be decoded first is something else."""


class WrongQuery(Exception):
    """The query asks for something that there is not."""


def wants_fingerprint(query: bytes) -> bool:
    """Whether the name is to be replaced by its fingerprint. Raises WrongQuery for another one than MD5."""
    wanted = False
    for parameter in query.split(b"&"):
        name, _, value = parameter.partition(b"=")
        if name == b"fingerprint":
            if value != b"md5":
                raise WrongQuery("must be md5")
            wanted = True
    return wanted
