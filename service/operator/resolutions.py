"""The challenges and the oracle's answers that no price decides: listed, and resolved by hand."""

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
    parser.add_argument("outcome", choices=get_args(Outcome))
    parser.add_argument("--evidence", required=True, help="where the outcome can be checked; it is published")


def register_answers(verbs: Commands) -> None:
    """List answers of the oracle that no price decides, and resolve them."""
    add(verbs, "list", list_answers)
    parser = add(verbs, "resolve", resolve_answer)
    parser.add_argument("id", metavar="ID", help="the `id` of the oracle's answer")
    parser.add_argument("outcome", choices=get_args(Outcome))
    parser.add_argument("--evidence", required=True, help="where the outcome can be checked")


def list_challenges(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List all challenges, oldest first, with their status: open, due (the deadline has passed) or the outcome."""
    with database.reading() as db:
        now = world.find_clock(db).at(time.time())
        challenges = (
            predictions.unresolved_predictions(db) if arguments.unresolved else predictions.listed_predictions(db)
        )
    rows = [_challenge_row(challenge, now) for challenge in challenges if challenge.category == "challenge"]
    return CommandTable(CHALLENGE_COLUMNS, sorted(rows, key=lambda row: row["number"]))


def resolve_challenge(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
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
    row = _challenge_row(replace(challenge, settlement=settlement), now)
    return row | {"resolved_at": iso(now), "evidence": settlement.evidence, "seq": entry.seq}


def list_answers(_arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List the answers that wait for an outcome by hand, earliest deadline first: open, or due after the deadline."""
    with database.reading() as db:
        now = world.find_clock(db).at(time.time())
        answers = predictions.answers_by_hand(db)
    return CommandTable(ANSWER_COLUMNS, [_answer_row(answer, now) for answer in answers])


def resolve_answer(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
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
    answer = replace(answer, settlement=settlement)
    scores = brier_scores(answer)
    return _answer_row(answer, now) | {
        "resolved_at": iso(now),
        "evidence": settlement.evidence,
        "brier": scores["brier"] if scores else None,
    }


def _challenge_row(challenge: Prediction, now: int) -> dict[str, Any]:
    """A challenge as it is printed, without its author."""
    return {
        "number": challenge.number,
        "status": _status(challenge, now),
        "resolver": challenge.resolver,
        "deadline": iso(challenge.deadline),
        "question": challenge.question.text,
    }


def _answer_row(answer: Prediction, now: int) -> dict[str, Any]:
    """An answer as it is printed, without its author."""
    return {
        "id": answer.id,
        "status": _status(answer, now),
        "deadline": iso(answer.deadline),
        "p_yes": round(answer.commitment.p, 3) if answer.commitment else None,
        "question": answer.question.text,
    }


def _status(prediction: Prediction, now: int) -> str:
    """The outcome, or before it `open` until the deadline and `due` after it."""
    return prediction.outcome or ("due" if now > prediction.deadline else "open")
