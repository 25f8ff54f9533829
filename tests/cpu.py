"""CPU time that means the same on a fast, a slow and a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable

# CPU seconds of `_reference` on the machine for which the limits of the tests are written.
REFERENCE_S = 0.00021


def least_cpu_s(call: Callable[[], object], runs: int = 5) -> float:
    """CPU seconds of `call` at its quickest; a machine slower than the reference counts less.

    Beside other processes the same work takes up to three times as long, also in CPU time, so what is measured is
    divided by what a fixed piece of work took at its quickest between the runs.
    """
    pairs = [(_cpu_s(_reference), _cpu_s(call)) for _ in range(runs)]
    slowness = min(reference for reference, _ in pairs) / REFERENCE_S
    return min(took for _, took in pairs) / max(1.0, slowness)


def _reference() -> object:
    return sorted(str(number) for number in range(3000))


def _cpu_s(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began
