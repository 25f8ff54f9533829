"""A check is one real call to one part of the service; it is timed and results in a finding.

No text of a source enters a finding, since it may hold a key: errors are described by the name of their class.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import NamedTuple

from service.errors import NinefoldError
from service.sources.sessions import TOO_LATE

Check = Callable[[], "Finding"]
GRACE_S = 0.5  # beyond a check's time limit, so that a source with its own deadline can report the delay itself
# Patterns in the class names of errors of redis, pika, SQLAlchemy, requests and ccxt; the first match counts.
FAULTS = (
    (r"Timeout", TOO_LATE),
    (r"Proxy", "no connection through the proxy; check SOURCE_PROXY or HTTPS_PROXY"),
    (r"Authentication|Permission|AccessDenied", "access refused; check the name and the password"),
    (r"OperationalError", "it does not answer; check that it is running, its address and its password"),
    (r"SQLAlchemyError", "it cannot be read; check that it is a database of this service"),
    (r"Connection|Network|OSError|Schema|URL", "it could not be reached; check that it is running and its address"),
    (r"HTTPError|RateLimit|DDoS|Maintenance|NotAvailable", "it failed or refused the request; try again later"),
    (r"^\w+$", "the answer cannot be read"),
)


class Finding(NamedTuple):
    """The result of a check; the fields are those of the JSON output.

    `tokens` and `usd` are the cost: None where it is unknown, an upper bound after a failure.
    """

    part: str = ""
    what: str = ""
    works: bool = True
    ms: float = 0.0
    tokens: int | None = 0
    usd: float | None = 0.0
    detail: str = ""


def run(part: str, what: str, seconds: float, call: Check) -> Finding:
    """The finding of a call to one part of the service; its thread is abandoned after `seconds`."""
    began, pending = time.monotonic(), Future[Finding]()
    Thread(target=_call, args=(call, pending), daemon=True).start()
    try:
        finding = pending.result(seconds + GRACE_S)
    except Exception as error:  # any error is a finding about this part alone
        finding = Finding(works=False, detail=_describe(error))
    return finding._replace(part=part, what=what, ms=round(1000 * (time.monotonic() - began), 1))


def _call(call: Check, pending: Future[Finding]) -> None:
    try:
        pending.set_result(call())
    except Exception as error:
        pending.set_exception(error)


def _describe(error: Exception) -> str:
    """A sentence in which the name of an error class, alone or after a colon, is replaced by its description."""
    names = "/".join(kind.__name__ for kind in type(error).__mro__[:-2])
    detail = error.detail.rstrip(".") if isinstance(error, NinefoldError) else f"it failed with {names}"
    subject, colon, cause = detail.rpartition(": ")
    phrase = subject + colon + next((meaning for pattern, meaning in FAULTS if re.search(pattern, cause)), cause)
    return f"{phrase[0].upper()}{phrase[1:]}."
