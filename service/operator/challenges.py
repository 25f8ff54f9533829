"""List challenges, and resolve those that no price decides."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any, get_args

from service.config import Settings
from service.errors import InvalidRequest, ResourceNotFound
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.callers import resolve_by_hand
from service.forecasting.predictions.resolution import Outcome
from service.jobs.committing import keep_settlements
from service.market.instants import iso
from service.operator.commands import CommandOutput, Commands, CommandTable, add
from service.store import predictions, world
from service.store.database import Database

COLUMNS = ("number", "status", "resolver", "deadline", "question")


def listed(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List all challenges, oldest first, with their status: open, due (the deadline has passed) or the outcome."""
    with database.reading() as db:
        now = world.find_clock(db).at(time.time())
        challenges = (
            predictions.unresolved_predictions(db) if arguments.unresolved else predictions.listed_predictions(db)
        )
    rows = [_row(challenge, now) for challenge in challenges if challenge.category == "challenge"]
    return CommandTable(COLUMNS, sorted(rows, key=lambda row: row["number"]))


def resolve(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Set the outcome of a challenge that no price decides; it is recorded in the ledger and cannot be undone.

    Its votes are scored, and the voters' track record is renewed.
    """
    with database.writing() as db:
        now = world.find_clock(db).at(time.time())
        challenge = predictions.find_challenge(db, arguments.number)
        if challenge is None:
            raise ResourceNotFound(f"There is no challenge {arguments.number}.")
        settlement = resolve_by_hand(challenge, arguments.outcome, arguments.evidence, now)
        if challenge.settlement:
            raise InvalidRequest(
                f"Challenge {arguments.number} is already resolved; only its ledger row can be corrected."
            )
        entry, *_ = keep_settlements(db, {challenge.id: settlement}, now)
    row = _row(replace(challenge, settlement=settlement), now)
    return row | {"resolved_at": iso(now), "evidence": settlement.evidence, "seq": entry.seq}


def register(verbs: Commands) -> None:
    """Add the commands for challenges."""
    add(verbs, "list", listed).add_argument(
        "--unresolved", action="store_true", help="only challenges without an outcome"
    )
    resolving = add(verbs, "resolve", resolve)
    resolving.add_argument("number", metavar="NUMBER", type=int)
    resolving.add_argument("outcome", choices=get_args(Outcome))
    resolving.add_argument("--evidence", required=True, help="where the outcome can be checked; it is published")


def status_of(prediction: Prediction, now: int) -> str:
    """The outcome, or before it `open` until the deadline and `due` after it."""
    return prediction.outcome or ("due" if now > prediction.deadline else "open")


def _row(challenge: Prediction, now: int) -> dict[str, Any]:
    """A challenge as it is printed, without its author."""
    return {
        "number": challenge.number,
        "status": status_of(challenge, now),
        "resolver": challenge.resolver,
        "deadline": iso(challenge.deadline),
        "question": challenge.question.text,
    }
