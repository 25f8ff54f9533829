"""Prices, markets and challenges as the jobs store them, for tests of the web."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from flask import Flask
from flask.testing import FlaskClient
from pydantic import TypeAdapter

from service.api.responses import document
from service.api.services import latest
from service.documents import DocumentHeader
from service.forecasting.predictions import Commitment, LedgerPosition, Odds, Prediction, Settlement
from service.forecasting.predictions.commitments import votes_row
from service.market.bars import from_rows
from service.market.instants import DAY, HOUR, iso, utc
from service.market.prices import describe
from service.questions.canonical import canonical
from service.questions.question import Question
from service.store import ledger, predictions, snapshots
from service.store.database import Database
from tests.api.conftest import NOON
from tests.forecasting.made import committed_vote
from tests.market.coverages import whole

SPOTS = {"btc": 50_000.0, "gold": 2_000.0, "sol": 150.0}
NAMES = ("momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "garch", "sv")


def header(as_of: int = NOON) -> DocumentHeader:
    """What a document of `as_of` says of itself."""
    return DocumentHeader(iso(as_of), iso(as_of), iso(as_of + 900), "simulated", {"btc": "made"})


def tell_prices(database: Database, *assets: str, as_of: int = NOON) -> None:
    """Store the document of prices of these assets, by default of three: all 2 % above yesterday's."""
    hours = range(as_of - 26 * HOUR, as_of, HOUR)
    bars = {
        asset: from_rows([(time, *[spot if time == hours[-1] else spot / 1.02] * 4, 1.0) for time in hours], HOUR)
        for asset, spot in SPOTS.items()
        if asset in (assets or SPOTS)
    }
    document = describe(
        bars, whole(bars, as_of), made_at=as_of, world="simulated", ended=False, sources=dict.fromkeys(bars, "made")
    )
    with database.writing() as db:
        snapshots.publish(db, as_of, {"prices": document})


def market(id: str = "daily-btc-up-20270116", created_at: int = NOON, **fields) -> Prediction:
    """Whether bitcoin will be above 51,000 USD a day later."""
    deadline = created_at + DAY
    question = Question(
        text="Will Bitcoin be above 51,000 USD tomorrow?",
        asset="btc",
        comparator="close_above",
        deadline=utc(deadline),
        horizon_hours=24.0,
        spot=SPOTS["btc"],
        polarity="bull",
        level=51_000.0,
    )
    opened = Prediction(
        id=id,
        category="daily",
        question=replace(question, canonical=canonical(question)),
        rule="YES if the last price at the deadline is above 51,000 USD",
        resolver="bars",
        created_at=created_at,
        closes_at=deadline,
        deadline=deadline,
        backfilled=False,
    )
    return replace(opened, **fields)


def commitment(at: int = NOON, p: float = 0.6, names: tuple[str, ...] = NAMES) -> Commitment:
    """Votes of one mind."""
    votes = tuple(committed_vote(name, p, reasoning=f"{name} says so") for name in names)
    return Commitment(at, at, p, votes, {"prophet": "is not here"}, "0" * 64, None)


def odds(at: int = NOON, p: float = 0.5) -> Odds:
    """What the simulated outside market gave."""
    return Odds("simulated", "sim-1", None, p, p - 0.01, p + 0.01, 5_000.0, at)


def settlement(outcome: str, at: int) -> Settlement:
    return Settlement(outcome, at, "the last price was 50,500.00", "bars")


def open_market(database: Database, opened: Prediction) -> Prediction:
    with database.writing() as db:
        predictions.add_predictions(db, [opened])
    return opened


def let_vote(database: Database, opened: Prediction, votes: Commitment) -> ledger.ChainEntry:
    """Commit votes as the job does, and return their row of the ledger."""
    with database.writing() as db:
        (entry,) = ledger.append(db, [votes_row(opened, votes)], votes.voted_at)
        assert predictions.add_commitment(db, opened.id, votes, LedgerPosition(entry.seq, entry.hash))
    return entry


def settle(database: Database, opened: Prediction, outcome: str, at: int) -> None:
    with database.writing() as db:
        assert predictions.add_settlement(db, opened.id, settlement(outcome, at))


def hold(
    client: FlaskClient, publish: Callable[..., None], as_described: Callable, path: str, name: str, document: object
) -> dict:
    """It is unavailable until it was made, then served as it was made to everybody, and may be kept for a while.

    Returns what was served.
    """
    refused = client.get(path)
    assert (refused.status_code, refused.json["code"]) == (503, "unavailable")
    publish(name, NOON, document)
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert answer.json == TypeAdapter(type(document)).dump_python(document, mode="json")
    assert list(answer.json)[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    as_described(path, answer.json)
    assert answer.headers["Cache-Control"] == "public, max-age=30, stale-while-revalidate=30"
    assert answer.headers["X-RateLimit-Limit"] == "120"
    unchanged = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (unchanged.status_code, unchanged.data) == (304, b"")
    return answer.json


PATH = "/api/v1/document"
BODY = b'{"schema": "document/1", "text": "' + b"again and " * 100 + b'"}'


def add_document(app: Flask, database: Database) -> None:
    """Store BODY and serve it at PATH."""
    with database.writing() as db:
        snapshots.save_snapshot(db, "document", 1, BODY)
    app.add_url_rule(PATH, "document", lambda: document(latest("document"), max_age=30))
