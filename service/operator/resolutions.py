"""The challenges and the oracle's answers that no price decides: listed, and resolved by hand."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any, get_args

from sqlalchemy import Connection

from service.config import Settings
from service.errors import InvalidRequest, ResourceNotFound
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.callers import resolve_by_hand
from service.forecasting.predictions.commitments import brier_scores
from service.forecasting.predictions.resolution import Outcome
from service.jobs.committing import keep_settlements
from service.ledger.chain import ChainEntry
from service.market.instants import iso
from service.operator.commands import CommandOutput, Commands, CommandTable, add
from service.store import predictions, world
from service.store.database import Database

CHALLENGE_COLUMNS = ("number", "status", "resolver", "deadline", "question")
ANSWER_COLUMNS = ("id", "status", "deadline", "p_yes", "question")


def register_challenges(verbs: Commands) -> None:
    """List challenges, and resolve those that no price decides."""
    add(verbs, "list", list_challenges).add_argument(
        "--unresolved", action="store_true", help="only challenges without an outcome"
    )
    parser = add(verbs, "resolve", resolve_challenge)
    parser.add_argument("number", metavar="NUMBER", type=int)
    _outcome_arguments(parser, "where the outcome can be checked; it is published")


def register_answers(verbs: Commands) -> None:
    """List answers of the oracle that no price decides, and resolve them."""
    add(verbs, "list", list_answers)
    parser = add(verbs, "resolve", resolve_answer)
    parser.add_argument("id", metavar="ID", help="the `id` of the oracle's answer")
    _outcome_arguments(parser, "where the outcome can be checked")


def _outcome_arguments(parser: argparse.ArgumentParser, evidence: str) -> None:
    parser.add_argument("outcome", choices=get_args(Outcome))
    parser.add_argument("--evidence", required=True, help=evidence)


def list_challenges(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List all challenges, oldest first, with their status: open, due (the deadline has passed) or the outcome."""
    listed = predictions.unresolved_predictions if arguments.unresolved else predictions.listed_predictions
    with database.reading() as db:
        now = world.find_clock(db).at(time.time())
        challenges = [record for record in listed(db) if record.category == "challenge"]
    rows = [_row(challenge, now, CHALLENGE_COLUMNS) for challenge in challenges]
    return CommandTable(CHALLENGE_COLUMNS, sorted(rows, key=lambda row: row["number"]))


def resolve_challenge(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Set the outcome of a challenge that no price decides; it is recorded in the ledger and cannot be undone.

    Its votes are scored, and the voters' track record is renewed.
    """
    number = arguments.number
    refusal = f"Challenge {number} is already resolved; only its ledger row can be corrected."
    with database.writing() as db:
        challenge = predictions.find_challenge(db, number)
        if challenge is None:
            raise ResourceNotFound(f"There is no challenge {number}.")
        challenge, now, (entry, *_) = _resolve(db, challenge, arguments, refusal)
    return _row(challenge, now, (*CHALLENGE_COLUMNS, "resolved_at", "evidence")) | {"seq": entry.seq}


def list_answers(_arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List the answers that wait for an outcome by hand, earliest deadline first: open, or due after the deadline."""
    with database.reading() as db:
        now = world.find_clock(db).at(time.time())
        answers = predictions.answers_by_hand(db)
    return CommandTable(ANSWER_COLUMNS, [_row(answer, now, ANSWER_COLUMNS) for answer in answers])


def resolve_answer(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Set the outcome of an answer that no price decides, score its votes, and renew the voters' track record."""
    with database.writing() as db:
        answer = predictions.find_prediction(db, arguments.id)
        if answer is None or answer.category != "answer":
            raise ResourceNotFound(f"There is no answer {arguments.id}.")
        answer, now, _ = _resolve(db, answer, arguments, f"Answer {arguments.id} is already resolved.")
    scores = brier_scores(answer)
    row = _row(answer, now, (*ANSWER_COLUMNS, "resolved_at", "evidence"))
    return row | {"brier": scores["brier"] if scores else None}


def _resolve(
    db: Connection, record: Prediction, arguments: argparse.Namespace, refusal: str
) -> tuple[Prediction, int, list[ChainEntry]]:
    """A prediction with its new outcome, the world second of now, and the new rows of the ledger."""
    now = world.find_clock(db).at(time.time())
    settlement = resolve_by_hand(record, arguments.outcome, arguments.evidence, now)
    if record.settlement:
        raise InvalidRequest(refusal)
    entries = keep_settlements(db, {record.id: settlement}, now)
    return replace(record, settlement=settlement), now, entries


def _row(record: Prediction, now: int, columns: tuple[str, ...]) -> dict[str, Any]:
    """A challenge or an answer as it is printed, without its author.

    Before the outcome its status is `open` until the deadline and `due` after it.
    """
    settlement = record.settlement
    fields = {
        "id": record.id,
        "number": record.number,
        "status": record.outcome or ("due" if now > record.deadline else "open"),
        "resolver": record.resolver,
        "deadline": iso(record.deadline),
        "p_yes": round(record.commitment.p, 3) if record.commitment else None,
        "question": record.question.text,
        "resolved_at": iso(now),
        "evidence": settlement and settlement.evidence,
    }
    return {name: fields[name] for name in columns}
