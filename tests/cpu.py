"""CPU time that means the same on a fast, a slow and a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable

# CPU seconds of `_reference` on the machine for which the limits of the tests are written.
REFERENCE_S = 0.00021


def least_cpu_s(call: Callable[[], object], runs: int = 5, enough_s: float = 0.0) -> float:
    """CPU seconds of `call` at its quickest; a machine slower than the reference counts less.

    After a run of at most `enough_s` there is no other. Beside other processes the same work takes up to three times as
    long, also in CPU time, so what is measured is divided by what a fixed piece of work took at its quickest between
    the runs.
    """
    pairs: list[tuple[float, float]] = []
    while len(pairs) < runs and (not pairs or pairs[-1][1] > enough_s):
        pairs.append((_cpu_s(_reference), _cpu_s(call)))
    slowness = min(reference for reference, _ in pairs) / REFERENCE_S
    return min(took for _, took in pairs) / max(1.0, slowness)


def _reference() -> object:
    return sorted(str(number) for number in range(3000))


def _cpu_s(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began
