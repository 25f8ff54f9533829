"""Calendar months in UTC, written `YYYY-MM`."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from service.market.instants import DAY, utc


def month_of(instant: int) -> str:
    """The month of a unix second, `YYYY-MM`."""
    return utc(instant).strftime("%Y-%m")


def begins(month: str) -> int:
    """The unix second at which the month `YYYY-MM` begins."""
    return int(datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC).timestamp())


def ends(month: str) -> int:
    """The unix second at which the month `YYYY-MM` ends, which is the first of the next month."""
    return begins(month_of(begins(month) + 31 * DAY))


def month_before(month: str) -> str:
    return month_of(begins(month) - DAY)


def month_start(instant: int) -> int:
    """The unix second at which the month of a unix second began."""
    return begins(month_of(instant))


def month_starts(since: int, until: int) -> list[int]:
    """The unix seconds in [since, until) at which a month begins, oldest first."""
    # The month 31 days after `until` is a later one, so that the range, which leaves it out, has that of `until`.
    months = np.arange(month_of(since), month_of(until + 31 * DAY), dtype="datetime64[M]")
    starts = months.astype("datetime64[s]").astype(np.int64)
    return starts[(starts >= since) & (starts < until)].tolist()


def closed_months(since: int, until: int) -> list[str]:
    """The months with at least one whole day after `since` that ended by `until`, both unix seconds, oldest first."""
    first = month_start(-(-since // DAY) * DAY)
    return [month_of(start) for start in month_starts(first, until) if ends(month_of(start)) <= until]
