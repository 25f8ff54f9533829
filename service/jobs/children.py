"""Heavy computing in a process of its own.

Loading scikit-learn takes two seconds and fitting holds the interpreter: in the process that answers requests
every caller would feel it.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 300
CHILD = (
    "import pickle, sys; function, given = pickle.load(sys.stdin.buffer); "
    "pickle.dump(function(*given), sys.stdout.buffer)"
)


class ChildFailed(RuntimeError):
    """The process ended without a result; holds the last it said."""


def call(function: Callable[..., Any], *given: Any) -> Any:
    """`function(*given)` in another process; RuntimeError, TimeoutExpired when nothing came of it."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=pickle.dumps((function, given)),
        cwd=ROOT,
        capture_output=True,
        timeout=TIME_LIMIT_S,
        start_new_session=True,  # Ctrl-C is for the parent to answer
    )
    if done.returncode:
        raise ChildFailed(done.stderr.decode(errors="replace")[-500:])
    return pickle.loads(done.stdout)  # noqa: S301 - our own child's
