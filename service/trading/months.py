"""Calendar months of UTC, written `YYYY-MM`."""

from __future__ import annotations

from datetime import UTC, datetime

from service.market.instants import DAY, utc


def begins(month: str) -> int:
    """The unix second at which the month `YYYY-MM` begins."""
    return int(datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC).timestamp())


def ends(month: str) -> int:
    """The unix second at which the month `YYYY-MM` is over, which is the first of the next."""
    return begins(month_of(begins(month) + 31 * DAY))


def month_of(instant: int) -> str:
    """The month of a unix second, `YYYY-MM`."""
    return utc(instant).strftime("%Y-%m")


def closed_months(since: int, until: int) -> list[str]:
    """The months with at least one whole day between two unix seconds that were over by the second, oldest first."""
    months = []
    month = month_of(-(-since // DAY) * DAY)
    while ends(month) <= until:
        months.append(month)
        month = month_of(ends(month))
    return months


def month_before(month: str) -> str:
    """The month before a month."""
    return month_of(begins(month) - DAY)
