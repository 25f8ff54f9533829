"""The end of every program that prints: its exit code, also where what reads its output has left."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

READER_LEFT = 141  # as a shell reports a program that ends by the signal of a closed pipe


def end_with(main: Callable[[], int | None]) -> NoReturn:
    """Run `main` and exit with what it returns; READER_LEFT, without a word, where its reader has left.

    Where the output cannot be written, such as on a full disk, one line says so, and the code is 2.
    """
    try:
        try:
            code = main()
        finally:
            _flush()
    except BrokenPipeError:
        code = READER_LEFT
    except _Unwritten as error:
        print(f"error: the output could not be written: {error}", file=sys.stderr)
        code = 2
    sys.exit(code)


class _Unwritten(Exception):
    """The output could not be written, for the reason of the system."""


def _flush() -> None:
    try:
        if sys.stdout:  # None where the shell closed it
            sys.stdout.flush()
    except OSError as error:
        # What could not be written would be written again at the exit of the interpreter.
        with suppress(OSError):
            sys.stdout.close()
        if isinstance(error, BrokenPipeError):
            raise
        raise _Unwritten(error.strerror) from error
