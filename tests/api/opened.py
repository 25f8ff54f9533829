"""Prices, markets and challenges as the jobs store them, for tests of the web."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flask import Flask
from flask.testing import FlaskClient

from service.api.responses import document
from service.api.services import latest
from service.documents import DocumentHeader, RecordHeader
from service.forecasting.predictions import Commitment, LedgerPosition, Odds, Prediction, Settlement
from service.forecasting.predictions.commitments import votes_row
from service.forecasting.predictions.documents import predictions_document
from service.forecasting.predictions.scores import forecasters
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.voters.ballots import EMBEDDED, Abstention
from service.forecasting.voters.context import Context
from service.forecasting.voters.panel import VOTERS
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR, iso, utc
from service.market.prices import describe
from service.questions.canonical import canonical
from service.questions.question import Question
from service.store import bars, ledger, predictions, snapshots
from service.store.database import Database
from service.store.pages import contexts
from service.trading.fund import FundDocument, fund_document, run
from tests.api.conftest import NOON
from tests.api.web import STEP
from tests.forecasting.made import Scripted, committed_vote, made_bars, market_of
from tests.market.coverages import whole

SPOTS = {"btc": 50_000.0, "gold": 2_000.0, "sol": 150.0}
NAMES = ("momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "garch", "sv")


def header(as_of: int = NOON) -> DocumentHeader:
    """What a document of `as_of` says of itself."""
    return DocumentHeader(iso(as_of), iso(as_of), iso(as_of + 900), "simulated", {"btc": "made"})


def record_header() -> RecordHeader:
    """The header of a document that follows from the ledger."""
    return RecordHeader(**vars(header()), ledger_seq=0)


def tell_prices(database: Database, *assets: str, as_of: int = NOON) -> None:
    """Store the document of prices of these assets, by default of three: all 2 % above yesterday's."""
    hours = range(as_of - 26 * HOUR, as_of, HOUR)
    series = {
        asset: from_rows([(time, *[spot if time == hours[-1] else spot / 1.02] * 4, 1.0) for time in hours], HOUR)
        for asset, spot in SPOTS.items()
        if asset in (assets or SPOTS)
    }
    coverage, sources = whole(series, as_of), dict.fromkeys(series, "made")
    document = describe(series, coverage, made_at=as_of, world="simulated", ended=False, sources=sources)
    with database.writing() as db:
        snapshots.publish(db, as_of, {"prices": document})


def market(id: str = "daily-btc-up-20270116", created_at: int = NOON, **fields) -> Prediction:
    """Whether bitcoin will be above 51,000 USD a day later."""
    question = Question(
        text="Will Bitcoin be above 51,000 USD tomorrow?",
        asset="btc",
        comparator="close_above",
        deadline=utc(created_at + DAY),
        horizon_hours=24.0,
        spot=SPOTS["btc"],
        polarity="bull",
        level=51_000.0,
    )
    prediction = market_of(replace(question, canonical=canonical(question)), id, opened=created_at)
    return replace(prediction, **{"rule": "YES if the last price at the deadline is above 51,000 USD"} | fields)


def commitment(at: int = NOON, p: float = 0.6, names: tuple[str, ...] = NAMES) -> Commitment:
    """Votes of one mind."""
    votes = tuple(committed_vote(name, p, reasoning=f"{name} says so") for name in names)
    return Commitment(at, at, p, votes, {"prophet": "is not here"}, "0" * 64, None)


def odds(at: int = NOON, p: float = 0.5) -> Odds:
    """What the simulated outside market gave."""
    return Odds("simulated", "sim-1", None, p, p - 0.01, p + 0.01, 5_000.0, at)


def open_market(database: Database, prediction: Prediction) -> Prediction:
    with database.writing() as db:
        predictions.add_predictions(db, [prediction])
    return prediction


def let_vote(database: Database, prediction: Prediction, votes: Commitment) -> ledger.ChainEntry:
    """Commit votes as the job does, and return their row of the ledger."""
    with database.writing() as db:
        (entry,) = ledger.append(db, [votes_row(prediction, votes)], votes.voted_at)
        assert predictions.add_commitment(db, prediction.id, votes, LedgerPosition(entry.seq, entry.hash))
    return entry


def settle(database: Database, prediction: Prediction, outcome: str, at: int) -> None:
    settlement = Settlement(outcome, at, "the last price was 50,500.00", "bars")
    with database.writing() as db:
        assert predictions.add_settlement(db, prediction.id, settlement)


def tell_list(database: Database) -> None:
    """Publish an empty list of open markets, as of noon."""
    with database.writing() as db:
        documents = {name: predictions_document([], header()) for name in ("predictions", "markets")}
        snapshots.publish(db, NOON, documents)


def walk(client: FlaskClient, path: str | None, rows: str) -> list[dict]:
    """The rows of every page, from the links alone."""
    listing = []
    while path:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        listing += answer.json[rows]
        assert answer.json.get("count", len(answer.json[rows])) == len(answer.json[rows])
        path = answer.headers["Link"].split(">")[0][1:] if answer.json["next"] else None
    return listing


PATH = "/api/v1/document"
BODY = b'{"schema": "document/1", "text": "' + b"again and " * 100 + b'"}'


def add_document(app: Flask, database: Database) -> None:
    """Store BODY and serve it at PATH."""
    with database.writing() as db:
        snapshots.publish(db, 1, {"document": BODY})
    app.add_url_rule(PATH, "document", lambda: document(latest("document"), max_age=30))


QUESTION = "Will Bitcoin be above 55,000 USD on 20 January 2027?"


# The nine, of which the news seat abstains.
SILENT = Scripted("news", Abstention("There is no news."), engine=EMBEDDED)
EIGHT = [SILENT if voter.name == "news" else voter for voter in VOTERS]


def observe(database: Database, at: int = NOON) -> None:
    """Store a bar of bitcoin that was complete at `at`, and its context: enough for plain volatility."""
    spot = SPOTS["btc"]
    context = Context("btc", at, spot, 200.0, 1e-5, 1e-5, inputs={}, correlations={})
    with database.writing() as db:
        contexts.save(db, "btc", context.to_plain(), as_of=at)
        bars.add_bars(db, "btc", from_rows([(at - STEP, spot, spot, spot, spot, 1.0)], STEP))


def fund() -> FundDocument:
    """Twenty days of the fund, the last two of them live."""
    start = NOON - 20 * DAY
    calls = [(at, 0.45 if place % 2 else 0.55) for place, at in enumerate(range(start, NOON, 4 * HOUR))]
    return fund_document(run(calls, made_bars("btc", 20, 1, start), start), NOON - 2 * DAY, header())


def forecasters_table(markets: Sequence[Prediction] = (), *callers: str) -> forecasters.ForecastersDocument:
    """The table of the service's own forecasters in these markets, and of these callers."""
    questions = forecasters.counted_markets(columns_of(markets))
    rows = [(name, "0af3", forecasters.record_of({}, questions)) for name in callers]
    return forecasters.forecasters_document(rows, len(rows), forecasters.own_entries(questions), record_header())
