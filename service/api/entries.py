"""What callers enter on a market: a vote, which may be changed, or forecasts, to which the ledger commits."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field, field_validator
from sqlalchemy import Connection

from service.api.auth import Caller
from service.api.inputs import Body
from service.errors import InvalidRequest, ResourceNotFound, VotingClosed
from service.forecasting.predictions import SALT_BYTES, Prediction
from service.forecasting.predictions.commitments import forecast_row
from service.forecasting.predictions.documents import user_votes
from service.forecasting.predictions.market_fields import UserVotes
from service.forecasting.predictions.scores import market_forecasts
from service.market.instants import iso, unix, utc
from service.store import forecasts, ledger, predictions
from service.store import listings as stored
from service.store.listings import Tally
from service.store.pages import ID

CountsIn = Literal["opening", "time_weighted"]

Side = Literal["yes", "no"]
MOST_FORECASTS = 200  # in one list


class UserVote(Body):
    """A caller's vote."""

    vote: Side


@dataclass(frozen=True)
class Voted:
    """A vote as it counts from now on, and the tally of all callers; `voted_at` is world time."""

    market_id: str
    vote: Side
    voted_at: datetime
    user_votes: UserVotes


class NewForecast(Body):
    """A caller's probability of YES."""

    p_yes: float = Field(ge=0.001, le=0.999, description="P(YES) from 0.001 to 0.999", examples=[0.62])


class MarketProbability(NewForecast):
    """A caller's probability of YES of a market."""

    market_id: str = Field(min_length=1, max_length=96, description="the `id` of a market", examples=["daily-btc-up"])


class ForecastList(Body):
    """Forecasts of several markets, one of each."""

    forecasts: list[MarketProbability] = Field(
        min_length=1, max_length=MOST_FORECASTS, examples=[[{"p_yes": 0.62, "market_id": "daily-btc-up"}]]
    )

    @field_validator("forecasts")
    @classmethod
    def _each_market_once(cls, forecasts: list[MarketProbability]) -> list[MarketProbability]:
        if len({forecast.market_id for forecast in forecasts}) < len(forecasts):
            raise ValueError("must name each market once")
        return forecasts


@dataclass(frozen=True)
class RecordedForecast:
    """A forecast as it stands from now on; `forecast_at` is world time.

    Row `seq` of the ledger, with the hash `hash`, holds the `commitment` and nothing else of it: the SHA-256 of the
    canonical JSON of `forecaster`, `market` (the id), `p_yes` and `salt`. `forecaster` is your id in the ledger.
    `counts_in` are the scores in which it counts while it is your last one, unless the market is settled early; none
    before you have a name, none on a challenge, which a caller has asked, and none on a market that the first start
    opened for a past instant, whose votes are no commitments. /docs/scoring has the rules.
    """

    market_id: str
    p_yes: float
    forecast_at: datetime
    forecaster: str
    seq: int
    hash: str
    commitment: str
    salt: str
    counts_in: tuple[CountsIn, ...]


@dataclass(frozen=True)
class ForecastResult:
    """What became of one forecast of a list: `recorded`, or `code` and `detail` of the refusal of this one alone."""

    market_id: str
    recorded: RecordedForecast | None
    code: str | None
    detail: str | None


@dataclass(frozen=True)
class ForecastResults:
    """The result of each forecast of a list, in its order; `count` of them were recorded."""

    count: int
    results: tuple[ForecastResult, ...]


def find_listed(db: Connection, id: str) -> Prediction:
    """The market or challenge with this id; raises ResourceNotFound."""
    market = predictions.find_prediction(db, id) if ID.fullmatch(id) else None
    if market is None or market.category == "answer":
        raise ResourceNotFound("No market or challenge has this id; /api/v1/markets lists them.")
    return market


def check_open(market: Prediction, now: int, activity: Literal["Voting", "Forecasting"]) -> None:
    """Raise VotingClosed unless callers may still vote on a market, or forecast it, at the world second `now`."""
    if market.settlement:
        raise VotingClosed(f"This market was settled at {iso(market.settlement.resolved_at)}.")
    if now >= market.closes_at:
        raise VotingClosed(f"{activity} closed at {iso(market.closes_at)}.")


def cast(db: Connection, market: Prediction, vote: Side, caller: Caller, now: int) -> Voted:
    """Store a caller's vote in place of an earlier one; raises VotingClosed once voting has closed."""
    check_open(market, now, "Voting")
    stored.cast_vote(db, market.id, caller.voter, vote == "yes", now)
    tally = stored.vote_tallies(db, [market.id]).get(market.id, Tally())
    return Voted(market.id, vote, utc(now), user_votes(*tally))


def record(db: Connection, market_id: str, p_yes: float, caller: Caller, now: int) -> RecordedForecast:
    """Store a caller's forecast beside the earlier ones, and commit to it in the ledger.

    Raises ResourceNotFound, InvalidRequest where no price settles the market, and VotingClosed. The ledger is locked
    first, so that a settlement comes before the market is read here, or after the forecast is stored.
    """
    ledger.lock(db)
    market = find_listed(db, market_id)
    market_forecasts.check_forecastable(market)
    check_open(market, now, "Forecasting")
    forecaster = forecasts.forecaster_id(db, caller.id, secrets.token_hex(16), now)
    salt = secrets.token_hex(SALT_BYTES)
    (entry,) = ledger.append(db, [forecast_row(market.id, forecaster, p_yes, salt)], now)
    at = unix(entry.recorded_at)
    check_open(market, at, "Forecasting")
    forecasts.add_forecast(db, market_forecasts.MarketForecast(entry.seq, market.id, forecaster, at, p_yes, salt))
    counts_in: tuple[CountsIn, ...] = ()
    if market_forecasts.is_counted(market) and forecasts.counts_since(db, caller.id) is not None:
        counts_in = ("opening", "time_weighted") if at < market_forecasts.opening_until(market) else ("time_weighted",)
    return RecordedForecast(
        market_id=market.id,
        p_yes=p_yes,
        forecast_at=utc(at),
        forecaster=forecaster,
        seq=entry.seq,
        hash=entry.hash,
        commitment=entry.body["commitment"],
        salt=salt,
        counts_in=counts_in,
    )


def record_all(
    db: Connection, forecasts: Iterable[MarketProbability], caller: Caller, now: int
) -> Iterator[ForecastResult]:
    """Store each forecast as `record` does; one that is refused leaves nothing behind and does not stop the others."""
    for forecast in forecasts:
        try:
            with db.begin_nested():
                entry = record(db, forecast.market_id, forecast.p_yes, caller, now)
            yield ForecastResult(forecast.market_id, entry, None, None)
        except (ResourceNotFound, InvalidRequest, VotingClosed) as refusal:
            yield ForecastResult(forecast.market_id, None, refusal.code, refusal.detail)
