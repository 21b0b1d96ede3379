"""`0:workers`: the server's own functions in other processes, and what happens when one ends."""

import asyncio
import os
import unittest
from unittest import mock

import conformance
import own
from conformance import CallTimeoutError, TransportError, Unavailable


def workers(baseline=own, **environment):
    with mock.patch.dict(os.environ, {"TIERUP_WORKERS": "2", **environment}):
        return conformance.bind(baseline=baseline, tier="0:workers")


class Workers(unittest.TestCase):
    def test_calls_are_made_in_other_processes_with_the_same_answers(self):
        with workers() as c:
            c.ready()
            self.assertEqual((c.tier, c.echo_text("ä\0"), c.echo_bytes(b"\0\xff")), ("0:workers", "ä\0", b"\0\xff"))

            async def main():
                return await asyncio.gather(*[c.print_and_return_async("pid") for _ in range(4)])

            pids = set(asyncio.run(main()))
            self.assertTrue(1 <= len(pids) <= 2 and str(os.getpid()) not in pids, pids)
            # A function's output does not mix with the answers.
            self.assertEqual(c.print_and_return("print"), "printed")
            # Values keep their types, even those that the signature does not distinguish.
            self.assertEqual(c.print_and_return("tuple"), (1, 2))
            self.assertEqual(len(c.echo_bytes(bytes(1 << 20))), 1 << 20)
        with self.assertRaisesRegex(TransportError, "closed"):
            c.echo_text("x")

    def test_the_functions_errors_are_raised(self):
        with workers() as c:
            with self.assertRaises(ValueError) as raised:
                c.fail("mine")
            self.assertEqual(str(raised.exception), "mine")
            with self.assertRaisesRegex(own.Odd, "1 and 2"):
                c.print_and_return("odd")
            with self.assertRaisesRegex(RuntimeError, "Unreadable: 1 and 2"):
                c.print_and_return("unreadable")
            with self.assertRaisesRegex(TypeError, "pickle"):
                c.print_and_return("lock")
            with self.assertRaisesRegex(Unavailable, "baseline has no function echo_bool"):
                c.echo_bool(True)
            # The process continues.
            self.assertEqual(c.echo_text("after"), "after")

    def test_arguments_that_do_not_fit_the_signature_go_to_the_function_itself(self):
        with workers() as c:
            odd = object()
            self.assertIs(c.echo_text(odd), odd)
            self.assertIs(asyncio.run(c.echo_text_async(odd)), odd)

    def test_arguments_that_cannot_be_pickled_go_to_the_function_itself(self):
        class Local(str):
            """No other process can import it."""

        with workers() as c:
            text = Local("a")
            self.assertIs(c.echo_text(text), text)
            self.assertIs(asyncio.run(c.echo_text_async(text)), text)

    def test_a_process_that_ends_fails_its_call_and_another_takes_its_place(self):
        with workers() as c:
            for _ in range(3):
                with self.assertRaisesRegex(TransportError, "ended by SIGKILL"):
                    c.print_and_return("kill")
                self.assertEqual(c.echo_text("after"), "after")

    def test_a_call_may_time_out(self):
        with workers(TIERUP_CALL_TIMEOUT="1") as c:
            c.ready()
            with self.assertRaises(CallTimeoutError):
                c.print_and_return("hang")

    def test_asynchronous_functions_can_be_awaited(self):
        with workers("own:Slow") as c:
            self.assertEqual(asyncio.run(c.echo_text_async("x")), "x")
            with self.assertRaisesRegex(RuntimeError, "asynchronous"):
                c.echo_text("x")

    def test_functions_that_no_other_process_can_import_are_refused(self):
        with self.assertRaisesRegex(Unavailable, "put the function into a module of its own"):
            workers({"echo_text": lambda text: text})
        main = lambda text: text  # noqa: E731
        main.__module__ = "__main__"
        with self.assertRaisesRegex(Unavailable, "in the script that was started"):
            workers({"echo_text": main})
