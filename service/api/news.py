"""The sentiment of the headlines."""

from __future__ import annotations

from flask import Blueprint, Response

from service.api.encoding import document
from service.api.operations import operation
from service.api.pages import WindowQuery, page
from service.api.services import services
from service.api.snapshots import latest
from service.forecasting.news.pulse import HeadlinesDocument, NewsDocument, headlines_document
from service.store import cursors
from service.store import headlines as stored
from service.store.cursors import PageKey

news = Blueprint("news", __name__, url_prefix="/api")

MAX_AGE_S = 30


@news.get("/predictions/news-pulse")
@operation(tag="Intelligence", limit="telemetry", returns=NewsDocument, cached=True)
def pulse() -> Response:
    """The sentiment of the last day's headlines: a score from -1 to 1, its direction and its topics.

    The document is renewed every hour. `score` is the mean tone of `n` unique stories: a story that is `half_life_h`
    hours old counts half, and few stories draw the score towards 0. The direction is NEUTRAL within 0.10 of 0. `topics`
    are words more frequent in the stories of the last day than in those of the week before (`topics_basis` is
    `rising`); `lift` is the ratio of their odds. While no word is, they are the assets named most often (`frequent`).
    Headlines marked `simulated` are generated from the prices of the simulated market. `failed` names
    each source without headlines and the reason.
    """
    return document(latest("news-pulse"), max_age=MAX_AGE_S)


@news.get("/v1/headlines")
@operation(tag="Intelligence", limit="telemetry", returns=HeadlinesDocument, cached=True)
def headlines(query: WindowQuery) -> Response:
    """The headlines of the last 200 days with their tone and the assets they name, newest first, page by page.

    Every headline is listed, also where several tell the same story. `simulated` ones are generated from the prices of
    the simulated market.
    """
    parts = services()
    scope, (since, until) = query.scope("headlines"), query.span(parts.clock.at(parts.now()))
    with parts.database.reading() as db:
        scored = stored.newest(db, since, until, query.limit + 1, query.after(scope))
    keys = [PageKey(each.headline.published_at, each.headline.id) for each in scored]
    next = cursors.following(scope, keys, query.limit)
    return page(headlines_document(scored[: query.limit], world=parts.clock.world, next=next), next, MAX_AGE_S)
