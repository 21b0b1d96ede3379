"""Which tier runs, what is said where it cannot, and tier 0."""

import asyncio
import copy
import gc
import os
import tempfile
import types
import unittest
import weakref
from pathlib import Path
from unittest import mock

import conformance
import own
from conformance import Unavailable
from fixture import Package, built


class Baselines(unittest.TestCase):
    def test_without_a_build_the_baseline_runs_if_there_is_one(self):
        c = conformance.bind(baseline=own)
        self.assertEqual((c.tier, c.echo_text("x"), c.echo_text(text="y")), ("0", "x", "y"))
        words = r"nothing to run: it has no baseline, and\n  3:native: it was not built: run `tierup build --tiers 3:native`"
        with self.assertRaisesRegex(Unavailable, words):
            conformance.bind()
        with self.assertRaisesRegex(Unavailable, "nothing to run"):
            conformance.echo_text("x")
        with self.assertRaisesRegex(Unavailable, "nothing to run"):
            conformance.tier

    def test_a_baseline_may_be_a_module_object_dict_function_or_path(self):
        places = ["own", "own:echo_text"]
        objects = [own, types.SimpleNamespace(echo_text=own.echo_text), {"echo_text": own.echo_text}, own.echo_text]
        for baseline in places + objects:
            self.assertEqual(conformance.bind(baseline=baseline, tier="0").echo_text("x"), "x", baseline)

    def test_arguments_answers_and_errors_pass_as_they_are(self):
        error = OSError("mine")

        def fail(words):
            raise error

        async def echo_text(text):
            await asyncio.sleep(0)
            return [text]

        c = conformance.bind(baseline={"fail": fail, "echo_text": echo_text}, tier="0")
        with self.assertRaises(OSError) as raised:
            c.fail("x")
        self.assertIs(raised.exception, error)
        thing = object()
        self.assertEqual(asyncio.run(c.echo_text_async(thing)), [thing])
        with self.assertRaisesRegex(RuntimeError, r"asynchronous: await echo_text_async\(\) instead of echo_text\(\)"):
            c.echo_text("x")
        with self.assertRaisesRegex(Unavailable, "baseline has no function echo_bool"):
            c.echo_bool(True)
        with self.assertRaises(OSError):
            asyncio.run(c.fail_async("x"))

    def test_further_baselines_have_labels(self):
        c = conformance.bind(baseline=own, baselines={"tuned": {"echo_text": lambda text: "tuned"}}, tier="0:tuned")
        self.assertEqual((c.tier, c.echo_text("x")), ("0:tuned", "tuned"))

    def test_wrong_options_are_errors(self):
        wrong = [
            (dict(baseline=lambda: None), TypeError, "functions of these names, as conformance has them: echo_bool"),
            (dict(baseline={"echo_txt": print}), TypeError, "echo_text"),
            (dict(baseline=3), TypeError, "baseline is a function, or"),
            (dict(baselines=[own]), TypeError, "baselines must be a dict"),
            (dict(baselines={"free": own}), TypeError, "'free' cannot label"),
            (dict(baselines={"a b": own}), TypeError, "cannot label"),
            (dict(baseline=own, tier=3), TypeError, "tier must be a str"),
            (dict(baseline=own, tier="0:tuned"), ValueError, r"bind\(baselines={'tuned': …}\)"),
            (dict(tier="0"), ValueError, r"bind\(baseline=…\)"),
            (dict(baseline=own, tier="9"), ValueError, "9 is not a tier: use 0, "),
            (dict(baseline=own, tier="4"), ValueError, "a separate server"),
            (dict(baseline=own, tier="2:bindgen"), Unavailable, "only JavaScript; use 2:core"),
            (dict(baseline=own, tier="3:async"), Unavailable, "3:async: it was not built"),
            (dict(baseline="nothing_here:f"), ImportError, "'nothing_here:f' cannot be imported: No module"),
            (dict(baseline="own:f"), ImportError, "'own:f' cannot be imported: own has no f"),
        ]
        for options, error, words in wrong:
            with self.assertRaisesRegex(error, words, msg=options):
                conformance.bind(**options)
        with self.assertRaises(TypeError):
            conformance.bind(own)


class Variants(unittest.TestCase):
    def test_a_tier_that_cannot_run_is_an_error(self):
        variants = {"2:core": {"built": True}, "1:pool": {"built": False, "reason": "no linker"}}
        with Package(variants) as package:
            code = """
import own
for tier in ["3:native", "1:pool", "2:core", None, "1"]:
    try:
        bind(baseline=own, tier=tier)
    except Unavailable as error:
        print(error)
"""
            said, _ = package.run(code)
        lines = said.splitlines()
        self.assertIn("tier 3:native: it was not built: run `tierup build --tiers 3:native`", lines[0])
        self.assertIn("tier 1:pool: it could not be built: no linker", lines[1])
        # The error names wasmtime if it is missing, otherwise the module.
        for line in lines[2:4]:
            self.assertRegex(line, r"tier 2:core: (it needs wasmtime|artifacts/core\.wasm is missing: run `tierup build)")
        self.assertEqual(lines[4], "conformance cannot run at tier 1:")
        self.assertEqual(lines[5], "  1:pool: it could not be built: no linker")

    def test_files_built_for_another_interface_are_not_run(self):
        with Package(built("3:native"), abi="0" * 16) as package:
            for tier in ("3:native", "3", ""):
                ended = package.end("import own\nbind(baseline=own)", TIERUP_TIER=tier)
                self.assertIn("another interface than this package: run `tierup build`", ended.stderr)

    def test_a_missing_native_module_is_reported(self):
        with Package(built("3:native")) as package:
            self.assertIn("_native is missing in ", package.end("bind()").stderr)

    def test_a_damaged_record_is_reported(self):
        with Package(built("3:native")) as package:
            (package.folder / "built.json").write_text("{")
            self.assertIn("built.json is damaged", package.end("bind()").stderr)

    def test_a_fallback_must_be_requested_and_is_reported(self):
        with Package(built("3:native")) as package:
            code = "import own\nprint(*bind(baseline=own).metrics()[1:4])"
            said, errors = package.run(code, TIERUP_TIER="3:native", TIERUP_FALLBACK="1")
            self.assertRegex(errors, r"^conformance cannot run at tier 3:native: .*; falling back to tier 0\n$")
            self.assertEqual(said, f"0 3:native {errors.partition('; falling')[0]}\n")
            self.assertIn("cannot run at tier 3:native", package.end(code, TIERUP_TIER="3:native").stderr)
            ended = package.end(code, TIERUP_TIER="9", TIERUP_FALLBACK="1")
            self.assertIn("9 is not a tier", ended.stderr)

    def test_fallback_rows_can_be_listed(self):
        with Package(built("3:native", "2:core")) as package:
            code = "import own\nfor _ in range(2):\n    b = bind(baseline=own)\nprint(b.tier)"
            said, errors = package.run(code, TIERUP_FALLBACK="2:core, 0")
            self.assertEqual(said, "0\n")
            self.assertRegex(errors, r"^conformance cannot run at tier 3:native: .*; falling back to tier 0\n$")
            ended = package.end(code, TIERUP_FALLBACK="0:tuned,2:core")
            words = r"nor at what TIERUP_FALLBACK permits:\n  tier 0:tuned needs .*\n  conformance cannot run at tier 2:core: "
            self.assertRegex(ended.stderr, words)
            # The variable is checked before any tier fails.
            for tier in ("0", "3:native"):
                ended = package.end(code, TIERUP_TIER=tier, TIERUP_FALLBACK="2:core,sure")
                self.assertIn("ValueError: TIERUP_FALLBACK: sure is no variant: use 1, or a list of 0 and 3:native", ended.stderr)
            for number in ("0", ""):
                ended = package.end(code, TIERUP_FALLBACK=number)
                self.assertNotIn("permits", ended.stderr)
                self.assertIn("cannot run at tier 3:native", ended.stderr)

    def test_the_fallback_runs_if_the_record_of_the_build_is_damaged(self):
        for record in ('{ "abi": ', "null", "[]"):
            with Package({}) as package:
                (package.folder / "built.json").write_text(record)
                code = "import own\nprint(bind(baseline=own).tier)"
                said, errors = package.run(code, TIERUP_TIER="3", TIERUP_FALLBACK="1")
                self.assertEqual(said, "0\n")
                self.assertRegex(errors, r"built\.json is damaged .*; falling back to tier 0\n$")
                # Where something was built, the server's own code does not run unasked.
                self.assertIn("built.json is damaged", package.end(code).stderr)

    def test_a_missing_build_is_reported_once_and_in_metrics(self):
        with Package({}) as package:
            code = "import own\nbind(baseline=own)\nprint(*bind(baseline=own).metrics()[1:4], sep='|')"
            said, errors = package.run(code)
        self.assertEqual(errors, "conformance: your own code runs, at tier 0, as no variant is built here: run `tierup build`\n")
        self.assertEqual(said, f"0||{errors}")

    def test_a_wheel_contains_the_record_in_the_package(self):
        with Package({"1:spawn": {"built": False, "reason": "in the wheel"}}) as package:
            module = package.folder / "src/conformance"
            (package.folder / "built.json").rename(module / "built.json")
            (package.folder / "pyproject.toml").unlink()
            self.assertIn("in the wheel", package.end("bind(tier='1:spawn')").stderr)


class Free(unittest.TestCase):
    def setUp(self):
        self.calls = 0

    def counted(self, answer):
        def call(*args):
            self.calls += 1
            return answer(*args)

        return call

    def bind(self, **functions):
        baseline = {name: self.counted(function) for name, function in functions.items()}
        return conformance.bind(baseline=baseline, tier="0:free")

    def test_each_distinct_call_is_made_once(self):
        c = self.bind(echo_text=lambda text: text.upper(), echo_bytes=bytes)
        self.assertEqual([c.echo_text(text) for text in "abab"], list("ABAB"))
        self.assertEqual([c.echo_bytes(content) for content in (b"a", bytearray(b"a"))], [b"a", b"a"])
        self.assertEqual(asyncio.run(c.echo_text_async("a")), "A")
        self.assertEqual(self.calls, 3)

    def test_errors_are_replayed_and_do_not_grow(self):
        def fail(words):
            raise ValueError(words)

        c = self.bind(fail=fail)
        depths = []
        for _ in range(3):
            with self.assertRaisesRegex(ValueError, "no") as raised:
                c.fail("no")
            trace, depth = raised.exception.__traceback__, 0
            while trace:
                trace, depth = trace.tb_next, depth + 1
            depths.append(depth)
        self.assertEqual(self.calls, 1)
        self.assertEqual(len(set(depths)), 1)

    def test_a_replayed_error_keeps_no_argument_alive(self):
        class Words(str):
            pass

        class Picky(Exception):
            def __init__(self, words, number):
                super().__init__(f"{words} {number}")

        def fail(words):
            if words == "picky":
                raise Picky("not", 7)
            raise ValueError("no") from KeyError("cause")

        c = self.bind(fail=fail)
        gc.disable()
        self.addCleanup(gc.enable)
        for _ in range(2):
            words = Words("words")
            with_its_end = weakref.ref(words)
            try:
                c.fail(words)
            except ValueError as error:
                self.assertIsInstance(error.__cause__, KeyError)
            del words
            self.assertIsNone(with_its_end())
            # An exception that cannot be made again from its arguments is replayed as the same object.
            with self.assertRaisesRegex(Picky, "^not 7$"):
                c.fail("picky")
        self.assertEqual(self.calls, 2)

    def test_a_caller_that_changes_its_answer_does_not_change_the_next_one(self):
        c = self.bind(echo_texts=list)
        c.echo_texts(["a"]).append("b")
        self.assertEqual(c.echo_texts(["a"]), ["a"])

    def test_arguments_that_rust_would_refuse_go_to_the_baseline(self):
        c = self.bind(echo_text=lambda text: text)
        self.assertEqual([c.echo_text(7), c.echo_text(7)], [7, 7])
        self.assertEqual(self.calls, 2)

    def test_the_record_is_bounded(self):
        c = self.bind(echo_text=lambda text: bytes(1 << 20))
        for number in range(200):
            c.echo_text(str(number))
        free = c._tierup_variant
        self.assertLessEqual(free.recorded_bytes, 64 << 20)
        self.assertGreater(len(free.records), 50)
        self.assertEqual(self.calls, 200)
        c.echo_text("0")
        self.assertEqual(self.calls, 201)

    def test_a_process_replays_what_another_recorded(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, TIERUP_RECORDING=folder):
            self.bind(echo_text=lambda text: text * 2, echo_u8=lambda value: lambda: value).echo_text("a")
            # An answer that cannot be pickled is kept in this process only.
            self.bind(echo_u8=lambda value: (lambda: value)).echo_u8(1)
            self.calls = 0
            again = self.bind(echo_text=lambda text: "another", echo_u8=lambda value: 5)
            self.assertEqual([again.echo_text("a"), again.echo_u8(1)], ["aa", 5])
            self.assertEqual(self.calls, 1)
            # Half of a record, whose writer was killed.
            [file] = [path for path in Path(folder).iterdir() if path.name.endswith("answers")]
            file.write_bytes(file.read_bytes() + b"\xff\0\0\0half")
            self.assertEqual(self.bind(echo_text=lambda text: "another").echo_text("a"), "aa")


class Health(unittest.TestCase):
    def test_the_golden_call_is_checked(self):
        c = conformance.bind(baseline=own, tier="0")
        c.check_health()
        asyncio.run(c.check_health_async())
        wrong = conformance.bind(baseline={"echo_text": lambda text: "other"}, tier="0")
        words = "golden call of echo_text at tier 0 gave a wrong answer: its SHA-256 is"
        with self.assertRaisesRegex(conformance.HealthError, words):
            wrong.check_health()
        broken = conformance.bind(baseline={"echo_text": lambda text: 7}, tier="0")
        with self.assertRaisesRegex(conformance.HealthError, "answer: expected a str, got 7"):
            broken.check_health()
        failing = conformance.bind(baseline={"echo_text": lambda text: 1 // 0}, tier="0")
        with self.assertRaisesRegex(conformance.HealthError, "at tier 0 failed: .*division"):
            failing.check_health()


class Names(unittest.TestCase):
    def test_functions_with_hostile_names_can_be_called(self):
        c = conformance.bind(baseline=own, tier="0")
        for name in ("class_", "with_", "lambda_", "close_", "type", "delete", "get_url", "get_URL", "getUrl"):
            for owner in (c, conformance):
                self.assertTrue(callable(getattr(owner, name)), name)
                self.assertTrue(callable(getattr(owner, f"{name}_async")), name)
            # Importing everything must not hide a name that Python itself has.
            self.assertEqual(name in conformance.__all__, name != "type")

    def test_errors_and_records_can_be_pickled(self):
        import pickle

        for value in (conformance.CallError("x"), conformance.Point(1.0, 2.0), conformance.Color.RED):
            again = pickle.loads(pickle.dumps(value))
            self.assertEqual((type(again), str(again)), (type(value), str(value)))
        self.assertEqual(copy.deepcopy(conformance.ShapeCircle(1.0)), conformance.ShapeCircle(1.0))


if __name__ == "__main__":
    unittest.main()
