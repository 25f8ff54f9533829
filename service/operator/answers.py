"""List answers of the oracle that no price decides, and resolve them."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any, get_args

from service.config import Settings
from service.errors import InvalidRequest, ResourceNotFound
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.callers import resolve_by_hand
from service.forecasting.predictions.commitments import brier_scores
from service.forecasting.predictions.resolution import Outcome
from service.jobs.committing import keep_settlements
from service.market.instants import iso
from service.operator.challenges import status_of
from service.operator.commands import CommandOutput, Commands, CommandTable, add
from service.store import predictions, world
from service.store.database import Database

COLUMNS = ("id", "status", "deadline", "p_yes", "question")


def listed(_arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List the answers that wait for an outcome by hand, earliest deadline first: open, or due after the deadline."""
    with database.reading() as db:
        now = world.find_clock(db).at(time.time())
        waiting = predictions.answers_by_hand(db)
    return CommandTable(COLUMNS, [_row(answer, now) for answer in waiting])


def resolve(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Set the outcome of an answer that no price decides, score its votes, and renew the voters' track record."""
    with database.writing() as db:
        now = world.find_clock(db).at(time.time())
        answer = predictions.find_prediction(db, arguments.id)
        if answer is None or answer.category != "answer":
            raise ResourceNotFound(f"There is no answer {arguments.id}.")
        settlement = resolve_by_hand(answer, arguments.outcome, arguments.evidence, now)
        if answer.settlement:
            raise InvalidRequest(f"Answer {arguments.id} is already resolved.")
        keep_settlements(db, {answer.id: settlement}, now)
    resolved = replace(answer, settlement=settlement)
    scores = brier_scores(resolved)
    return _row(resolved, now) | {
        "resolved_at": iso(now),
        "evidence": settlement.evidence,
        "brier": scores["brier"] if scores else None,
    }


def register(verbs: Commands) -> None:
    """Add the commands for answers."""
    add(verbs, "list", listed)
    resolving = add(verbs, "resolve", resolve)
    resolving.add_argument("id", metavar="ID", help="the `id` of the oracle's answer")
    resolving.add_argument("outcome", choices=get_args(Outcome))
    resolving.add_argument("--evidence", required=True, help="where the outcome can be checked")


def _row(answer: Prediction, now: int) -> dict[str, Any]:
    """An answer as it is printed, without its author."""
    return {
        "id": answer.id,
        "status": status_of(answer, now),
        "deadline": iso(answer.deadline),
        "p_yes": round(answer.commitment.p, 3) if answer.commitment else None,
        "question": answer.question.text,
    }
