"""Values as a user of Python writes and meets them."""

import array
import inspect
import math
import mmap
import re

import pytest

import conformance
from conformance import Color, Keywords, Point, ReservedNone, ReservedType, ShapeCircle, ShapeEmpty, ShapeLine, ShapePolygon
from conformance._interface import FUNCTIONS


def test_integers_keep_all_their_bits(c, tier):
    assert c.echo_u64(2**64 - 1) == 2**64 - 1
    assert c.echo_i64(-(2**63)) == -(2**63)
    assert c.echo_usize(2**32 - 1) == 2**32 - 1
    # A usize of Wasm has 32 bits.
    if tier.startswith("2:"):
        with pytest.raises(OverflowError, match="a size does not fit this machine"):
            c.echo_usize(2**32)
    else:
        assert c.echo_usize(2**64 - 1) == 2**64 - 1
    assert c.echo_u64s([1, 2**64 - 1]) == [1, 2**64 - 1]


@pytest.mark.parametrize(
    "name, value, error",
    [
        ("echo_u64", 2**64, OverflowError),
        ("echo_u64", -1, OverflowError),
        ("echo_i8", 128, OverflowError),
        ("echo_u8", 10**4000, OverflowError),
        ("echo_f32", 1e39, OverflowError),
        ("echo_f64", 10**400, OverflowError),
        ("echo_u64", 1.0, TypeError),
        ("echo_u8", "1", TypeError),
        ("echo_f64", "1", TypeError),
        ("echo_bool", 1, TypeError),
        ("echo_text", None, TypeError),
        ("echo_text", b"abc", TypeError),
        ("echo_bytes", [1, 2], TypeError),
        ("echo_bytes", "abc", TypeError),
        ("echo_bytes", 3, TypeError),
        ("echo_texts", "abc", TypeError),
        ("echo_u64s", [1, 2**64], OverflowError),
        ("echo_u64s", [1, None], TypeError),
        ("echo_map", {1: 1}, TypeError),
        ("echo_map", [], TypeError),
        ("echo_point", None, TypeError),
        ("echo_color", "Mauve", TypeError),
        ("echo_shape", None, TypeError),
        ("echo_text", "\ud800", UnicodeEncodeError),
        ("echo_text", "a\udfff", UnicodeEncodeError),
    ],
)
def test_what_does_not_fit_is_refused_alike(c, name, value, error):
    with pytest.raises(error) as refused:
        getattr(c, name)(value)
    assert type(refused.value) is error
    if error is not UnicodeEncodeError:
        [parameter] = inspect.signature(getattr(c, name)).parameters
        assert re.match(rf"{parameter}(\[1\])?: expected ", str(refused.value)), refused.value
    # Values that are passed without encoding have the same messages as encoded ones.
    [function] = [function for function in FUNCTIONS if function.name == name]
    with pytest.raises(error, match=f"^{re.escape(str(refused.value))}$"):
        function.encoded((value,))
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_the_number_of_arguments_is_pythons_business(c):
    for wrong in (lambda: c.echo_text(), lambda: c.echo_text("a", "b"), lambda: c.echo_text(words="a")):
        with pytest.raises(TypeError):
            wrong()
    assert c.echo_text(text="named") == "named"
    assert c.echo_option() is None


def test_floats_keep_nan_and_the_sign_of_zero(c):
    assert math.isnan(c.echo_f64(math.nan))
    assert math.copysign(1, c.echo_f64(-0.0)) == -1
    assert c.is_negative_zero(-0.0) is True
    assert c.is_negative_zero(0.0) is False
    assert c.echo_f32(-math.inf) == -math.inf
    assert c.echo_f64(5e-324) == 5e-324
    assert c.echo_f32(0.1) == 0.10000000149011612
    assert c.echo_f64(3) == 3.0


def test_text_arrives_to_the_byte(c):
    for text in ("", "a", "ä€😀", "\0 in the middle \0", "\ufeffbom", "e\u0301", "𝕏" * 1000, "\r\n"):
        assert c.echo_text(text) == text
        assert c.utf8_length(text) == len(text.encode())


def test_bytes_are_taken_from_whatever_lends_them(c):
    content = bytes(range(256))
    assert c.echo_bytes(content) == content
    assert type(c.echo_bytes(bytearray(content))) is bytes
    assert c.echo_bytes(bytearray(content)) == content
    assert c.echo_bytes(memoryview(content)[1:5]) == content[1:5]
    assert c.echo_bytes(memoryview(content)[::-2]) == content[::-2]
    assert c.echo_bytes(array.array("H", [0x0201])) == b"\x01\x02"
    assert c.echo_bytes(b"") == b""
    with mmap.mmap(-1, 4096) as mapped:
        mapped[:3] = b"abc"
        assert c.echo_bytes(mapped)[:3] == b"abc"


def test_classes_of_the_servers_own_are_text_and_bytes(c):
    class Title(str):
        pass

    class Image(bytes):
        pass

    assert (c.echo_text(Title("ä")), c.echo_bytes(Image(b"ab"))) == ("ä", b"ab")
    assert (type(c.echo_text(Title("a"))), type(c.echo_bytes(Image(b"ab")))) == (str, bytes)


def test_what_is_lent_is_not_changed_while_rust_looks(c):
    lent = bytearray(b"before")
    answer = c.echo_bytes(lent)
    lent[:] = b"after!"
    assert answer == b"before"
    lent.extend(b" and can grow again")


def test_records_enums_maps_and_what_may_be_absent(c):
    assert c.echo_point(Point(1.5, -0.0)) == Point(1.5, -0.0)
    assert c.echo_color(Color.DARK_BLUE) is Color.DARK_BLUE
    shapes = [
        ShapeEmpty(),
        ShapeCircle(2.0),
        ShapeLine(Point(0.0, 0.0), Point(1.0, 1.0)),
        ShapePolygon([], None),
        ShapePolygon([Point(1.0, 2.0)], Color.RED),
    ]
    assert c.echo_shapes(shapes) == shapes
    assert c.echo_shapes(tuple(shapes)) == shapes
    keys = {"b": 1, "a": 2, "ä": 3, "": 4, "\uffff": 5, "😀": 6}
    assert c.echo_map(keys) == keys
    assert c.echo_option(None) is None
    assert c.echo_option(7) == 7
    assert c.join(["a", "b", "c"], "-") == "a-b-c"
    assert c.longest(["a", "🦀", "bc"]) == "🦀"
    assert c.longest([]) is None
    assert c.echo_optional_texts(["a", None, ""]) == ["a", None, ""]


def test_an_object_of_the_servers_own_will_do_for_a_record(c):
    class Place:
        x = 1
        y = 2

    assert c.echo_point(Place()) == Point(1.0, 2.0)
    with pytest.raises(TypeError, match="point: expected a Point, got a value of type Place"):
        del Place.y
        c.echo_point(Place())


def test_a_mismatch_names_its_place(c):
    with pytest.raises(TypeError, match=re.escape("shapes[1].corners[1].y: expected a number, got '1'")):
        c.echo_shapes([ShapeEmpty(), ShapePolygon([Point(0, 0), Point(0, "1")], None)])
    with pytest.raises(OverflowError, match=re.escape("values['a b']: expected a whole number")):
        c.echo_map({"a b": 2**31})


def test_names_that_mean_something_elsewhere(c):
    keywords = Keywords("t", 1, True, -1, 2, None)
    assert (keywords.type, keywords.class_, keywords.lambda_) == ("t", 1, -1)
    assert c.echo_keywords(keywords) == keywords
    assert c.echo_reserved(ReservedType(1, 2)) == ReservedType(1, 2)
    assert c.echo_reserved(ReservedNone()) == ReservedNone()
    assert c.class_("a", "b", "c") == "abc"
    assert c.delete(1, 2, 4) == 7
    assert c.type(9) == 9
    assert c.lambda_(3) == 3
    assert c.with_(3) == 3
    assert c.close_(3) == 3
    assert [c.get_url(1), c.get_URL(1), c.getUrl(1)] == ["url 1", "URL 1", "Url 1"]


def test_documentation_arrives():
    assert conformance.echo_f32.__doc__ == "Single precision, with NaN, infinities and -0."
    assert "Ends a comment: */" in inspect.getdoc(conformance.hostile_docs)
    assert "<script>" in inspect.getdoc(conformance.Binding.hostile_docs_async)
    assert "carry every" not in (conformance.__doc__ or "") and "cross every type" in conformance.__doc__
