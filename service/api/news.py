"""The mood of the headlines."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api import examples
from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.forecasting.news.document import NewsDocument

news = Blueprint("news", __name__, url_prefix="/api/predictions")

MAX_AGE_S = 30


@news.get("/news-pulse")
@operation(tag="Intelligence", limit="telemetry", returns=NewsDocument, cached=True, example=examples.NEWS_PULSE)
def pulse() -> Response:
    """What the headlines of the last day say: a score from -1 to 1, its direction, and what they are about.

    Made every hour. `score` is the mean tone of `n` unique stories, one of `half_life_h` hours ago counting half, drawn
    towards 0 while they are few; the direction is NEUTRAL within 0.10 of 0. `topics` are words that more stories of the
    last day hold than of the week before; `lift` is how many times their odds rose. Headlines marked `simulated` were
    written by this service from what its own prices did. `failed` says of each source that gave nothing why.
    """
    return document(latest("news-pulse"), max_age=MAX_AGE_S)
