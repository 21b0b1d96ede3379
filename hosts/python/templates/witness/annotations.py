"""The types that a function's annotations declare, for the witness of `tierup init --function`.

In: a function of the server's. Out: types as JSON, in the form of `DeclaredType` of tierup-codegen. Annotations are
evaluated in the modules that wrote them, as `typing.get_type_hints` does. No value of the user's is read.
"""

import collections.abc
import dataclasses
import enum
import inspect
import types
import typing

SEEN, TEXT, FLOAT = {"is": "seen"}, {"is": "text"}, {"is": "float"}
BYTES = {"is": "bytes"}
PLAIN = {
    str: TEXT,
    bool: {"is": "bool"},
    float: FLOAT,
    int: {"is": "whole", "of": {"bits": 64, "signed": True}},
    bytes: BYTES,
    bytearray: BYTES,
    memoryview: BYTES,
    list: {"is": "list", "of": SEEN},
    dict: {"is": "map", "of": SEEN},
}
LISTS = (list, collections.abc.Sequence, collections.abc.MutableSequence)
MAPS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
WORDS = {
    "text": "text",
    "choice": "text",
    "bool": "a boolean",
    "bytes": "bytes",
    "float": "a number",
    "whole": "a number",
    "list": "a list",
    "map": "a map",
    "record": "an object",
}
# By the class's name, as not every server has imported these classes.
INSTEAD = {
    "set": "a list (`sorted(values)`)",
    "frozenset": "a list (`sorted(values)`)",
    "datetime": "its `timestamp()`, a number, or its `isoformat()`, a text",
    "date": "its `isoformat()`, a text",
    "time": "its `isoformat()`, a text",
    "timedelta": "its `total_seconds()`, a number",
    "Decimal": "`str(value)`, a text, or a `float`",
    "UUID": "`str(value)`, a text",
    "Path": "`str(value)`, a text",
}


def declared(function, names):
    """The types of these parameters and of the answer; nothing if the function has no annotations."""
    reader = _Reader()
    hints = reader.hints(function)
    if not hints:
        return None
    absent = [name for name, one in inspect.signature(function).parameters.items() if one.default is None]
    parameters = []
    for name in names:
        ty = reader.type(hints.get(name, _Seen))
        parameters.append([name, _optional(ty) if name in absent and name in hints else ty])
    reader.is_answer = True
    return {"parameters": parameters, "answer": reader.type(hints.get("return", _Seen)), "notes": reader.notes}


class _Seen:
    """The type for a missing annotation, or for one that cannot be evaluated."""


class _Reader:
    def __init__(self):
        self.notes = []
        self.is_answer = False
        # The types being read now: a type that contains itself would never end.
        self.within = []

    def hints(self, function):
        """The annotations of a function. If one cannot be evaluated, the others still count."""
        try:
            return typing.get_type_hints(function, include_extras=True)
        except Exception:
            hints = {}
        for name, written in function.__annotations__.items():
            one = types.SimpleNamespace(__annotations__={name: written})
            try:
                hints.update(typing.get_type_hints(one, function.__globals__, include_extras=True))
            except Exception as error:
                hints[name] = _Seen
                self.note(f"The annotation `{written}` does not exist while the server runs ({error}): what calls have shown counts")
        return hints

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def type(self, hint):
        if hint is _Seen:
            return SEEN
        if hint is None or hint is type(None):
            return _optional(SEEN)
        if hint is typing.Any or hint is object:
            return _refused("of any type: write the type that it has, such as `dict[str, float]` or a dataclass")
        if isinstance(hint, type) and hint in PLAIN:
            return PLAIN[hint]
        if hasattr(hint, "__metadata__"):
            return self.type(hint.__origin__)
        if hint in self.within:
            return _refused(f"a `{_name(hint)}`, which contains itself")
        self.within.append(hint)
        try:
            return self.composed(hint, typing.get_origin(hint) or hint, typing.get_args(hint))
        finally:
            self.within.pop()

    def composed(self, hint, origin, arguments):
        form = getattr(origin, "_name", None)
        if form in ("Required", "ReadOnly", "NotRequired"):
            ty = self.type(arguments[0])
            return _optional(ty) if form == "NotRequired" else ty
        if origin is typing.Union or origin is getattr(types, "UnionType", None):
            return _union([self.type(one) for one in arguments])
        if origin is typing.Literal:
            return _union([self.literal(one) for one in arguments])
        if origin in LISTS:
            return {"is": "list", "of": self.type(arguments[0]) if arguments else SEEN}
        if origin in MAPS:
            if arguments and self.type(arguments[0])["is"] not in ("text", "choice"):
                return _refused("a dict whose keys are not text")
            return {"is": "map", "of": self.type(arguments[1]) if arguments else SEEN}
        if origin is tuple:
            return _refused("a tuple: make it a list, or a dataclass with named fields")
        if origin is collections.abc.Callable:
            return _refused("a function: call it before, and pass what it answers")
        # `type Line = …`, and `NewType`.
        other = getattr(hint, "__value__", None) or getattr(hint, "__supertype__", None)
        if other is not None and not isinstance(hint, type):
            return self.type(other)
        if not isinstance(origin, type):
            return _refused(f"a `{_name(hint)}`, which tierup does not read from Python")
        return self.class_(origin, bool(arguments))

    def literal(self, value):
        if type(value) is str:
            return {"is": "choice", "of": [value]}
        return self.type(None if value is None else type(value))

    def class_(self, kind, is_generic):
        name = _name(kind)
        if issubclass(kind, enum.Enum):
            if issubclass(kind, str):
                return {"is": "choice", "of": [str.__str__(one) for one in kind]}
            return _refused(f"a member of the enum `{name}`, which is no text: write `class {name}(str, Enum)`")
        fields, instead = _fields(kind)
        if fields is None:
            for one in kind.__mro__:
                if one.__name__ in INSTEAD:
                    return _refused(f"a `{name}`: pass {INSTEAD[one.__name__]}")
            return _refused(f"an object of the class {name}, whose methods stay in Python: pass a dataclass with its fields")
        if is_generic:
            return _refused(f"a `{name}`, which has type parameters: write the type that it has here")
        try:
            hints = typing.get_type_hints(kind, include_extras=True)
        except Exception as error:
            self.note(f"The annotations of `{name}` do not exist while the server runs ({error}): what calls have shown counts")
            return SEEN
        if self.is_answer and instead is not None:
            # Code that makes an answer makes its fields, too.
            self.is_answer = False
            self.note(f"The package answers with a dataclass in the place of a `{name}`: callers that need one write `{instead}`")
        # A TypedDict itself says which of its keys may be missing.
        required = getattr(kind, "__required_keys__", fields)
        record = []
        for field in fields:
            ty = self.type(hints.get(field, _Seen))
            record.append([field, ty if field in required else _optional(ty)])
        return {"is": "record", "of": record}


def _fields(kind):
    """The names of a class's fields, and how to convert the package's dataclass to it; nothing without fields."""
    name = _name(kind)
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind)], None
    if dict in kind.__mro__ and hasattr(kind, "__required_keys__"):
        return list(kind.__annotations__), "dataclasses.asdict(answer)"
    if tuple in kind.__mro__ and hasattr(kind, "_fields"):
        return list(kind._fields), f"{name}(**vars(answer))"
    # Classes of pydantic.
    if isinstance(getattr(kind, "model_fields", None), dict):
        return list(kind.model_fields), f"{name}.model_validate(answer, from_attributes=True)"
    return None, None


def _union(all):
    """The one type that includes all of these."""
    merged, absent = [], False
    for ty in all:
        if ty["is"] == "optional":
            absent, ty = True, ty["of"]
        words = [one for one in merged if one["is"] == ty["is"] == "choice"]
        for one in words:
            one["of"] += [word for word in ty["of"] if word not in one["of"]]
        if not words and ty not in merged and ty is not SEEN:
            merged.append(ty)
    # `str` includes every literal, and `float` every `int`.
    held = (["choice"] if TEXT in merged else []) + (["whole"] if FLOAT in merged else [])
    merged = [one for one in merged if one["is"] not in held]
    if len(merged) > 1:
        words = " and ".join(WORDS.get(one["is"]) or one["of"] for one in merged)
        return _refused(f"a union of {words}: give the function one type, or a dataclass with a field for each")
    ty = merged[0] if merged else SEEN
    return _optional(ty) if absent else ty


def _optional(ty):
    return ty if ty["is"] in ("optional", "refused") else {"is": "optional", "of": ty}


def _refused(why):
    return {"is": "refused", "of": why}


def _name(hint):
    return getattr(hint, "__name__", None) or str(hint)
