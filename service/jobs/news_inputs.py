"""What the news seat learns and forecasts from: the inputs that stored headlines give."""

from __future__ import annotations

from service.forecasting.news.series import news_tracks
from service.forecasting.voters.news_track import NewsTrack
from service.jobs.job import JobContext
from service.market.instants import DAY
from service.store import headlines

LOOK_BACK_S = 14 * DAY  # longer than any look-back of the pulse and of the inputs


def tracks(job_context: JobContext, since: int, until: int) -> dict[str, NewsTrack]:
    """The news inputs of every asset from `since` to the world second `until`; none before 30 days are stored."""
    with job_context.database.reading() as db:
        first = headlines.first_at(db)
        recent = headlines.since(db, since - LOOK_BACK_S) if first is not None else []
    return {} if first is None else news_tracks(recent, first, since, until)
