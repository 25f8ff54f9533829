"""When a failed delivery is tried again, and when its endpoint is paused."""

from __future__ import annotations

from service.market.instants import DAY, HOUR

FIRST_RETRY_S = 5
LONGEST_RETRY_S = 2 * HOUR
# An endpoint that has accepted nothing for this long is paused.
PATIENCE_S = DAY
# With this status an endpoint says that it wants no more.
GONE = 410


def retry_after(attempts: int, jitter: float) -> float:
    """Seconds until the next attempt after `attempts` failed ones; `jitter` in 0-1 takes off up to a fifth."""
    longest = min(FIRST_RETRY_S * 3 ** min(attempts - 1, 10), LONGEST_RETRY_S)
    return longest * (1 - 0.2 * jitter)


def pause_reason(status: int | None, failing_since: float, now: float) -> str | None:
    """Why an endpoint is paused after a failed attempt; None while it is tried again."""
    if status == GONE:
        return "The endpoint answered 410 Gone."
    if now - failing_since >= PATIENCE_S:
        return "The endpoint accepted no delivery for 24 hours."
    return None
