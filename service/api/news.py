"""The sentiment of the headlines."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api.encoding import document
from service.api.operations import operation
from service.api.snapshots import latest
from service.forecasting.news.document import NewsDocument

news = Blueprint("news", __name__, url_prefix="/api/predictions")

MAX_AGE_S = 30


@news.get("/news-pulse")
@operation(tag="Intelligence", limit="telemetry", returns=NewsDocument, cached=True)
def pulse() -> Response:
    """The sentiment of the last day's headlines: a score from -1 to 1, its direction and its topics.

    The document is renewed every hour. `score` is the mean tone of `n` unique stories: a story that is `half_life_h`
    hours old counts half, and few stories draw the score towards 0. The direction is NEUTRAL within 0.10 of 0. `topics`
    are words more frequent in the stories of the last day than in those of the week before; `lift` is the ratio of
    their odds. Headlines marked `simulated` are generated from the prices of the simulated market. `failed` names
    each source without headlines and the reason.
    """
    return document(latest("news-pulse"), max_age=MAX_AGE_S)
