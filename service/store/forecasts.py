"""The forecasts of forecasters, each of which the ledger commits to, and the scores of those that are settled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.forecasters import MarketForecast, MarketForecastScore
from service.store.tables import forecast, forecast_score, forecaster, prediction

_COLUMNS = (
    forecast.c.seq,
    forecast.c.prediction.label("market"),
    forecast.c.forecaster,
    forecast.c.at,
    forecast.c.p,
    forecast.c.salt,
)


class SettledForecast(NamedTuple):
    """A revealed forecast and its market; `question` is the JSON of the question."""

    seq: int
    market: str
    at: int
    p: float
    question: str
    outcome: Outcome
    resolved_at: int


def add(db: Connection, new: MarketForecast) -> None:
    """Store a forecast; earlier ones of the same forecaster stay."""
    row = {("prediction" if name == "market" else name): value for name, value in asdict(new).items()}
    db.execute(insert(forecast).values(row))


def of_market(db: Connection, market_id: str) -> list[MarketForecast]:
    """Every forecast of a market, the oldest first."""
    query = select(*_COLUMNS).where(forecast.c.prediction == market_id).order_by(forecast.c.seq)
    return [MarketForecast(**row._asdict()) for row in db.execute(query)]


def last(db: Connection, market_id: str, caller: str) -> MarketForecast | None:
    """The last forecast of a caller on a market; None without one."""
    query = (
        select(*_COLUMNS)
        .join(forecaster, forecaster.c.id == forecast.c.forecaster)
        .where(forecast.c.prediction == market_id, forecaster.c.caller == caller)
        .order_by(forecast.c.seq.desc())
        .limit(1)
    )
    row = db.execute(query).first()
    return MarketForecast(**row._asdict()) if row else None


def settled(db: Connection, forecaster_id: str, limit: int) -> list[SettledForecast]:
    """At most `limit` forecasts of a forecaster on settled markets, the newest first."""
    query = (
        select(*_COLUMNS[:2], forecast.c.at, forecast.c.p)
        .add_columns(prediction.c.question, prediction.c.outcome, prediction.c.resolved_at)
        .join(prediction, prediction.c.id == forecast.c.prediction)
        .where(forecast.c.forecaster == forecaster_id, prediction.c.outcome.is_not(None))
        .order_by(forecast.c.seq.desc())
        .limit(limit)
    )
    return [SettledForecast(*row) for row in db.execute(query)]


def keep_scores(
    db: Connection, market_id: str, resolved_at: int, scores: Mapping[str, MarketForecastScore | None]
) -> None:
    """Store the scores of the forecasters of a settled market, without those that have none."""
    rows = [
        {"forecaster": id, "prediction": market_id, "resolved_at": resolved_at, **asdict(score)}
        for id, score in scores.items()
        if score
    ]
    if rows:
        db.execute(insert(forecast_score), rows)


def scores_of(db: Connection, forecasters: Sequence[str]) -> dict[str, dict[str, MarketForecastScore]]:
    """The scores of these forecasters, each by market."""
    columns = (forecast_score.c[name] for name in MarketForecastScore.__dataclass_fields__)
    query = select(forecast_score.c.prediction, *columns)
    scores: dict[str, dict[str, MarketForecastScore]] = defaultdict(dict)
    for id in forecasters:
        for row in db.execute(query.where(forecast_score.c.forecaster == id)):
            market_id, *values = list(row)
            scores[id][market_id] = MarketForecastScore(*values)
    return scores
