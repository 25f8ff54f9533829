"""Every limit in one table: what is counted, for whom and how many of it; and when a request is charged.

A request is charged once it is valid, so bad input is free, and before the work: with Flask-Limiter's own `deduct_when`
50 calls at once would all pass a limit of 10. Its charge of a day is settled with the answer and refunded when there is
none. A document is made first and charged then, because a copy that is still current is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import chain
from operator import attrgetter
from typing import Any, ParamSpec

from flask import Flask, Response, request
from flask_limiter import Limiter, RateLimitExceeded, RouteLimit

from service.access import quota
from service.access.quota import PLANS, ROWS_PER_CALL, TELEMETRY_CALLS, Plan, QuotaStatus
from service.api import responses
from service.api.auth import Caller, KeyHolder, address
from service.api.services import services
from service.api.windows import MINUTES, MinuteWindows, RequestLimits, refund, request_limits, settle, status_of
from service.errors import LimitReached, QuotaExhausted

QUOTAS = ("daily", "delegated")  # the limits that are quotas of a day

P = ParamSpec("P")


def by_address() -> str:
    return f"address:{_caller().address}"


limiter = Limiter(by_address, storage_uri="ninefold://", strategy="aligned-window")
# Limits are evaluated where an operation is called, not before its request is read.
limiter.request_filter(lambda: request_limits.get(None) is None)


class ConstantLimit(RouteLimit):
    """A limit of all operations that declare it. Its number of calls is parsed once and not for every request."""

    def __init__(self, calls: str, name: str, key_func: Callable[[], str], detail: str, **options: Any) -> None:
        super().__init__(
            calls, key_function=key_func, error_message=detail, shared=True, scope=name, limiter=limiter, **options
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parsed)

    @cached_property
    def _parsed(self) -> tuple:
        return tuple(super().__iter__())


@dataclass(frozen=True)
class LimitPolicy:
    """What `limit="name"` of an operation stands for.

    `limits` are evaluated up to the first that refuses, the shortest windows first. `summary` is for the docs. With
    `answer_first` a day's quota is charged for an answer that is at hand, and not for a 304 or the answer to a HEAD.
    """

    summary: str
    limits: tuple[RouteLimit, ...]
    answer_first: bool = False

    @property
    def refusals(self) -> tuple[type[LimitReached], ...]:
        return tuple(dict.fromkeys(_refusal_of(str(limit.scope)) for limit in self.limits))

    def __call__(self, function: Callable[P, Response]) -> Callable[P, Response]:
        return self.conclude(self.charge(function))

    def charge(self, function: Callable[P, Response]) -> Callable[P, Response]:
        """The function, which is called unless a limit refuses."""
        if not self.limits:
            return function

        def nothing() -> None: ...

        evaluate: Callable[[], None] = wraps(function)(nothing)
        for limit in self.limits:
            evaluate = limit(evaluate)

        @wraps(function)
        def charged(*args: P.args, **kwargs: P.kwargs) -> Response:
            limits = request_limits.get()
            limits.answer_first = self.answer_first
            _pass(evaluate)
            response = function(*args, **kwargs)
            if self.answer_first and response.status_code != 304 and request.method != "HEAD":
                limits.answer_first = False
                _pass(evaluate)
            return response

        return charged

    def conclude(self, answer: Callable[P, Response]) -> Callable[P, Response]:
        """The operation around `charge`: what it charges is settled with its answer and refunded with its refusal.

        A stream settles by itself. Either way the headers state what is left.
        """

        @wraps(answer)
        def concluded(*args: P.args, **kwargs: P.kwargs) -> Response:
            limits = RequestLimits(Caller(address()))
            token = request_limits.set(limits)
            try:
                response = answer(*args, **kwargs)
                if not response.is_streamed:
                    settle()
                return response
            except Exception:
                refund()
                responses.discard_headers()
                raise
            finally:
                if statuses := self._statuses(limits):
                    responses.add_headers(_headers(limits.refusal, statuses, services().now()))
                request_limits.reset(token)

        return concluded

    def _statuses(self, limits: RequestLimits) -> list[QuotaStatus]:
        """The state of each limit after this request: first of those that were evaluated, then of the others."""
        statuses = {status.name: status for status in limits.statuses.values()}
        refusal = limits.refusal
        # A request that was not refused has evaluated all of them.
        if statuses and not refusal and not limits.answer_first:
            return list(statuses.values())
        if refusal:
            statuses[refusal.name] = refusal
        for limit in chain.from_iterable(self.limits):
            if limit.scope not in statuses and not limit.is_exempt:
                statuses[str(limit.scope)] = status_of(limit.limit, limit.key_func(), str(limit.scope))
        return list(statuses.values())


def register(app: Flask) -> None:
    """Put `app` under its limits, and make every answer under a limit state what is left of it."""
    app.extensions[MINUTES] = MinuteWindows(app.extensions["ninefold"].settings.redis_url.get_secret_value())
    limiter.init_app(app)


def _pass(evaluate: Callable[[], None]) -> None:
    """Evaluate limits; raises LimitReached for one that is used up, and the answer's headers state the same."""
    try:
        evaluate()
    except RateLimitExceeded as refusal:
        limit, name = refusal.limit, str(refusal.limit.scope)
        status = status_of(limit.limit, limit.key_func(), name)._replace(remaining=0)
        request_limits.get().refusal = status
        detail, wait_s = str(limit.error_message), status.seconds_left(services().now())
        raise _refusal_of(name)(
            detail, limit=status.limit, remaining=0, reset_at=status.reset_at, retry_after_s=wait_s
        ) from None


def _refusal_of(scope: str) -> type[LimitReached]:
    return QuotaExhausted if scope in QUOTAS else LimitReached


def _headers(refusal: QuotaStatus | None, statuses: list[QuotaStatus], now: float) -> responses.Headers:
    """What is left of each limit; X- is for the limit that refused, else for the tightest of the longest."""
    status = refusal or min(statuses, key=lambda status: (-status.window_s, status.remaining))
    return [
        ("RateLimit-Policy", ", ".join([status.policy for status in statuses])),
        ("RateLimit", ", ".join([status.state(now) for status in statuses])),
        ("X-RateLimit-Limit", str(status.limit)),
        ("X-RateLimit-Remaining", str(status.remaining)),
        ("X-RateLimit-Reset", str(status.reset_at)),
    ]


def _caller() -> Caller:
    return request_limits.get().caller


def _by_caller() -> str:
    return _caller().id


def _by_reader() -> str:
    """Whom public telemetry is counted for: a paid key, an end user of a delegating key, else an address."""
    caller = _caller()
    return caller.id if isinstance(caller, KeyHolder) and (caller.end_user or caller.plan == "paid") else by_address()


def _by_network() -> str:
    return f"network:{quota.wide_network(request.remote_addr)}"


def _by_key() -> str:
    caller = _caller()
    assert isinstance(caller, KeyHolder)
    return f"key:{caller.key_id}"


def _unless(name: str, is_limited: Callable[[KeyHolder], object]) -> Callable[[], bool]:
    """Exempts callers without a key and holders for whom a limit is not; `flask limiter limits` shows the name."""

    def exempt() -> bool:
        caller = _caller()
        return not (isinstance(caller, KeyHolder) and is_limited(caller))

    exempt.__name__ = name
    return exempt


key_is_not_delegating = _unless("key_is_not_delegating", attrgetter("is_delegating"))
names_no_end_user = _unless("names_no_end_user", attrgetter("end_user"))


def _not_on(plan: Plan) -> Callable[[], bool]:
    return _unless(f"not_on_the_{plan}_plan", lambda holder: holder.plan == plan)


def _daily() -> LimitPolicy:
    """The quota of the caller's plan. Through a delegating key each end user has one, under a cap over the key."""
    used_up = "The daily quota is used up; it resets at 00:00 UTC."
    all_used_up = "The daily quota over all end users of this key is used up; it resets at 00:00 UTC."
    plans = [
        ConstantLimit(f"{calls} per day", "daily", _by_caller, used_up, exempt_when=_not_on(plan))
        for plan, calls in PLANS.items()
    ]
    total = f"{quota.DELEGATED_CAP} per day"
    cap = ConstantLimit(total, "delegated", _by_key, all_used_up, exempt_when=key_is_not_delegating)
    calls = ", ".join(f"{calls} ({plan})" for plan, calls in PLANS.items())
    return LimitPolicy(f"as many per day per caller as the plan allows: {calls}", (*plans, cap))


def _per(party: str, key_func: Callable[[], str], name: str, calls: int, window: str, detail: str) -> LimitPolicy:
    """A limit per address or caller, and a wider one for the /48 of an IPv6 address, of which one person may be all."""

    def has_no_network() -> bool:
        return "/" not in _caller().address or not key_func().startswith("address:")

    network_calls = f"{calls * quota.NETWORK_FACTOR} per {window}"
    network = ConstantLimit(network_calls, f"{name}-network", _by_network, detail, exempt_when=has_no_network)
    limit = ConstantLimit(f"{calls} per {window}", name, key_func, detail)
    return LimitPolicy(f"{calls} per {window} per {party}", (limit, network))


def _per_caller(name: str, calls: int, window: str, detail: str) -> LimitPolicy:
    return _per("caller", _by_caller, name, calls, window, detail)


def _telemetry() -> LimitPolicy:
    """Per address or paid key, or per end user of a delegating key under a cap over the key."""
    detail = "Too many requests came from this address in this minute."
    policy = _per("address", _by_reader, "telemetry", TELEMETRY_CALLS, "minute", detail)
    total = f"{quota.DELEGATED_TELEMETRY} per minute"
    detail = "Too many requests came from the end users of this key in this minute."
    cap = ConstantLimit(total, "delegated-telemetry", _by_key, detail, exempt_when=names_no_end_user)
    summary = (
        f"{policy.summary}, or per paid key, or per end user of a delegating key that names one; an answer counts "
        f"again for each {ROWS_PER_CALL:,} stored rows that it is computed from; a listed market is 100 of them"
    )
    return LimitPolicy(summary, (*policy.limits, cap))


def _beside_quota(policy: LimitPolicy, sentence: str, *, answer_first: bool = False) -> LimitPolicy:
    """The day's quota, and a limit for requests that it does not count."""
    summary = f"{DAILY.summary}; {sentence}, {policy.summary}"
    return LimitPolicy(summary, (*policy.limits, *DAILY.limits), answer_first)


FULL_MINUTE = "Too many requests came in this minute."
REGISTERED = "Too many keys were registered from this address today. Try again after 00:00 UTC."
NO_LIMIT = LimitPolicy("", ())
DAILY = _daily()
READINGS = _per_caller("understanding", 60, "minute", "Too many questions were sent in this minute.")
DOCUMENTS = _per_caller("documents", TELEMETRY_CALLS, "minute", FULL_MINUTE)
CHALLENGES = _per_caller("challenges", 3, "day", "Three challenges were created today; try again after 00:00 UTC.")
LIMITS: Mapping[str, LimitPolicy] = {
    "daily": DAILY,
    "understanding": READINGS,
    "questions": _beside_quota(READINGS, "refused questions included"),
    "documents": _beside_quota(DOCUMENTS, "answers of 304 and to HEAD included", answer_first=True),
    "telemetry": _telemetry(),
    "descriptions": _per("address", by_address, "descriptions", TELEMETRY_CALLS, "minute", FULL_MINUTE),
    "own data": _per_caller("own-data", TELEMETRY_CALLS, "minute", FULL_MINUTE),
    "streams": _per_caller("streams", 60, "minute", "Too many streams were opened in this minute."),
    "registration": _per("address", by_address, "registration", 10, "day", REGISTERED),
    "votes": _per_caller("votes", 60, "hour", "Too many votes were cast in this hour."),
    "forecast lists": _per_caller("forecast-lists", 6, "hour", "Too many lists of forecasts came in this hour."),
    "webhooks": _per_caller("webhooks", 60, "hour", "Webhooks were changed or tested too often this hour."),
    "challenges": LimitPolicy(
        f"{CHALLENGES.summary}; refused questions included, {READINGS.summary}", (*READINGS.limits, *CHALLENGES.limits)
    ),
}
