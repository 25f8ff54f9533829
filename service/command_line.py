"""The end of every program that prints: its exit code, also where what reads its output has left."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

READER_LEFT = 141  # as a shell reports a program that ends by the signal of a closed pipe


def end_with(main: Callable[[], int | None]) -> NoReturn:
    """Run `main` and exit with what it returns; READER_LEFT, without a word, where its reader has left."""
    try:
        try:
            code = main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # What could not be written would be written again at the exit of the interpreter.
        with suppress(BrokenPipeError):
            sys.stdout.close()
        code = READER_LEFT
    sys.exit(code)
