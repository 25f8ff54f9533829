"""Heavy computations in a child process.

Importing scikit-learn takes two seconds and fitting holds the interpreter lock, which would delay all requests in the
process that answers them.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 300
CHILD = (
    "import pickle, sys; function, arguments = pickle.load(sys.stdin.buffer); "
    "pickle.dump(function(*arguments), sys.stdout.buffer)"
)


class ChildFailed(RuntimeError):
    """The child process ended without a result; contains the end of its error output."""


def call(function: Callable[..., T], *arguments: Any) -> T:
    """The result of `function(*arguments)` in a child process. Raises ChildFailed or subprocess.TimeoutExpired."""
    process = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=pickle.dumps((function, arguments)),
        cwd=ROOT,
        capture_output=True,
        timeout=TIME_LIMIT_S,
        start_new_session=True,  # the parent alone handles Ctrl-C
    )
    if process.returncode:
        raise ChildFailed(process.stderr.decode(errors="replace")[-500:])
    return pickle.loads(process.stdout)  # noqa: S301 - from our own child process


def each(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]]) -> list[T]:
    """The result for each tuple of arguments, in their order: as many at once, each in a child, as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda own: call(function, *own), arguments))
