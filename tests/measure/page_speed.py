"""How long a page takes: 100 resolved markets out of 100,000, at the first and at the last cursor, and 10,000 bars."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter
from sqlalchemy import make_url, text

from service.forecasting.predictions.documents import PredictionsDocument, list_all, predictions_document
from service.market.prices import candles_json
from service.store import bars as stored_bars
from service.store import listings, predictions
from service.store.database import Database
from service.store.listings import MarketSelection
from tests.conftest import POSTGRESQL, schema_of_its_own
from tests.forecasting.markets import MONDAY, NAMES, PLAIN_HEADER, days, settled
from tests.measure.servers import Figure
from tests.store.test_bars import walk

MARKETS, AT_ONCE, LIMIT, ROUNDS = 100_000, 2_000, 100, 25
BARS, FINE_STEP = 10_000, 300
NOW = days(10_000)
ASSETS = ("btc", "eth", "sol", "bnb", "xrp", "gold", "silver")
KINDS = ("up", "close_above", "close_below", "touch_above", "touch_below", "between", "move", "relative")
SELECTION = MarketSelection("resolved", asset="btc")
PAGE = TypeAdapter(PredictionsDocument)


def figures(data: Path) -> list[Figure]:
    """The median time from the selection to the JSON of a page, on both databases."""
    postgresql = make_url(POSTGRESQL).set(drivername="postgresql+psycopg")
    with ExitStack() as stack:
        urls = {
            "SQLite": f"sqlite:///{data}/pages.sqlite",
            "PostgreSQL": stack.enter_context(schema_of_its_own(postgresql)),
        }
        return [figure for name, url in urls.items() for figure in timed(name, url)]


def timed(name: str, url: str) -> Iterator[Figure]:
    """The times of the pages of a database."""
    with closing(Database(url)) as database:
        database.migrate()
        yield _bars_figure(name, database)
        _fill(database)
        gc.collect()
        gc.freeze()  # as the service does once it has started
        last = _last_cursor(database)
        yield from [
            Figure(
                f"page of {LIMIT} of {MARKETS:,} resolved, {name}, {place} cursor, {votes} votes", took, "ms", 20, False
            )
            for place, cursor in (("first", None), ("last", last))
            for votes in ("no", "all")
            for took in [statistics.median(_time(database, cursor, votes == "all") for _ in range(ROUNDS))]
        ]


def _bars_figure(name: str, database: Database) -> Figure:
    """The median time from the selection to the JSON of a page of bars."""
    with database.writing() as db:
        stored_bars.add_bars(db, "btc", walk(MONDAY + FINE_STEP * np.arange(5 * BARS), FINE_STEP))
    took = statistics.median(_time_bars(database) for _ in range(ROUNDS))
    return Figure(f"page of {BARS:,} bars, {name}", took, "ms", 40, False)


def _time_bars(database: Database) -> float:
    began = time.perf_counter()
    since = MONDAY + BARS * FINE_STEP
    with database.reading() as db:
        page = stored_bars.first_bars(db, "btc", since, NOW, FINE_STEP, BARS + 1, stored_step=FINE_STEP)
    candles_json("btc", "5m", page[:BARS], world="simulated", source="made", next=None)
    return 1000 * (time.perf_counter() - began)


def _fill(database: Database) -> None:
    dice = random.Random(1)
    for start in range(0, MARKETS, AT_ONCE):
        markets = [
            settled(
                f"market-{number:06}",
                dice.choice(("yes", "no")),
                asset=dice.choice(ASSETS),
                comparator=dice.choice(KINDS),
                opened=MONDAY + 600 * number,
                p=dice.random(),
                votes={voter: dice.random() for voter in NAMES},
            )
            for number in range(start, start + AT_ONCE)
        ]
        with database.writing() as db:
            predictions.add_predictions(db, markets)
    if database.dialect == "postgresql":
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.execute(
                text("VACUUM ANALYZE prediction, prediction_vote, odds")
            )  # as the server does by itself in a while


def _last_cursor(database: Database) -> str | None:
    """The cursor of the last whole page."""
    cursor = None
    with database.reading() as db:
        while following := listings.market_page(db, SELECTION, NOW, 1_000, cursor=cursor, with_votes=False)[1]:
            cursor = following
    return cursor


def _time(database: Database, cursor: str | None, with_votes: bool) -> float:
    began = time.perf_counter()
    with database.reading() as db:
        markets, following = listings.market_page(db, SELECTION, NOW, LIMIT, cursor=cursor, with_votes=with_votes)
        tallies = listings.vote_tallies(db, [market.id for market in markets])
        opinions = listings.latest_opinions(db, [market.id for market in markets if market.settlement is None])
    rows = list_all(markets, tallies=tallies, prices={}, opinions=opinions, now=NOW)
    PAGE.dump_json(predictions_document(rows, PLAIN_HEADER, following))
    return 1000 * (time.perf_counter() - began)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        print(*figures(Path(folder)), sep="\n")
