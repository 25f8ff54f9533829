"""How a request is charged, by Flask-Limiter, once it is known to be valid, so that bad input is free.

Flask-Limiter's own `deduct_when` is not used: it tests before the work and counts after it, so that 50 calls at once
all pass a limit of 10. Here a call is charged before the work: its charge is a reservation, settled with the answer and
refunded when there is none. A document is made first and charged then, because a copy that is still current is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import chain
from typing import Any, ParamSpec

from flask import Flask, Response, request
from flask_limiter import Limiter, RateLimitExceeded, RouteLimit
from flask_limiter._extension import LimiterContext
from flask_limiter._limits import RuntimeLimit
from flask_limiter.util import get_qualified_name
from limits import RateLimitItemPerDay

from service.access.quota import QuotaStatus
from service.api import responses
from service.api.auth import KeyHolder, unidentified
from service.api.services import services
from service.api.windows import (
    MINUTES,
    STORAGE_URI,
    STRATEGY,
    AlignedWindowRateLimiter,
    MinuteWindows,
    RequestLimits,
    request_limits,
)
from service.config import Settings
from service.errors import LimitReached, QuotaExhausted, WindowExhausted

# The limits that are quotas of a day.
QUOTAS = ("daily", "delegated")

P = ParamSpec("P")


def by_address() -> str:
    """Whom a limit per address is counted for."""
    return f"address:{request_limits.get().caller.address}"


class ValidRequestLimiter(Limiter):
    """Flask-Limiter without its check before a request is read: a limit is evaluated where its operation is called."""

    _kept: ContextVar[LimiterContext] = ContextVar("limiter_context")

    @property
    def context(self) -> LimiterContext:
        """What Flask-Limiter keeps of a request and resets after it; its own way there costs a fifth of a GET."""
        try:
            return self._kept.get()
        except LookupError:
            self._kept.set(LimiterContext())
            return self._kept.get()

    def _check_request_limit(self, callable_name: str | None = None, in_middleware: bool = True) -> None:
        if not in_middleware:
            super()._check_request_limit(callable_name, in_middleware)

    def evaluate(self, name: str) -> None:
        """Evaluate the limits of the function of this name, each charged once; raises LimitReached."""
        try:
            self._check_request_limit(name, in_middleware=False)
        except RateLimitExceeded as refused:
            raise exceeded(refused.limit) from None


limiter = ValidRequestLimiter(by_address, storage_uri=STORAGE_URI, strategy=STRATEGY)


class ConstantLimit(RouteLimit):
    """A limit whose number of calls is written down, so that it is parsed once and not for every request."""

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
        """The errors that a caller may get."""
        return tuple(dict.fromkeys(_refusal_of(str(limit.scope)) for limit in self.limits))

    def __call__(self, function: Callable[P, Response]) -> Callable[P, Response]:
        """The function behind these limits."""
        return self.conclude(self.charge(function))

    def charge(self, function: Callable[P, Response]) -> Callable[P, Response]:
        """The function, which is called unless a limit refuses."""
        if not self.limits:
            return function
        name = get_qualified_name(function)
        for limit in self.limits:  # as a decorator each would look up the view of every request again
            limiter.limit_manager.add_decorated_limit(name, limit)

        @wraps(function)
        def charged(*args: P.args, **kwargs: P.kwargs) -> Response:
            limiter.evaluate(name)
            return function(*args, **kwargs)

        @wraps(function)
        def answer_then_charge(*args: P.args, **kwargs: P.kwargs) -> Response:
            limits = request_limits.get()
            limits.answer_first = True
            response = charged(*args, **kwargs)
            if response.status_code != 304 and request.method != "HEAD":
                limits.answer_first = False
                limiter.evaluate(name)
            return response

        return answer_then_charge if self.answer_first else charged

    def conclude(self, answer: Callable[P, Response]) -> Callable[P, Response]:
        """The operation around `charge`: what it charges is settled with its answer and refunded with its refusal.

        Either way the headers state what is left.
        """

        @wraps(answer)
        def concluded(*args: P.args, **kwargs: P.kwargs) -> Response:
            limits = RequestLimits(unidentified())
            token = request_limits.set(limits)
            try:
                return self._stated(limits, answer, *args, **kwargs)
            finally:
                request_limits.reset(token)

        return concluded

    def _stated(
        self, limits: RequestLimits, answer: Callable[P, Response], *args: P.args, **kwargs: P.kwargs
    ) -> Response:
        try:
            return _settled(answer, *args, **kwargs)
        finally:
            if statuses := self._statuses(limits):
                responses.add_headers(_headers(limits.exceeded, statuses, services().now()))

    def _statuses(self, limits: RequestLimits) -> list[QuotaStatus]:
        """The state of each limit after this request: first of those that were evaluated, then of the others."""
        statuses = {charge.status.name: charge.status for charge in limits.charges.values()}
        refused = limits.exceeded
        # A request that was not refused has evaluated all of them.
        if statuses and not refused and not limits.answer_first:
            return list(statuses.values())
        if refused:
            statuses[refused.name] = refused
        for limit in chain.from_iterable(self.limits):
            if limit.scope not in statuses and not limit.is_exempt:
                statuses[str(limit.scope)] = _status(limit)
        return list(statuses.values())


def shared_limit(name: str, calls: str, key_func: Callable[[], str], detail: str, **options: Any) -> RouteLimit:
    """The limit `name` of all operations that declare it, counted for what `key_func` returns."""
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


def register(app: Flask) -> None:
    """Put `app` under its limits, and make every answer under a limit state what is left of it."""
    app.extensions[MINUTES] = _minutes(app.extensions["ninefold"].settings)
    limiter.init_app(app)


def settle() -> None:
    """Keep what this request was charged for a day; without effect once that is settled or refunded."""
    _strategy().settle()


def refund() -> None:
    """Undo what this request was charged for a day; without effect once that is settled or refunded."""
    _strategy().refund()


def daily_quota(holder: KeyHolder) -> QuotaStatus:
    """The state of a caller's daily quota; nothing is counted."""
    return _strategy().status(RateLimitItemPerDay(holder.daily_limit), holder.id, "daily")


def exceeded(limit: RuntimeLimit) -> LimitReached:
    """The refusal of a limit that is used up, for the error to be raised; the answer's headers state the same."""
    status = _status(limit)._replace(remaining=0)
    request_limits.get().exceeded = status
    return _refusal_of(status.name)(
        str(limit.error_message),
        limit=status.limit,
        remaining=status.remaining,
        reset_at=status.reset_at,
        retry_after_s=status.seconds_left(services().now()),
    )


def _strategy() -> AlignedWindowRateLimiter:
    strategy = limiter.limiter
    assert isinstance(strategy, AlignedWindowRateLimiter)
    return strategy


def _status(limit: RuntimeLimit) -> QuotaStatus:
    return _strategy().status(limit.limit, limit.key_func(), str(limit.scope))


def _settled(answer: Callable[P, Response], *args: P.args, **kwargs: P.kwargs) -> Response:
    """The answer, with its charges settled unless it is a stream; before an error is raised they are refunded."""
    try:
        response = answer(*args, **kwargs)
    except Exception:
        refund()
        responses.discard_headers()
        raise
    if not response.is_streamed:
        settle()
    return response


def _refusal_of(scope: str) -> type[LimitReached]:
    return QuotaExhausted if scope in QUOTAS else WindowExhausted


def _headers(refused: QuotaStatus | None, statuses: list[QuotaStatus], now: float) -> responses.Headers:
    """What is left of each limit; X- is for the limit that refused, else for the tightest of the longest."""
    shown = refused or min(statuses, key=lambda status: (-status.window_s, status.remaining))
    return [
        ("RateLimit-Policy", ", ".join([status.policy for status in statuses])),
        ("RateLimit", ", ".join([status.state(now) for status in statuses])),
        ("X-RateLimit-Limit", str(shown.limit)),
        ("X-RateLimit-Remaining", str(shown.remaining)),
        ("X-RateLimit-Reset", str(shown.reset_at)),
    ]


def _minutes(settings: Settings) -> MinuteWindows:
    url = settings.redis_url.get_secret_value()
    if not url:
        return MinuteWindows()
    from service.api.redis_windows import RedisMinuteWindows  # imported lazily: it costs 20% of the start-up

    return RedisMinuteWindows(url)
