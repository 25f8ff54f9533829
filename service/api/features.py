"""The inputs of the voters at each committed vote, for research and for verification."""

from __future__ import annotations

from flask import Blueprint, Response
from pydantic import Field

from service.api.encoding import BodyBytes, document
from service.api.operations import operation
from service.api.pages import WindowQuery, link
from service.api.services import services
from service.errors import ResourceNotFound
from service.forecasting.predictions.commitments import FeaturesDocument, FeaturesRow, features_json, row_json
from service.market.assets import AssetCode
from service.market.instants import DAY
from service.store import cursors
from service.store import vote_inputs as stored
from service.store.cursors import ID, PageKey

features = Blueprint("features", __name__, url_prefix="/api/v1/features")

MAX_AGE_S = 30


class FeaturesQuery(WindowQuery):
    """Which inputs."""

    asset: AssetCode | None = Field(None, description="inputs of questions about one asset alone")


@features.get("")
@operation(tag="Predictions", limit="telemetry", returns=FeaturesDocument, cached=True)
def page(query: FeaturesQuery) -> Response:
    """The inputs of the voters at every committed vote, the oldest first, page by page.

    A row holds what the embedded engines read of a question's assets, once for all markets and challenges that were
    voted on from it; `features` of a market or challenge, and of its `votes` row in the ledger, is the `hash` of its
    row. `hash` is the SHA-256 of the canonical JSON of `inputs`, which is sent as that very text, so anybody can check
    that the votes were made from these inputs: `python -m service.ledger verify --features` does. `voted_at` is the
    instant of the first of those votes. `voters` names what each voter reads of a context, and the inputs that the
    calendar gives: they depend on the horizon of the question alone.
    """
    parts = services()
    scope, (since, until) = query.scope("features", query.asset or ""), query.span(parts.clock.at(parts.now()))
    with parts.database.reading() as db:
        rows = stored.page(db, query.asset, since, until, query.limit + 1, query.after(scope))
    next = cursors.following(scope, [PageKey(row.voted_at, row.hash) for row in rows], query.limit)
    link(next)
    body = features_json(rows[: query.limit], world=parts.clock.world, next=next)
    return document(BodyBytes(body), max_age=MAX_AGE_S)


@features.get("/<hash>")
@operation(tag="Predictions", limit="telemetry", returns=FeaturesRow, cached=True, raises=(ResourceNotFound,))
def entry(hash: str) -> Response:
    """The inputs of one vote, by the hash that the ledger holds as `features`."""
    with services().database.reading() as db:
        row = stored.find(db, hash) if ID.fullmatch(hash) else None
    if row is None:
        raise ResourceNotFound("No inputs of votes on a market or a challenge have this hash.")
    return document(BodyBytes(row_json(row)), max_age=DAY, is_final=True)
