"""Every limit in one table, decided by Flask-Limiter once a request is known to be valid, so that bad input is free.

Flask-Limiter's own `deduct_when` is not used: it tests before the work and counts after it, so that 50 calls at once
all pass a limit of 10. Here a call is charged before the work and refunded when it comes to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from flask import Flask, Response, current_app, g
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter, RateLimitExceeded, RouteLimit
from limits import RateLimitItemPerDay

from service.access.quota import DELEGATED_CAP, PLANS, TELEMETRY_CALLS, Plan, QuotaStatus
from service.api import headers
from service.api.auth import KeyHolder, address
from service.api.services import services
from service.api.windows import MINUTES, STORAGE_URI, STRATEGY, AlignedWindowRateLimiter, MinuteWindows
from service.config import Settings
from service.errors import LimitReached, QuotaExhausted, WindowExhausted

if TYPE_CHECKING:
    from flask_limiter._extension import LimiterContext

P = ParamSpec("P")
R = TypeVar("R")


def _address() -> str:
    return f"address:{address()}"


def _caller() -> str:
    return g.caller.id


def _key() -> str:
    return f"key:{_holder().key_id}"


def _holder() -> KeyHolder:
    assert isinstance(g.caller, KeyHolder), "an operation with a daily quota requires a key"
    return g.caller


def key_is_not_delegating() -> bool:
    return not _holder().delegating


def _not_on(plan: Plan) -> Callable[[], bool]:
    def exempt() -> bool:
        return _holder().plan != plan

    exempt.__name__ = f"not_on_the_{plan}_plan"  # `flask limiter limits` shows it
    return exempt


class ValidRequestLimiter(Limiter):
    """Flask-Limiter without its check before a request is read: a limit is evaluated where its operation is called."""

    @property
    def context(self) -> LimiterContext:
        """What Flask-Limiter keeps of the request being answered; its own way there costs a fifth of a GET."""
        kept = g.get("limiter_context")
        if kept is None:
            kept = g.limiter_context = super().context
        return kept

    def _check_request_limit(self, callable_name: str | None = None, in_middleware: bool = True) -> None:
        if not in_middleware:
            super()._check_request_limit(callable_name, in_middleware)


limiter = ValidRequestLimiter(_address, storage_uri=STORAGE_URI, strategy=STRATEGY)


@dataclass(frozen=True)
class LimitPolicy:
    """What `limit="name"` of an operation stands for.

    `limits` are evaluated in their order, up to the first that refuses. `summary` is for the docs, `refusal` is the
    error that a caller gets.
    """

    summary: str
    limits: tuple[RouteLimit, ...]
    refusal: type[LimitReached] = WindowExhausted

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function behind these limits."""
        limited = function
        for limit in self.limits:
            limited = limit(limited)

        @wraps(function)
        def chargeable(*args: P.args, **kwargs: P.kwargs) -> R:
            g.charges = {}
            return limited(*args, **kwargs)

        return chargeable


class ConstantLimit(RouteLimit):
    """A limit whose number of calls is written down, so that it is parsed once and not for every request."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parsed)

    @cached_property
    def _parsed(self) -> tuple:
        return tuple(super().__iter__())


def _shared(name: str, calls: str, key_func: Callable[[], str], detail: str, **options: Any) -> RouteLimit:
    return ConstantLimit(
        limit_provider=calls,
        scope=name,
        shared=True,
        key_function=key_func,
        error_message=detail,
        override_defaults=True,
        limiter=limiter,
        **options,
    )


def _daily() -> LimitPolicy:
    """The quota of the caller's plan. Through a delegating key each end user has one, under a cap over the key."""
    used_up = "The daily quota is used up; it resets at 00:00 UTC."
    all_used_up = "The daily quota over all end users of this key is used up; it resets at 00:00 UTC."
    plans = [
        _shared("daily", f"{calls} per day", _caller, used_up, exempt_when=_not_on(plan))
        for plan, calls in PLANS.items()
    ]
    cap = _shared("delegated", f"{DELEGATED_CAP} per day", _key, all_used_up, exempt_when=key_is_not_delegating)
    calls = ", ".join(f"{calls} ({plan})" for plan, calls in PLANS.items())
    return LimitPolicy(f"as many per day per caller as the plan allows: {calls}", (*plans, cap), QuotaExhausted)


def _per_address(name: str, calls: str, detail: str) -> LimitPolicy:
    return LimitPolicy(f"{calls} per address", (_shared(name, calls, _address, detail),))


def _per_caller(name: str, calls: str, detail: str) -> LimitPolicy:
    return LimitPolicy(f"{calls} per caller", (_shared(name, calls, _caller, detail),))


LIMITS: Mapping[str, LimitPolicy] = {
    "daily": _daily(),
    "telemetry": _per_address(
        "telemetry",
        f"{TELEMETRY_CALLS} per minute",
        "Too many requests came from this address in this minute.",
    ),
    "registration": _per_address(
        "registration",
        "10 per day",
        "Too many keys were registered from this address today; try again after 00:00 UTC.",
    ),
    "votes": _per_caller("votes", "60 per hour", "Too many votes were cast in this hour."),
    "challenges": _per_caller(
        "challenges", "3 per day", "Three challenges were created today; try again after 00:00 UTC."
    ),
}
REFUSALS = {limit.scope: policy.refusal for policy in LIMITS.values() for limit in policy.limits}


def register(app: Flask) -> None:
    """Put `app` under its limits, and make every limited answer state what is left of them."""
    app.extensions[MINUTES] = _minutes(app.extensions["ninefold"].settings)
    limiter.init_app(app)
    app.register_error_handler(RateLimitExceeded, _answer_exceeded)
    app.after_request(_conclude)


def refund() -> None:
    """Undo what this request was charged for a day; doing so twice does no more."""
    _strategy().refund()


def daily_quota(holder: KeyHolder) -> QuotaStatus:
    """The state of a caller's daily quota; nothing is counted."""
    item = RateLimitItemPerDay(holder.daily_limit)
    window = _strategy().get_window_stats(item, holder.id, "daily")
    return QuotaStatus("daily", item.amount, item.get_expiry(), window.remaining, int(window.reset_time))


def _strategy() -> AlignedWindowRateLimiter:
    strategy = limiter.limiter
    assert isinstance(strategy, AlignedWindowRateLimiter)
    return strategy


def _statuses() -> list[QuotaStatus]:
    """The state of each limit after this request, in the order in which they were charged."""
    return [
        QuotaStatus(
            charge.name,
            charge.amount,
            charge.length,
            max(0, charge.amount - charge.window.hits),
            charge.window.ends,
        )
        for charge in g.get("charges", {}).values()
    ]


def _answer_exceeded(exceeded: RateLimitExceeded) -> ResponseReturnValue:
    """The refusal of an exhausted window, answered like any other error of ours."""
    status = _statuses()[-1]
    refusal = REFUSALS[exceeded.limit.scope](
        str(exceeded.description),
        limit=status.limit,
        remaining=status.remaining,
        reset_at=status.reset_at,
        retry_after_s=status.seconds_left(services().now()),
    )
    return current_app.handle_user_exception(refusal)


def _conclude(response: Response) -> Response:
    """Refund an answer from 400 on, and state what is left of each limit (X- for the tightest)."""
    if response.status_code >= 400:
        refund()
    if statuses := _statuses():
        headers.add(_headers(statuses, services().now()))
    return response


def _headers(statuses: list[QuotaStatus], now: float) -> headers.Headers:
    tightest = min(statuses, key=lambda status: status.remaining)
    return [
        ("RateLimit-Policy", ", ".join([status.policy for status in statuses])),
        ("RateLimit", ", ".join([status.state(now) for status in statuses])),
        ("X-RateLimit-Limit", str(tightest.limit)),
        ("X-RateLimit-Remaining", str(tightest.remaining)),
        ("X-RateLimit-Reset", str(tightest.reset_at)),
    ]


def _minutes(settings: Settings) -> MinuteWindows:
    url = settings.redis_url.get_secret_value()
    if not url:
        return MinuteWindows()
    from service.api.redis_windows import RedisMinuteWindows  # imported lazily: it costs 20% of the start-up

    return RedisMinuteWindows(url)
