"""The history of the live world: hourly bars of all assets newest first, then short ones where an answer needs them."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from service.jobs.job import Effects, JobContext
from service.jobs.tick import fetch, keep, latest, publish
from service.market.coverage import Span, gap, merged
from service.market.instants import DAY, HOUR
from service.store import bars

EVERY_S = 10
# The span requested at a time: what one call returns within its deadline.
HOURLY_PIECE_S = 60 * DAY
SHORT_PIECE_S = 2 * DAY


def is_wanted(db: Connection, job_context: JobContext) -> bool:
    """Whether bars of the past are missing that a source may have."""
    return any(_missing(db, job_context, asset) for asset in job_context.feed.assets)


def history(job_context: JobContext, slot: int) -> Effects:
    """Fetch what is missing piece by piece, all assets in turn; each piece is stored at once, so that progress shows.

    A source that fails is asked again after a pause.
    """
    timer = job_context.panel.timer
    began = timer()

    def now() -> int:
        return slot + int(timer() - began)

    has_arrived = False
    while True:
        with job_context.database.reading() as db:
            missing = {asset: _missing(db, job_context, asset, now()) for asset in job_context.feed.assets}
        due = {asset: part for asset, part in missing.items() if part}
        arrived = [_piece(job_context, asset, *part, now, len(due)) for asset, part in due.items()]
        if not any(arrived):
            return lambda db: publish(db, job_context, now()) if has_arrived else None
        has_arrived = True


def _piece(job_context: JobContext, asset: str, step: int, span: Span, now: Callable[[], int], assets: int) -> bool:
    """Fetch and store the newest piece of a missing span, of so many assets; False where the source failed."""
    piece = max(span[0], span[1] - (HOURLY_PIECE_S if step == HOUR else SHORT_PIECE_S)), span[1]
    outcome = (
        fetch(job_context, asset, step, piece, now(), past_of=assets) if span[1] else latest(job_context, asset, now())
    )
    with job_context.database.writing() as db:
        keep(db, job_context, [outcome], now())
    return outcome.bars is not None


def _missing(db: Connection, job_context: JobContext, asset: str, now: int | None = None) -> tuple[int, Span] | None:
    """The length of the missing bars of an asset and their span, which ends at 0 where none were stored yet.

    Those that a source may give at the unix second `now`, or at any time.
    """
    short = job_context.feed.step
    fine, hourly = bars.find_coverage(db, asset, short), bars.find_coverage(db, asset, HOUR)
    if fine is None or hourly is None:
        return None  # the first tick has not come yet
    if not fine.windows:
        return (short, (0, 0)) if fine.is_listed and fine.may_be_asked((0, 1), now) else None
    for step, part, windows in ((short, fine, fine.windows), (HOUR, hourly, merged((*hourly.windows, *fine.windows)))):
        if (span := gap(windows, part.wanted_from)) and part.may_be_asked(span, now):
            return step, span
    return None
