"""Reads compressed answers, writes what they decompress to."""

import gzip
import sys

sys.path.insert(0, "..")
import normalizer  # noqa: E402

normalizer.serve(gzip.decompress)
