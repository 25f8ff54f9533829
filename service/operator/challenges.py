"""Challenges: listed, and resolved where no price decides them."""

from __future__ import annotations

import argparse
import time
from typing import Any, get_args

from service.config import Settings
from service.errors import InvalidRequest, NotFound
from service.forecasting.predictions import PredictionMarket, Settlement
from service.forecasting.predictions.challenges import resolve_by_hand
from service.forecasting.predictions.entries import resolution_row
from service.forecasting.resolution import Outcome
from service.market.instants import iso
from service.operator.commands import Answer, Table, add
from service.store import ledger, predictions, world
from service.store.database import Database

COLUMNS = ("number", "status", "resolver", "deadline", "question")


def listed(asked: argparse.Namespace, database: Database, _settings: Settings) -> Answer:
    """Every challenge, oldest first: open, due (its deadline has passed) or what came of it."""
    with database.reading() as db:
        now = world.find_clock(db).at(time.time())
        known = [(one.market, None) for one in predictions.unresolved(db)]
        if not asked.unresolved:
            known += [(one.market, one.settlement) for one in predictions.settled(db)]
    rows = [_told(market, settlement, now) for market, settlement in known if market.category == "challenge"]
    return Table(COLUMNS, sorted(rows, key=lambda row: row["number"]))


def resolve(asked: argparse.Namespace, database: Database, _settings: Settings) -> Answer:
    """Say what became of a challenge that no price decides; it is recorded in the ledger and cannot be taken back."""
    with database.writing() as db:
        now = world.find_clock(db).at(time.time())
        found = predictions.find_challenge(db, asked.number)
        if found is None:
            raise NotFound(f"There is no challenge {asked.number}.")
        settlement = resolve_by_hand(found.market, asked.outcome, asked.evidence, now)
        if not predictions.settle(db, found.market.id, settlement):
            raise InvalidRequest(
                f"Challenge {asked.number} came out {found.settlement.outcome} already; only the ledger is corrected."
            )
        (entry,) = ledger.append(db, [resolution_row(found.market, settlement)], now)
    told = {"resolved_at": iso(now), "evidence": settlement.evidence, "seq": entry.seq}
    return _told(found.market, settlement, now) | told


def register(verbs) -> None:
    """The commands on challenges."""
    add(verbs, "list", listed).add_argument("--unresolved", action="store_true", help="only those nothing came of yet")
    resolving = add(verbs, "resolve", resolve)
    resolving.add_argument("number", metavar="NUMBER", type=int)
    resolving.add_argument("outcome", choices=get_args(Outcome))
    resolving.add_argument("--evidence", required=True, help="where the outcome can be seen; it is published")


def _told(market: PredictionMarket, settlement: Settlement | None, now: int) -> dict[str, Any]:
    """A challenge as it is printed: everything but who opened it."""
    return {
        "number": int(market.id.rpartition("-")[2]),
        "status": settlement.outcome if settlement else "due" if now > market.deadline else "open",
        "resolver": market.resolver,
        "deadline": iso(market.deadline),
        "question": market.question.text,
    }
