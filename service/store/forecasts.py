"""Forecasters with their names and records, their forecasts of markets, and the service's own forecasts of prices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from typing import NamedTuple

from sqlalchemy import Connection, Row, and_, bindparam, delete, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from service import canonical
from service.documents import adapter
from service.errors import NameTaken
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.forecasters import ForecasterRecord
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, MarketForecastScore, score_forecasts
from service.forecasting.price_record.committed import PriceForecast
from service.store import predictions
from service.store.database import add_rows, is_among
from service.store.keys import is_of_key
from service.store.tables import forecast, forecast_score, forecaster, prediction, price_forecast


class NamedForecaster(NamedTuple):
    """A forecaster with a public name; `record` is None before it is computed."""

    id: str
    name: str
    record: ForecasterRecord | None


_WITH_NAME = select(forecaster.c.id, forecaster.c.name, forecaster.c.record).where(forecaster.c.name.is_not(None))


def forecaster_id(db: Connection, caller: str, new_id: str, now: int) -> str:
    """The id of a caller, which is `new_id` from its first forecast or name on."""
    add_rows(db, forecaster, [{"id": new_id, "caller": caller, "created_at": now}])
    return db.execute(select(forecaster.c.id).where(forecaster.c.caller == caller)).scalar_one()


def forecaster_name(db: Connection, caller: str) -> str | None:
    return db.scalar(select(forecaster.c.name).where(forecaster.c.caller == caller))


def other_names(db: Connection, id: str) -> list[str]:
    """The public names of all forecasters but this one."""
    return list(db.scalars(select(forecaster.c.name).where(forecaster.c.name.is_not(None), forecaster.c.id != id)))


def counts_since(db: Connection, caller: str) -> int | None:
    """The row of the ledger after which the forecasts of a caller count; None before the first name."""
    return db.scalar(select(forecaster.c.named_seq).where(forecaster.c.caller == caller))


def count_since(db: Connection, id: str, seq: int) -> None:
    """Count the forecasts of a forecaster after row `seq` of the ledger, where that is of its first name.

    Otherwise one could choose after the outcomes which of many records gets a name.
    """
    is_first = forecaster.c.named_seq.is_(None)
    db.execute(update(forecaster).where(forecaster.c.id == id, is_first).values(named_seq=seq))


def rename_forecaster(db: Connection, caller: str, name: str | None, salt: str | None = None) -> None:
    """Give a forecaster another public name, or none, and the salt of its hash; raises NameTaken if it is taken."""
    values = {"name": name, "name_salt": salt} | ({} if name else {"record": None, "record_at": None})
    try:
        db.execute(update(forecaster).where(forecaster.c.caller == caller).values(values))
    except IntegrityError:
        raise NameTaken(f"Another forecaster is called {name}.") from None


def stored_names(db: Connection) -> list[tuple[str, str | None, str | None, str | None, int | None]]:
    """The id, the caller, the name, its salt and the first row of each forecaster."""
    columns = (forecaster.c[name] for name in ("id", "caller", "name", "name_salt", "named_seq"))
    return [tuple(row) for row in db.execute(select(*columns))]


def forget_forecasters(db: Connection, key_id: str) -> None:
    """Remove what ties forecasters to a key or its end users; their forecasts stay under ids that name nobody."""
    values = dict.fromkeys(("caller", "name", "name_salt", "record", "record_at"))
    db.execute(update(forecaster).where(is_of_key(forecaster.c.caller, key_id)).values(values))


def count_forecasters(db: Connection) -> int:
    """The number of forecasters, with a name or without."""
    return db.scalar(select(func.count()).select_from(forecaster)) or 0


def count_entrants(db: Connection) -> int:
    """The number of forecasters with a score, also those who gave their name up: each could have been shown.

    They are those of whose first name the ledger has a row, so that anybody can count them.
    """
    has_score = exists().where(forecast_score.c.forecaster == forecaster.c.id)
    return db.scalar(select(func.count()).select_from(forecaster).where(forecaster.c.named_seq > 0, has_score)) or 0


def named_forecasters(db: Connection) -> list[NamedForecaster]:
    """The forecasters with a public name, in the order of their names."""
    return [_named(row) for row in db.execute(_WITH_NAME.order_by(forecaster.c.name))]


def find_forecaster(db: Connection, name: str) -> NamedForecaster | None:
    row = db.execute(_WITH_NAME.where(forecaster.c.name == name)).first()
    return _named(row) if row else None


def outdated_forecasters(db: Connection) -> list[str]:
    """The ids of named forecasters without a record, or with scores since it was computed."""
    is_newer = exists().where(
        forecast_score.c.forecaster == forecaster.c.id, forecast_score.c.resolved_at >= forecaster.c.record_at
    )
    query = select(forecaster.c.id).where(forecaster.c.name.is_not(None), forecaster.c.record_at.is_(None) | is_newer)
    return list(db.scalars(query.order_by(forecaster.c.id)))


def save_record(db: Connection, id: str, record: ForecasterRecord, at: int) -> None:
    """Store the record of a forecaster as of the world second `at`, if it still has a name."""
    row = update(forecaster).where(forecaster.c.id == id, forecaster.c.name.is_not(None))
    db.execute(row.values(record=adapter(ForecasterRecord).dump_json(record).decode(), record_at=at))


def _named(row: Row) -> NamedForecaster:
    record = adapter(ForecasterRecord).validate_json(row.record) if row.record else None
    return NamedForecaster(row.id, row.name, record)


# In the order of the fields of MarketForecast, whose `market` is the column `prediction`.
_COLUMNS = tuple(forecast.c[name] for name in ("seq", "prediction", "forecaster", "at", "p", "salt"))


class SettledForecast(NamedTuple):
    """A revealed forecast and its market; `question` is the JSON of the question."""

    seq: int
    market: str
    at: int
    p: float
    question: str
    outcome: Outcome
    resolved_at: int


def add_forecast(db: Connection, new: MarketForecast) -> None:
    """Store a forecast; earlier ones of the same forecaster stay."""
    db.execute(insert(forecast).values(dict(zip((column.name for column in _COLUMNS), astuple(new), strict=True))))


def market_forecasts(db: Connection, market_id: str) -> list[MarketForecast]:
    """Every forecast of a market, the oldest first."""
    query = select(*_COLUMNS).where(forecast.c.prediction == market_id).order_by(forecast.c.seq)
    return [MarketForecast(*row) for row in db.execute(query)]


def counted_forecasts(db: Connection, market_id: str) -> tuple[dict[str, list[MarketForecast]], set[str]]:
    """The forecasts of a market that count, by forecaster, each the oldest first: those from a name on.

    Then who are peers of the others: those of whose name the ledger has a row, so that anybody can compute the scores.
    """
    query = (
        select(*_COLUMNS, forecaster.c.named_seq)
        .join(forecaster, forecaster.c.id == forecast.c.forecaster)
        .where(forecast.c.prediction == market_id, forecast.c.seq > forecaster.c.named_seq)
        .order_by(forecast.c.seq)
    )
    by_forecaster: dict[str, list[MarketForecast]] = defaultdict(list)
    peers = set[str]()
    for *values, named_seq in map(tuple, db.execute(query)):
        market_forecast = MarketForecast(*values)
        by_forecaster[market_forecast.forecaster].append(market_forecast)
        peers |= {market_forecast.forecaster} if named_seq else set()
    return by_forecaster, peers


def find_forecasts(db: Connection, seqs: Sequence[int]) -> list[MarketForecast]:
    """The forecasts that these rows of the ledger commit to."""
    return [MarketForecast(*row) for row in db.execute(select(*_COLUMNS).where(forecast.c.seq.in_(seqs)))]


def last_forecast(db: Connection, market_id: str, caller: str) -> MarketForecast | None:
    query = (
        select(*_COLUMNS)
        .join(forecaster, forecaster.c.id == forecast.c.forecaster)
        .where(forecast.c.prediction == market_id, forecaster.c.caller == caller)
        .order_by(forecast.c.seq.desc())
        .limit(1)
    )
    row = db.execute(query).first()
    return MarketForecast(*row) if row else None


def settled_forecasts(db: Connection, forecaster_id: str, limit: int) -> list[SettledForecast]:
    """At most `limit` forecasts of a forecaster on settled markets, the newest first."""
    query = (
        select(*(forecast.c[name] for name in ("seq", "prediction", "at", "p")))
        .add_columns(prediction.c.question, prediction.c.outcome, prediction.c.resolved_at)
        .join(prediction, prediction.c.id == forecast.c.prediction)
        .where(forecast.c.forecaster == forecaster_id, prediction.c.outcome.is_not(None))
        .order_by(forecast.c.seq.desc())
        .limit(limit)
    )
    return [SettledForecast(*row) for row in db.execute(query)]


def add_scores(db: Connection, market_id: str, resolved_at: int, scores: Mapping[str, MarketForecastScore]) -> None:
    rows = [
        {"forecaster": id, "prediction": market_id, "resolved_at": resolved_at, **asdict(score)}
        for id, score in scores.items()
    ]
    if rows:
        db.execute(insert(forecast_score), rows)


def score_again(db: Connection) -> None:
    """Store the scores of every settled market, where none are stored."""
    has_forecasts = prediction.c.id.in_(select(forecast.c.prediction))
    ids = db.scalars(select(prediction.c.id).where(prediction.c.outcome.is_not(None), has_forecasts)).all()
    for market in predictions.find_predictions(db, ids):
        if market.settlement:
            scores = score_forecasts(market, *counted_forecasts(db, market.id))
            add_scores(db, market.id, market.settlement.resolved_at, scores)


def find_scores(db: Connection, forecasters: Sequence[str]) -> dict[str, dict[str, MarketForecastScore]]:
    """The scores of these forecasters, each by market."""
    names = ("forecaster", "prediction", *MarketForecastScore.__dataclass_fields__)
    query = select(*(forecast_score.c[name] for name in names))
    scores: dict[str, dict[str, MarketForecastScore]] = defaultdict(dict)
    rows = db.execute(query.where(is_among(forecast_score.c.forecaster, forecasters)))
    for id, market_id, *values in map(tuple, rows):
        scores[id][market_id] = MarketForecastScore(*values)
    return scores


_DELETE = delete(price_forecast).where(
    and_(*(column == bindparam(f"the_{column.name}") for column in price_forecast.primary_key))
)


def add_price_forecasts(db: Connection, forecasts: Iterable[PriceForecast], *, backfilled: bool) -> None:
    """Store forecasts; one that is stored already stays as it is."""
    rows = [
        {
            "at": row.at,
            "asset": row.asset,
            "horizon": row.horizon,
            "deadline": row.deadline,
            "backfilled": backfilled,
            "body": canonical.write([row.price, row.price_as_of, row.law]),
        }
        for row in forecasts
    ]
    add_rows(db, price_forecast, rows)


def due_price_forecasts(db: Connection, until: int) -> list[tuple[PriceForecast, bool]]:
    """The forecasts with a deadline at or before a unix second, the earliest first, and whether they are backfilled."""
    order = (price_forecast.c.deadline, price_forecast.c.at, price_forecast.c.asset)
    forecasts = []
    for row in db.execute(select(price_forecast).where(price_forecast.c.deadline <= until).order_by(*order)):
        price, price_as_of, law = canonical.read(row.body)
        price_law = PriceForecast(row.at, row.asset, row.horizon, price, price_as_of, tuple(law))
        forecasts.append((price_law, row.backfilled))
    return forecasts


def remove_price_forecasts(db: Connection, forecasts: Iterable[PriceForecast]) -> None:
    """Delete forecasts that have been scored or are void."""
    keys = [{"the_at": row.at, "the_asset": row.asset, "the_horizon": row.horizon} for row in forecasts]
    if keys:  # one statement each: PostgreSQL refuses an IN of some 8,000 rows
        db.execute(_DELETE, keys)


def count_price_forecasts(db: Connection) -> dict[tuple[bool, str], int]:
    """The number of waiting forecasts by `backfilled` and horizon."""
    key = (price_forecast.c.backfilled, price_forecast.c.horizon)
    rows = db.execute(select(*key, func.count()).group_by(*key))
    return {(backfilled, horizon): count for backfilled, horizon, count in rows}
