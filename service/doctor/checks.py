"""What a check is: one real call, which has its time and comes to a finding.

Nothing that a source wrote goes into a finding: it may hold a key, or whatever the source was made to say.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread

from service.errors import NinefoldError
from service.sources.bounded_session import TOO_LATE

# What a check may take beyond its time, so that whoever has a deadline of its own says itself what was late.
GRACE_S = 0.5


@dataclass(frozen=True)
class Told:
    """What a part that works said of itself; `tokens` and `usd` are None where the cost is not known."""

    detail: str
    tokens: int | None = 0
    usd: float | None = 0.0


class Fails(NinefoldError):
    """A part does not work. What its daily cap was charged meanwhile stands beside the sentence."""

    def __init__(self, detail: str, tokens: int = 0, usd: float | None = 0.0) -> None:
        super().__init__(detail)
        self.tokens = tokens
        self.usd = usd


@dataclass(frozen=True)
class Check:
    """One part of the service: `ask` tells how it is within `seconds`, or raises; a Fails says why in a sentence."""

    part: str
    what: str
    seconds: float
    ask: Callable[[], Told]


@dataclass(frozen=True)
class Finding:
    """What came of a check.

    `ms` is how long it took, `tokens` and `usd` what it cost: 0 of what is free, None where it is not known, at most
    that much where it failed. `detail` is what the part said of itself, or a sentence that says why it does not work.
    """

    part: str
    what: str
    works: bool
    ms: float
    tokens: int | None
    usd: float | None
    detail: str


# What a check that was begun came to, as often as it is called; the first time it waits until that is known.
Begun = Callable[[], Finding]


def begin(checks: Iterable[Check]) -> list[Begun]:
    """Begin all of them, each in a thread of its own, which is left behind when its time is over."""
    return [_begin(check) for check in checks]


def _begin(check: Check) -> Begun:
    came: Future[Finding] = Future()
    began = time.monotonic()
    Thread(target=lambda: came.set_result(_examined(check)), daemon=True).start()

    def wait() -> Finding:
        left = began + check.seconds + GRACE_S - time.monotonic()
        try:
            return came.result(timeout=max(left, 0.0))
        except TimeoutError:
            return _failed(check, began, Fails(f"There was {TOO_LATE}."))

    return wait


def _examined(check: Check) -> Finding:
    began = time.monotonic()
    try:
        told = check.ask()
    except Fails as fault:
        return _failed(check, began, fault)
    except NinefoldError as fault:
        return _failed(check, began, Fails(fault.detail))
    # Whatever else goes wrong is that part's matter, and its words may hold what is not to be told.
    except Exception as fault:
        return _failed(check, began, Fails(f"It failed: {type(fault).__name__}."))
    return Finding(check.part, check.what, True, _ms_since(began), told.tokens, told.usd, told.detail)


def _failed(check: Check, began: float, fault: Fails) -> Finding:
    return Finding(check.part, check.what, False, _ms_since(began), fault.tokens, fault.usd, fault.detail)


def _ms_since(began: float) -> float:
    return round(1000 * (time.monotonic() - began), 1)
