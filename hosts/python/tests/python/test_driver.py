"""The driver: frames in, frames out, every outcome, tier 0 included."""

import os
import struct
import subprocess
import sys
import unittest
from pathlib import Path

from conformance._interface import FUNCTIONS
from conformance._tierup.wire import Writer


class Driver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        their_requests, cls.requests = os.pipe()
        cls.answers, their_answers = os.pipe()
        path = Path(os.environ["PACKAGE"]) / "driver/driver.py"
        # The shell gives the pipes the descriptors that the protocol requires.
        line = f'exec "$0" "$1" 3<&{their_requests} 4>&{their_answers}'
        fds = (their_requests, their_answers)
        cls.process = subprocess.Popen(["bash", "-c", line, sys.executable, str(path)], pass_fds=fds)
        for fd in fds:
            os.close(fd)

    @classmethod
    def tearDownClass(cls):
        os.close(cls.requests)
        ended = cls.process.wait(30)
        os.close(cls.answers)
        assert ended == 0, "the end of the requests is the end of the driver"

    def call(self, row, name, args, repeat=1):
        """Returns the outcome and the content."""
        [number] = [number for number, function in enumerate(FUNCTIONS) if function.name == name]
        request = Writer()
        request.text(row)
        request.count(number)
        request.count(repeat)
        request.bytes(FUNCTIONS[number].encoded(args))
        content = struct.pack("<I", len(request.buffer)) + request.buffer
        while content:
            content = content[os.write(self.requests, content) :]
        length = struct.unpack("<I", self.read(4))[0]
        outcome, nanoseconds, count = struct.unpack("<BQI", self.read(13))
        self.assertEqual(count, length - 13)
        if outcome == 0:
            self.assertGreater(nanoseconds, 0)
        return outcome, self.read(count)

    def read(self, length):
        content = b""
        while len(content) < length:
            part = os.read(self.answers, length - len(content))
            self.assertTrue(part, "the driver ended")
            content += part
        return content

    def test_a_value_is_returned(self):
        self.assertEqual(self.call("0", "echo_text", ("ä",), 3), (0, "\x02\0\0\0ä".encode()))
        self.assertEqual(self.call("0:tuned", "echo_text", ("b",)), (0, b"\x01\0\0\0b"))
        self.assertEqual(self.call("0:free", "echo_text", ("c",), 100), (0, b"\x01\0\0\0c"))

    def test_a_baselines_error_is_an_answer(self):
        self.assertEqual(self.call("0", "fail", ("words",)), (1, b"words"))

    def test_missing_tiers_and_functions_are_reported(self):
        outcome, message = self.call("3:native", "echo_text", ("a",))
        self.assertEqual(outcome, 4)
        self.assertIn("cannot run at tier 3:native: it was not built", message.decode())
        self.assertIn("bind(baselines={'other'", self.call("0:other", "echo_text", ("a",))[1].decode())
        self.assertEqual(self.call("0", "echo_bool", (True,)), (4, b"baseline has no function echo_bool"))
        self.assertIn(b"9 is not a tier", self.call("9", "echo_text", ("a",))[1])

    def test_large_frames_pass(self):
        outcome, content = self.call("0", "echo_text", ("x" * 5_000_000,))
        self.assertEqual((outcome, len(content)), (0, 5_000_004))


if __name__ == "__main__":
    unittest.main()
