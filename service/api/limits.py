"""Every limit in one table: what is counted, for whom, and how many of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from service.access.quota import (
    DELEGATED_CAP,
    DELEGATED_TELEMETRY,
    NETWORK_FACTOR,
    PLANS,
    TELEMETRY_CALLS,
    Plan,
)
from service.api.auth import KeyHolder, wide_network
from service.api.charging import LimitPolicy, by_address, shared_limit
from service.api.windows import request_limits


def _caller() -> str:
    return request_limits.get().caller.id


def _reader() -> str:
    """Whom public telemetry is counted for: an end user of a delegating key, else an address."""
    return by_address() if names_no_end_user() else _caller()


def _network() -> str:
    return f"network:{wide_network()}"


def _key() -> str:
    caller = request_limits.get().caller
    assert isinstance(caller, KeyHolder)
    return f"key:{caller.key_id}"


def key_is_not_delegating() -> bool:
    caller = request_limits.get().caller
    return not isinstance(caller, KeyHolder) or not caller.delegating


def names_no_end_user() -> bool:
    caller = request_limits.get().caller
    return not isinstance(caller, KeyHolder) or caller.end_user is None


def _not_on(plan: Plan) -> Callable[[], bool]:
    def exempt() -> bool:
        caller = request_limits.get().caller
        return not isinstance(caller, KeyHolder) or caller.plan != plan

    exempt.__name__ = f"not_on_the_{plan}_plan"  # `flask limiter limits` shows it
    return exempt


def _daily() -> LimitPolicy:
    """The quota of the caller's plan. Through a delegating key each end user has one, under a cap over the key."""
    used_up = "The daily quota is used up; it resets at 00:00 UTC."
    all_used_up = "The daily quota over all end users of this key is used up; it resets at 00:00 UTC."
    plans = [
        shared_limit("daily", f"{calls} per day", _caller, used_up, exempt_when=_not_on(plan))
        for plan, calls in PLANS.items()
    ]
    cap = shared_limit("delegated", f"{DELEGATED_CAP} per day", _key, all_used_up, exempt_when=key_is_not_delegating)
    calls = ", ".join(f"{calls} ({plan})" for plan, calls in PLANS.items())
    return LimitPolicy(f"as many per day per caller as the plan allows: {calls}", (*plans, cap))


def _per(whom: str, key_func: Callable[[], str], name: str, calls: int, window: str, detail: str) -> LimitPolicy:
    """A limit per address or caller, and a wider one for the /48 of an IPv6 address, of which one person may be all."""

    def has_no_network() -> bool:
        return "/" not in request_limits.get().caller.address or not key_func().startswith("address:")

    wide = f"{calls * NETWORK_FACTOR} per {window}"
    network = shared_limit(f"{name}-network", wide, _network, detail, exempt_when=has_no_network)
    limit = shared_limit(name, f"{calls} per {window}", key_func, detail)
    return LimitPolicy(f"{calls} per {window} per {whom}", (limit, network))


def _telemetry() -> LimitPolicy:
    """Per address, or per end user of a delegating key under a cap over the key."""
    too_many = "Too many requests came from this address in this minute."
    policy = _per("address", _reader, "telemetry", TELEMETRY_CALLS, "minute", too_many)
    cap = shared_limit(
        "delegated-telemetry",
        f"{DELEGATED_TELEMETRY} per minute",
        _key,
        "Too many requests came from the end users of this key in this minute.",
        exempt_when=names_no_end_user,
    )
    summary = f"{policy.summary}, or per end user of a delegating key that names one"
    return LimitPolicy(summary, (*policy.limits, cap))


def _registration() -> LimitPolicy:
    detail = (
        "Too many keys were registered from this address today, or are held by this email. Use or revoke one of them, "
        "or try again after 00:00 UTC."
    )
    return _per("address", by_address, "registration", 10, "day", detail)


def _beside_quota(policy: LimitPolicy, sentence: str, *, answer_first: bool = False) -> LimitPolicy:
    """The day's quota, and a limit for requests that it does not count."""
    summary = f"{DAILY.summary}; {sentence}, {policy.summary}"
    return LimitPolicy(summary, (*policy.limits, *DAILY.limits), answer_first)


UNLIMITED = LimitPolicy("", ())
DAILY = _daily()
UNDERSTANDING = _per("caller", _caller, "understanding", 60, "minute", "Too many questions were sent in this minute.")
DOCUMENTS = _per("caller", _caller, "documents", TELEMETRY_CALLS, "minute", "Too many requests came in this minute.")
CHALLENGES = _per(
    "caller", _caller, "challenges", 3, "day", "Three challenges were created today; try again after 00:00 UTC."
)
REGISTRATION = _registration()
LIMITS: Mapping[str, LimitPolicy] = {
    "daily": DAILY,
    "understanding": UNDERSTANDING,
    "questions": _beside_quota(UNDERSTANDING, "refused questions included"),
    "documents": _beside_quota(DOCUMENTS, "answers of 304 and to HEAD included", answer_first=True),
    "telemetry": _telemetry(),
    "registration": REGISTRATION,
    "votes": _per("caller", _caller, "votes", 60, "hour", "Too many votes were cast in this hour."),
    "webhooks": _per("caller", _caller, "webhooks", 60, "hour", "Webhooks were changed or tested too often this hour."),
    "challenges": LimitPolicy(
        f"{CHALLENGES.summary}; refused questions included, {UNDERSTANDING.summary}",
        (*UNDERSTANDING.limits, *CHALLENGES.limits),
    ),
}
