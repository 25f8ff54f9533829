"""Every limit in one table, charged before the work and given back when the work comes to nothing.

Flask-Limiter's `deduct_when` tests before the work and counts after it, so that of 50 calls at once 50 pass a
limit of 10; its hooks triple the cost of a GET. So its storage is asked directly and its hooks are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from flask import Flask, Response, current_app, g
from flask_limiter import Limiter

from service.access.quota import DELEGATED_CAP, TELEMETRY_CALLS, TELEMETRY_WINDOW_S, Standing, window_end
from service.api.auth import Caller, address
from service.api.services import Services
from service.api.windows import Minutes, MinuteWindows, WindowStorage
from service.config import Settings
from service.errors import LimitReached, QuotaExhausted, RateLimited
from service.market.instants import DAY, HOUR


@dataclass(frozen=True, slots=True)
class Limit:
    """`calls` in each window of `window_s` seconds; None: as many as the caller's plan allows.

    `scope` is whose calls are counted together. `refundable`: only answers below 400 count.
    """

    name: str
    calls: int | None
    window_s: int
    scope: Literal["caller", "key", "address"]
    refusal: type[LimitReached]
    detail: str
    refundable: bool = False

    def key(self, caller: Caller) -> str:
        """What a caller's window is kept under, whatever the number allowed: a new plan keeps what was used."""
        if self.scope == "address":
            return f"{self.name}:address:{caller.address}"
        return f"{self.name}:{caller.id}" if self.scope == "caller" else f"{self.name}:key:{caller.key_id}"

    def standing(self, caller: Caller, hits: int, ends: int) -> Standing:
        """How a caller stands after `hits` in the window that ends at `ends`."""
        allowed = self.calls or caller.daily_limit
        return Standing(self.name, allowed, self.window_s, max(0, allowed - hits), ends)


DAILY = Limit(
    name="daily",
    calls=None,
    window_s=DAY,
    scope="caller",
    refusal=QuotaExhausted,
    detail="The daily quota is used up; it resets at 00:00 UTC.",
    refundable=True,
)
DELEGATED = Limit(
    name="delegated",
    calls=DELEGATED_CAP,
    window_s=DAY,
    scope="key",
    refusal=QuotaExhausted,
    detail="The daily quota over all end users of this key is used up; it resets at 00:00 UTC.",
    refundable=True,
)
TELEMETRY = Limit(
    name="telemetry",
    calls=TELEMETRY_CALLS,
    window_s=TELEMETRY_WINDOW_S,
    scope="address",
    refusal=RateLimited,
    detail="Too many requests from this address in this minute.",
)
REGISTRATION = Limit(
    name="registration",
    calls=10,
    window_s=DAY,
    scope="address",
    refusal=RateLimited,
    detail="Too many keys were registered from this address today; try again after 00:00 UTC.",
    refundable=True,
)
VOTES = Limit(
    name="votes",
    calls=60,
    window_s=HOUR,
    scope="caller",
    refusal=RateLimited,
    detail="Too many votes were cast in this hour.",
)
CHALLENGES = Limit(
    name="challenges",
    calls=3,
    window_s=DAY,
    scope="caller",
    refusal=RateLimited,
    detail="Three challenges were created today; try again after 00:00 UTC.",
    refundable=True,
)
LIMITS: Mapping[str, Limit] = {
    limit.name: limit for limit in (DAILY, DELEGATED, TELEMETRY, REGISTRATION, VOTES, CHALLENGES)
}


@dataclass(slots=True)
class Charge:
    """One hit that this request made, or tried to make."""

    limit: Limit
    key: str
    standing: Standing
    taken: bool


def register(app: Flask) -> None:
    """Give `app` its limits and make every limited answer tell how its caller stands."""
    known: Services = app.extensions["ninefold"]
    options = {"database": known.database, "minutes": _minutes(known.settings), "now": known.now}
    limiter = Limiter(address, storage_uri="ninefold://", storage_options=options)
    app.extensions["limiter"] = {limiter}  # as one that is known already: init_app then adds no hook
    limiter.init_app(app)
    app.extensions["ninefold-windows"] = limiter.storage
    app.after_request(partial(_tell, limiter.storage))


def charge(name: str, caller: Caller) -> None:
    """Count this request against a limit of LIMITS; raises RateLimited or QuotaExhausted when it is used up.

    A call through a delegating key is counted for its end user and against the cap of the whole key.
    """
    _take(LIMITS[name], caller)
    if name == DAILY.name and caller.delegating:
        _take(DELEGATED, caller)


def give_back() -> None:
    """Undo what this request was charged, as far as that can be given back; doing so twice does no more."""
    for charge in g.get("charges", ()):
        if charge.taken and charge.limit.refundable:
            _windows().give_back(charge.key, charge.standing.reset_at)
            charge.standing = charge.standing._replace(remaining=charge.standing.remaining + 1)
            charge.taken = False


def standing(name: str, caller: Caller) -> Standing:
    """How a caller stands with a limit, without counting anything."""
    limit, windows = LIMITS[name], _windows()
    now = windows.now()
    window = windows.read(limit.key(caller), limit.window_s, now)
    return limit.standing(caller, *(window or (0, window_end(now, limit.window_s))))


def _take(limit: Limit, caller: Caller) -> None:
    windows, key = _windows(), limit.key(caller)
    now, allowed = windows.now(), limit.calls or caller.daily_limit
    window = windows.take(key, limit.window_s, allowed, now)
    stands = limit.standing(caller, *(window or (allowed, window_end(now, limit.window_s))))
    g.setdefault("charges", []).append(Charge(limit, key, stands, taken=window is not None))
    if window is None:
        raise _refusal(limit, stands, now)


def _refusal(limit: Limit, stands: Standing, now: float) -> LimitReached:
    return limit.refusal(
        limit.detail,
        limit=stands.limit,
        remaining=stands.remaining,
        reset_at=stands.reset_at,
        retry_after_s=stands.seconds_left(now),
    )


def _windows() -> WindowStorage:
    return current_app.extensions["ninefold-windows"]


def _minutes(settings: Settings) -> Minutes:
    url = settings.redis_url.get_secret_value()
    if not url:
        return MinuteWindows()
    from service.api.redis_windows import RedisMinuteWindows  # a fifth of the start-up, only for who uses it

    return RedisMinuteWindows(url)


def _tell(windows: WindowStorage, response: Response) -> Response:
    """A limited answer says how its caller stands (X- for the tightest limit); one from 400 on is free."""
    charges = g.get("charges")
    if not charges:
        return response
    if response.status_code >= 400:
        give_back()
    now, standings = windows.now(), [charge.standing for charge in charges]
    tightest = min(standings, key=lambda standing: standing.remaining)
    add = response.headers.add
    add("RateLimit-Policy", ", ".join([standing.policy for standing in standings]))
    add("RateLimit", ", ".join([standing.state(now) for standing in standings]))
    add("X-RateLimit-Limit", str(tightest.limit))
    add("X-RateLimit-Remaining", str(tightest.remaining))
    add("X-RateLimit-Reset", str(tightest.reset_at))
    return response
