"""Challenges: callers put a question with a date to ten voters and apex, and vote on those of others."""

from __future__ import annotations

import re
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from secrets import token_hex
from typing import Annotated

from flask import Blueprint
from pydantic import BeforeValidator, Field, WithJsonSchema
from sqlalchemy import Connection

from service.api.answering import answering
from service.api.auth import KEY_HEADER, Caller, KeyHolder
from service.api.entries import UserVote, Voted, cast, find_listed
from service.api.idempotency import settle_and_keep
from service.api.inputs import DATE, Body
from service.api.operations import operation
from service.api.predictions import show_all
from service.api.services import latest, services
from service.errors import Busy, InvalidQuestion, MissingKey, NotAMarketQuestion, ResourceNotFound, VotingClosed
from service.forecasting.predictions import SALT_BYTES, Prediction
from service.forecasting.predictions.callers import open_challenge
from service.forecasting.predictions.commitments import question_row, withdrawn
from service.forecasting.predictions.documents import ChallengesDocument, ListedPrediction
from service.market.instants import iso, utc
from service.questions import Circumstances
from service.questions.tokens import LONGEST
from service.store import ledger, listings, snapshots
from service.store import predictions as stored
from service.store.bars import StoredHistory
from service.store.listings import MarketSelection
from service.store.snapshots import prices_by_asset, read_prices, to_json

challenges = Blueprint("challenges", __name__, url_prefix="/api/challenges")

LIST_LIMIT = 200
OPEN = MarketSelection("open", category="challenge", sort="created")


def _date(value: object) -> date:
    with suppress(ValueError):
        if isinstance(value, str) and re.fullmatch(DATE, value):
            return date.fromisoformat(value)
    raise ValueError("must be a date of the calendar in the form YYYY-MM-DD, such as 2026-12-31")


Deadline = Annotated[
    date, BeforeValidator(_date), WithJsonSchema({"type": "string", "pattern": f"^{DATE}$", "examples": ["2026-12-31"]})
]


class Creation(Body):
    """A question about crypto or markets, and the date that decides it."""

    question: str = Field(min_length=1, max_length=LONGEST, examples=["Will Bitcoin be above 60,000 USD?"])
    deadline: Deadline = Field(description="a day in UTC, from today to 365 days ahead; that day is included")


@challenges.post("/create")
@operation(
    tag="Challenges", key="welcome", limit="challenges", raises=(NotAMarketQuestion, InvalidQuestion, MissingKey, Busy)
)
def create(body: Creation, caller: Caller) -> ListedPrediction:
    """Put a question with a date to ten voters and apex.

    They vote within seconds, once: until then `votes_pending` is true and GET /api/v1/predictions/{market_id} shows
    more. The deadline is 23:59:59 UTC of the date, or the instant of that day which the question names; it may be today
    while an hour is left. `resolution` says what will decide the outcome, `hand` where the operator does, and how. Only
    language models vote on a question that no price decides; without at least three of them it gets no votes, and `ai`
    stays null. What the question means is recorded in the public ledger at once, with a hash of its text, which the
    operator can withdraw; its author never is. Without a key the text is not kept: the canonical sentence takes its
    place, and a question that no price decides needs a key.

    Three a day per key, per end user of a delegating key, or per address without a key. A refused question does not
    count, and neither does a retry under the same Idempotency-Key.
    """
    web = services()
    now = web.world_now
    with answering().admit():
        spots = {asset: price.price for asset, price in prices_by_asset(read_prices(latest("prices"))).items()}
        with web.database.writing() as db:
            ledger.lock(db)  # so that challenges of one instant get one number each
            history = StoredHistory(partial(nullcontext, db), web.step, now)
            circumstances = Circumstances(utc(now), spots, history=history, rates=snapshots.latest_rates(db))
            number = stored.next_challenge_number(db)
            challenge = open_challenge(body.question, body.deadline, circumstances, number, caller.id)
            if isinstance(caller, KeyHolder):
                challenge = replace(challenge, salt=token_hex(SALT_BYTES))
            elif challenge.resolver == "hand":
                detail = "A question that no price decides is shown in its own words: send a key in the "
                raise MissingKey(f"{detail}{KEY_HEADER} header.")
            else:
                challenge = withdrawn(challenge)  # to its canonical sentence
            stored.add_predictions(db, [challenge])
            ledger.append(db, [question_row(challenge)], now)
            (listed,) = show_all(db, [challenge], now)
            settle_and_keep(db, to_json(listed))
            return listed


@challenges.get("/active")
@operation(tag="Challenges", limit="telemetry")
def active() -> ChallengesDocument:
    """The open challenges, the newest first, at most 200; `/api/v1/markets?category=challenge` lists the ended ones.

    Each has the votes of ten voters (the nine, and `swarm`, which follows the net position of the {n} strategies), the
    vote of `apex`, and the votes of callers. Voters vote once, when a challenge is new. `context` is the asset's price
    now and how far the level is from it, in percent.
    """
    web = services()
    now = web.world_now
    with web.database.reading() as db:
        markets, _ = listings.market_page(db, OPEN, now, LIST_LIMIT)
        listing = show_all(db, markets, now)
    return ChallengesDocument("challenges/1", iso(now), web.clock.world, len(listing), tuple(listing))


@challenges.get("/<number>", endpoint="one")
@operation(tag="Challenges", limit="telemetry", raises=(ResourceNotFound,))
def show(number: str) -> ListedPrediction:
    """One challenge by its number or id; `/api/v1/predictions/{market_id}` has more of it."""
    with services().database.reading() as db:
        return show_all(db, [_challenge(db, number)], services().world_now)[0]


@challenges.post("/<number>/vote")
@operation(tag="Challenges", key="welcome", limit="votes", raises=(ResourceNotFound, VotingClosed))
def vote(number: str, body: UserVote, caller: Caller) -> Voted:
    """Vote yes or no on a challenge, as at `/api/v1/predictions/{market_id}/vote`."""
    with services().database.writing() as db:
        return cast(db, _challenge(db, number), body.vote, caller, services().world_now)


def _challenge(db: Connection, number: str) -> Prediction:
    return find_listed(db, f"challenge-{number.removeprefix('challenge-')}")
