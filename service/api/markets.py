"""Markets as documents: a page of a selection, and one market whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.api.auth import Caller, KeyHolder
from service.api.services import services
from service.api.snapshots import find, latest
from service.documents import DocumentHeader
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.documents import (
    EvidenceBars,
    ListedMarket,
    MarketDocument,
    MarketVote,
    OwnForecast,
    PredictionsDocument,
    evidence_bars,
    list_all,
    market_document,
    predictions_document,
)
from service.market.assets import LONGEST_CLOSURE_S
from service.market.instants import HOUR, iso, unix
from service.store import bars, forecasts, ledger, market_pages, opinions, predictions, user_votes
from service.store.market_pages import MarketSelection
from service.store.prices import by_asset, read
from service.store.snapshots import Snapshot

# Of one market: votes, odds, resolution, score and corrections.
MOST_ROWS = 100


@dataclass(frozen=True)
class ListHeader(DocumentHeader):
    """The header of the stored list of open markets, and the cursor of its next page."""

    next: str | None = None


_HEADER = TypeAdapter(ListHeader)


@lru_cache(maxsize=2)
def list_header(snapshot: Snapshot) -> ListHeader:
    """The header of a stored list, which is read once."""
    return _HEADER.validate_json(snapshot.body)


def page(selection: MarketSelection, limit: int, cursor: str | None, *, with_votes: bool) -> PredictionsDocument:
    """A page of markets as of the stored list, so that it changes as seldom; raises what `market_pages.page` raises."""
    header = {name: vars(list_header(latest("predictions")))[name] for name in DocumentHeader.__dataclass_fields__}
    now = unix(header["timestamp"])
    with services().database.reading() as db:
        selected = market_pages.page(db, selection, now, limit, cursor=cursor, with_votes=with_votes)
        listed = _listed(db, selected.markets, now, with_votes=with_votes)
    return predictions_document(listed, DocumentHeader(**header), selected.following)


def _listed(db: Connection, markets: Sequence[Prediction], now: int, *, with_votes: bool = True) -> list[ListedMarket]:
    """The markets as they are published at the world second `now`."""
    ids = [market.id for market in markets]
    tallies = user_votes.tallies(db, ids)
    unread = None if with_votes else predictions.probabilities(db, ids)
    held = opinions.latest(db, [market.id for market in markets if market.settlement is None])
    snapshot = find("prices")
    prices = by_asset(read(snapshot) if snapshot else None)
    return list_all(markets, tallies=tallies, prices=prices, opinions=held, now=now, probabilities=unread)


def whole(db: Connection, market: Prediction, caller: Caller, now: int) -> MarketDocument:
    """Everything about a market at the world second `now`, with the caller's vote and forecast."""
    (listed,) = _listed(db, [market], now)
    return market_document(
        listed,
        opinions.series(db, market.id),
        _evidence(db, market),
        ledger.entries(db, 1, MOST_ROWS, subject=market.id),
        _own_vote(db, market, caller),
        _own_forecast(db, market, caller),
    )


def _evidence(db: Connection, market: Prediction) -> list[EvidenceBars]:
    """The hourly bars that settled a market, of each of its assets."""
    settlement = market.settlement
    if settlement is None or market.resolver != "bars":
        return []
    since = market.created_at - LONGEST_CLOSURE_S
    return [
        evidence_bars(market, asset, bars.load(db, asset, since, settlement.resolved_at, HOUR))
        for asset in market.question.assets
    ]


def _own_vote(db: Connection, market: Prediction, caller: Caller) -> MarketVote | None:
    if not isinstance(caller, KeyHolder):
        return None
    own = user_votes.find(db, market.id, caller.id)
    return own and MarketVote("yes" if own.is_yes else "no", iso(own.voted_at))


def _own_forecast(db: Connection, market: Prediction, caller: Caller) -> OwnForecast | None:
    own = forecasts.last(db, market.id, caller.id) if isinstance(caller, KeyHolder) else None
    return own and OwnForecast(own.p, iso(own.at), own.seq, own.salt)
