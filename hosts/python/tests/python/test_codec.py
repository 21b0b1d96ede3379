"""The encoding: its layout, its limits, and bytes that are not an encoding."""

import unittest
from collections import OrderedDict, deque

from conformance import Color, Point, ShapeCircle
from conformance._interface import FUNCTIONS
from conformance._tierup.wire import Malformed, Reader

OF = {function.name: function for function in FUNCTIONS}


def encoded(name, *args):
    return bytes(OF[name].encoded(args))


def crossed(name, *args):
    source = Reader(encoded(name, *args))
    found = OF[name].read_arguments(source)
    source.finish()
    return found


class Codec(unittest.TestCase):
    def test_the_layout_is_what_the_rust_side_reads(self):
        for found, expected in [
            (encoded("echo_text", "ä"), "02000000c3a4"),
            (encoded("echo_i16", -2), "feff"),
            (encoded("echo_i64", -2), "feffffffffffffff"),
            (encoded("echo_u64", 2**40), "0000000000010000"),
            (encoded("echo_f32", float("nan")), "0000c07f"),
            (encoded("echo_f64", -0.0), "0000000000000080"),
            (encoded("echo_option", None), "00"),
            (encoded("echo_option", 1), "010100000000000000"),
            (encoded("echo_color", Color.DARK_BLUE), "02"),
            (encoded("echo_shape", ShapeCircle(0)), "010000000000000000"),
            (encoded("echo_map", {"b": 1, "a": 2}), "02000000" "0100000061" "02000000" "0100000062" "01000000"),
            (encoded("echo_u64s", [1]), "01000000" "0100000000000000"),
            (encoded("do_nothing"), ""),
        ]:
            self.assertEqual(found.hex(), expected)

    def test_keys_are_sorted_by_utf8(self):
        [found] = crossed("echo_map", {"😀": 1, "\uffff": 2, "a": 3, "\ue000": 4})
        self.assertEqual(list(found), ["a", "\ue000", "\uffff", "😀"])

    def test_any_sequence_is_a_list_and_any_mapping_a_map(self):
        for items in (["a"], ("a",), deque(["a"])):
            self.assertEqual(crossed("echo_texts", items), [["a"]])
        self.assertEqual(crossed("echo_u64s", range(3)), [[0, 1, 2]])
        self.assertEqual(crossed("echo_map", OrderedDict(a=1)), [{"a": 1}])
        for wrong in ({"a"}, (text for text in "a"), {"a": 1}):
            with self.assertRaisesRegex(TypeError, "values: expected a list, got a value of type"):
                encoded("echo_texts", wrong)

    def test_a_typed_dict_is_a_record_and_a_literal_an_enum(self):
        self.assertEqual(crossed("echo_point", {"x": 1, "y": 2, "z": 3}), [Point(1.0, 2.0)])
        with self.assertRaisesRegex(TypeError, r"\.y: expected a number, got None"):
            encoded("echo_point", {"x": 1})
        self.assertEqual(crossed("echo_color", "DarkBlue"), [Color.DARK_BLUE])
        for wrong in ("dark_blue", 2, None):
            with self.assertRaisesRegex(TypeError, "color: expected a Color, got"):
                encoded("echo_color", wrong)

    def test_values_that_python_takes_for_numbers_are_accepted(self):
        class Seven:
            def __index__(self):
                return 7

        self.assertEqual(crossed("echo_u8", Seven()), [7])
        self.assertEqual(crossed("echo_u8", True), [1])
        self.assertEqual(crossed("echo_f64", Seven()), [7.0])
        with self.assertRaisesRegex(OverflowError, r"value: expected a whole number from 0 to 255, got -1"):
            encoded("echo_u8", -1)
        with self.assertRaisesRegex(OverflowError, "a number beyond it"):
            encoded("echo_u8", 1 << 100_000)
        with self.assertRaisesRegex(OverflowError, r"values\[1\]: expected a whole number from -128 to 127, got 128"):
            encoded("echo_signed_bytes", [1, 128])

    def test_a_field_may_call_the_package_while_it_is_encoded(self):
        class Place:
            x = 1

            @property
            def y(self):
                return len(encoded("echo_text", "inner"))

        self.assertEqual(crossed("echo_point", Place()), [Point(1.0, 9.0)])

    def test_an_error_of_a_field_passes_as_it_is(self):
        class Place:
            x = 1

            @property
            def y(self):
                raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            encoded("echo_point", Place())

    def test_invalid_answers_are_errors(self):
        for name, content, words in [
            ("echo_text", "05000000616263", "too early"),
            ("echo_text", "01000000ff", "no UTF-8"),
            ("echo_bool", "02", "not a valid bool"),
            ("echo_color", "03", "no case of Color"),
            ("echo_shape", "09", "no case of Shape"),
            ("echo_u64s", "ffffffff", "too early"),
            ("echo_map", "02000000" "0100000062" "00000000" "0100000061" "00000000", "not sorted or not unique"),
        ]:
            with self.assertRaisesRegex(Malformed, words):
                OF[name].read_output(Reader(bytes.fromhex(content)))


if __name__ == "__main__":
    unittest.main()
