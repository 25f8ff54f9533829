"""Challenges: anybody puts a question with a date to ten voters and apex, and says yes or no to those of others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Annotated

from flask import Blueprint
from pydantic import BeforeValidator, Field, TypeAdapter, WithJsonSchema
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from service.api import examples
from service.api.auth import Caller
from service.api.inputs import DATE, Body
from service.api.operations import operation
from service.api.services import services
from service.api.snapshots import find, latest
from service.api.voting import VOTED, Opinion, Voted, cast
from service.errors import Busy, InvalidQuestion, NotAMarketQuestion, NotFound, VotingClosed
from service.forecasting.predictions.challenges import open_challenge
from service.forecasting.predictions.documents import (
    ChallengesDocument,
    ListedChallenge,
    challenges_document,
    list_challenge,
)
from service.forecasting.predictions.entries import question_row
from service.forecasting.predictions.parts import CommitmentTold
from service.forecasting.questions.clean import LONGEST
from service.market.prices import Price, Prices
from service.store import ledger, user_votes
from service.store import predictions as stored
from service.store.predictions import Stored
from service.store.snapshots import Snapshot
from service.store.user_votes import Tally

challenges = Blueprint("challenges", __name__, url_prefix="/api/challenges")

MOST = 200
# Of several that are created at one instant on PostgreSQL all want the same number, and all but one ask again.
TRIES = 10
NUMBER = re.compile("[1-9][0-9]{0,8}")
PRICES = TypeAdapter(Prices)


def _date(given: object) -> date:
    if isinstance(given, str) and re.fullmatch(DATE, given):
        try:
            return date.fromisoformat(given)
        except ValueError:
            pass
    raise ValueError("must be a date of the calendar in the form YYYY-MM-DD, such as 2026-12-31")


Text = Annotated[str, Field(min_length=1, max_length=LONGEST, examples=["Will Bitcoin be above 60,000 USD?"])]
Deadline = Annotated[
    date,
    BeforeValidator(_date),
    WithJsonSchema({"type": "string", "pattern": f"^{DATE}$", "examples": ["2026-12-31"]}),
]


class Creation(Body):
    """A question about crypto or markets, and the date by which it is decided."""

    question: Text
    deadline: Deadline = Field(description="from today to 365 days ahead, in UTC; that day still counts")


@challenges.post("/create")
@operation(
    tag="Challenges",
    key="welcome",
    limit="challenges",
    retryable=True,
    raises=(NotAMarketQuestion, InvalidQuestion, Busy),
    example=examples.CHALLENGE,
)
def create(body: Creation, caller: Caller) -> ListedChallenge:
    """Challenge ten voters and apex to a question with a date.

    They vote within seconds, once: until then `votes_pending` is true and GET /api/challenges/{number} shows more.
    The deadline is 23:59:59 UTC of the date, or the instant of that day which the question names; it may be today
    while an hour is left. `resolved_by` says whether prices will tell what became of it or the operator's hand, and
    `resolution.rule` how; votes on what prices cannot tell say where the asset is heading and are not scored. The
    question is recorded in the public ledger at once; who asked never is.

    Three a day per key, per end user of a delegating key, or per address without a key. A refused question does not
    count, and neither does a retry under the same Idempotency-Key.
    """
    known = services()
    now = known.clock.at(known.now())
    costs = _costs(latest("prices"))
    spots = {asset: price.price for asset, price in costs.items()}
    for _ in range(TRIES):
        with suppress(IntegrityError), known.database.writing() as db:
            number = stored.next_number(db)
            market = open_challenge(body.question, body.deadline, now, spots, number, caller.id)
            stored.add(db, market, number)
            ledger.append(db, [question_row(market)], now)
            return _listed(db, [_found(db, str(number))], costs, now)[0]
    raise Busy("Many challenges were created at the same instant.")


@challenges.get("/active")
@operation(tag="Challenges", limit="telemetry", example=examples.CHALLENGES)
def active() -> ChallengesDocument:
    """The challenges that are still open, the newest first, at most 200.

    Each has the votes of ten voters (the nine, and `swarm`, which follows the net position of the 54 strategies), the
    vote of `apex`, and how many callers said yes and no. Voters vote once, when a challenge is new. `context` is the
    asset's price now and how far the level is from it, in percent.
    """
    known = services()
    now = known.clock.at(known.now())
    with known.database.reading() as db:
        listed = _listed(db, stored.active_challenges(db, now, MOST), _costs(find("prices")), now)
    return challenges_document(listed, now=now, world=known.clock.world)


@challenges.get("/<number>")
@operation(tag="Challenges", limit="telemetry", raises=(NotFound,), example=examples.CHALLENGE)
def one(number: str) -> ListedChallenge:
    """One challenge, open or over, by its number; once it is over `resolution` says what became of it and why."""
    known = services()
    now = known.clock.at(known.now())
    with known.database.reading() as db:
        return _listed(db, [_found(db, number)], _costs(find("prices")), now)[0]


@challenges.post("/<number>/vote")
@operation(
    tag="Challenges",
    key="welcome",
    limit="votes",
    raises=(NotFound, VotingClosed),
    example=replace(VOTED, id="challenge-17"),
)
def vote(number: str, body: Opinion, caller: Caller) -> Voted:
    """Say yes or no to a challenge.

    One vote per key, per end user of a delegating key, or per address without a key; a later one takes its place,
    until the deadline. It never reaches the voters or any score.
    """
    known = services()
    now = known.clock.at(known.now())
    with known.database.writing() as db:
        return cast(db, _found(db, number), body, caller, now)


def _found(db: Connection, number: str) -> Stored:
    found = stored.find_challenge(db, int(number)) if NUMBER.fullmatch(number) else None
    if found is None:
        raise NotFound("There is no challenge of that number; /api/challenges/active lists those that are open.")
    return found


def _listed(db: Connection, found: Sequence[Stored], costs: dict[str, Price], now: int) -> list[ListedChallenge]:
    """The challenges as they are published, with what callers think of them and what their assets cost."""
    tallies = user_votes.tallies(db, [one.market.id for one in found])
    return [
        list_challenge(
            one.market,
            number=one.number,
            commitment=one.commitment,
            odds=one.odds,
            user_votes=tallies.get(one.market.id, Tally()),
            settlement=one.settlement,
            price=costs.get(one.market.question.asset),
            sealed=CommitmentTold(one.seq, one.hash) if one.hash else None,
            now=now,
        )
        for one in found
    ]


def _costs(snapshot: Snapshot | None) -> dict[str, Price]:
    return _read(snapshot) if snapshot else {}


@lru_cache(maxsize=2)
def _read(snapshot: Snapshot) -> dict[str, Price]:
    """What each asset costs by the document of prices, which is read once."""
    return {price.asset: price for price in PRICES.validate_json(snapshot.body).prices}
