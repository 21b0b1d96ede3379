"""`0:memo` as Python sees it: awaited calls, forks, copies of answers. What all languages promise is in
`crates/tierup/tests/conformance/memo.rs`."""

import array
import asyncio
import os
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import conformance
from conformance._tierup.kept import size_of


def memo(baseline, **environment):
    with mock.patch.dict(os.environ, environment):
        return conformance.bind(baseline=baseline, tier="0:memo")


class Counted:
    """A function that counts its calls."""

    def __init__(self, answer):
        self.answer = answer
        self.calls = 0

    def __call__(self, *args):
        self.calls += 1
        return self.answer(*args)


class Memo(unittest.TestCase):
    def test_awaited_calls_have_the_answers_of_others_and_no_errors(self):
        def answer(text):
            if echo_text.calls == 1:
                raise OSError("not now")
            return text

        echo_text = Counted(answer)
        c = memo({"echo_text": echo_text})
        with self.assertRaises(OSError):
            asyncio.run(c.echo_text_async("a"))
        self.assertEqual([asyncio.run(c.echo_text_async("a")), c.echo_text("a"), echo_text.calls], ["a", "a", 2])

    def test_changing_an_answer_does_not_affect_other_callers(self):
        reused = bytearray(b"abc")
        c = memo({"echo_bytes": lambda content: reused, "echo_texts": list})
        for _ in range(3):
            content = c.echo_bytes(b"q")
            self.assertEqual((type(content), content), (bytearray, bytearray(b"abc")))
            content[:] = b"xyz"
            texts = c.echo_texts(["x"])
            self.assertEqual(texts, ["x"])
            texts.append("y")

    def test_awaited_calls_wait_for_the_same_call_and_have_their_own_errors(self):
        calls = []

        async def echo_text(text):
            calls.append(text)
            await asyncio.sleep(0.05)
            if text == "bad" and len(calls) == 2:
                raise OSError("first")
            return [text]

        c = memo({"echo_text": echo_text})

        async def main():
            answers = await asyncio.gather(*[c.echo_text_async("a") for _ in range(3)])
            self.assertEqual((answers, calls), ([["a"]] * 3, ["a"]))
            answers[0].append("mine")
            self.assertEqual([answers[1], await c.echo_text_async("a")], [["a"], ["a"]])
            failed, right = await asyncio.gather(
                c.echo_text_async("bad"), c.echo_text_async("bad"), return_exceptions=True
            )
            self.assertEqual((str(failed), right), ("first", ["bad"]))
            # Waiters get the answer whatever happens to the first call.
            first = asyncio.ensure_future(c.echo_text_async("c"))
            await asyncio.sleep(0)
            second = asyncio.ensure_future(c.echo_text_async("c"))
            third = asyncio.ensure_future(c.echo_text_async("c"))
            await asyncio.sleep(0)
            first.cancel()
            third.cancel()
            self.assertEqual(await second, ["c"])
            with self.assertRaises(asyncio.CancelledError):
                await first

        asyncio.run(main())
        with self.assertRaisesRegex(RuntimeError, "asynchronous"):
            c.echo_text("a")

    def test_values_that_do_not_fit_or_cannot_be_copied_go_to_the_function(self):
        for argument, answer in [(object(), "x"), ("a", threading.Lock()), ("a", (item for item in "ab"))]:
            one = Counted(lambda _: answer)
            c = memo({"echo_text": one})
            self.assertIs(c.echo_text(argument), answer)
            self.assertIs(asyncio.run(c.echo_text_async(argument)), answer)
            self.assertEqual(one.calls, 2)

    def test_an_answer_that_can_be_copied_only_once_goes_to_the_function(self):
        class Once:
            is_copy = False

            def __deepcopy__(self, memo):
                if self.is_copy:
                    raise RecursionError("too deep here")
                copied = Once()
                copied.is_copy = True
                return copied

        one = Counted(lambda _: Once())
        c = memo({"echo_text": one})
        for _ in range(2):
            self.assertFalse(c.echo_text("a").is_copy)
            self.assertFalse(asyncio.run(c.echo_text_async("a")).is_copy)
        self.assertEqual(one.calls, 4)

    def test_an_evicted_value_may_call_the_function_again(self):
        class Loud:
            def __del__(self):
                c.print_and_return("b")

        functions = {"echo_text": lambda _: Loud(), "print_and_return": lambda text: text}
        c = memo(functions, TIERUP_MEMO_ENTRIES="1")
        # If the lock were never released, the thread would hang.
        thread = threading.Thread(target=lambda: [c.echo_text(text) for text in "abc"], daemon=True)
        thread.start()
        thread.join(60)
        self.assertFalse(thread.is_alive())

    def test_values_outside_the_signatures_have_a_size(self):
        self.assertGreater(size_of({bytes(1 << 20)}), 1 << 20)
        self.assertGreater(size_of(array.array("q", range(1 << 10))), 1 << 13)

    @unittest.skipUnless(hasattr(os, "fork"), "this system does not fork")
    def test_a_forked_child_has_its_own_answers_and_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            c = memo({"echo_text": lambda text: text}, TIERUP_MEMO_COUNTS=folder)
            c.echo_text("a")
            self.addCleanup(c.close)
            c._tierup_variant.kept.lock.acquire()
            child = os.fork()
            if child == 0:
                os._exit(0 if c.echo_text("a") == "a" else 1)
            c._tierup_variant.kept.lock.release()
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(len(list(Path(folder).iterdir())), 2)
