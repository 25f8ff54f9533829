"""Fitting in a process of its own.

Loading scikit-learn takes two seconds and fitting holds the interpreter: in the process that answers requests
every caller would feel it.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from service.forecasting.fits import Fits
from service.market.bars import Bars

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 300
CHILD = (
    "import pickle, sys; from service.forecasting.training import fit; "
    "pickle.dump(fit(*pickle.load(sys.stdin.buffer)), sys.stdout.buffer)"
)


class LearningFailed(RuntimeError):
    """The process that fits ended without a fit; holds the last it said."""


def fit(hourly: Mapping[str, Bars], slot: int) -> Fits:
    """`training.fit` in another process; RuntimeError, TimeoutExpired when nothing came of it."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=pickle.dumps((dict(hourly), slot)),
        cwd=ROOT,
        capture_output=True,
        timeout=TIME_LIMIT_S,
        start_new_session=True,  # Ctrl-C is for the parent to answer
    )
    if done.returncode:
        raise LearningFailed(done.stderr.decode(errors="replace")[-500:])
    return pickle.loads(done.stdout)  # noqa: S301 - our own child's
