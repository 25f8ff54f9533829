"""Events: how a row of the ledger becomes one, with the number of its row as id, and the messages about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from pydantic import TypeAdapter

from service.documents import World
from service.forecasting.predictions import Category, Prediction
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.voters.votes import Direction
from service.ledger.chain import ChainEntry, Kind, instant_of
from service.market.assets import ASSETS
from service.market.instants import utc

EventType = Literal[
    "market.opened",
    "market.resolved",
    "challenge.resolved",
    "answer.resolved",
    "lane.trade",
    "lane.harvest",
    "lane.switch",
    "hospital.published",
    "apex.called",
    "consensus.changed",
]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
TestType = Literal["webhook.test"]

# The rows that may be events, and those of them that are about a stored prediction.
KINDS: tuple[Kind, ...] = ("votes", "resolution", "answer", "lane_trade", "hospital", "apex", "consensus")
ABOUT_PREDICTIONS: tuple[Kind, ...] = ("votes", "resolution", "answer")
RESOLVED_TYPES: dict[str, EventType] = {"challenge": "challenge.resolved", "answer": "answer.resolved"}
LANE_TYPES: dict[str, EventType] = {"trade": "lane.trade", "harvest": "lane.harvest", "switch": "lane.switch"}


@dataclass(frozen=True)
class OpenedMarket:
    """A prediction market that was opened, with the P(YES) of the nine voters' pool."""

    id: str
    question: str
    category: Category
    created_at: datetime
    closes_at: datetime
    deadline: datetime
    p_yes: float


@dataclass(frozen=True)
class ResolvedQuestion:
    """A market, a challenge or an answer of the oracle with its outcome.

    `p_yes` is what the pool had committed, null without votes. `end_user` is the person on whose behalf a delegating
    key put the question to the oracle, null for everything else.
    """

    id: str
    question: str
    category: Category
    deadline: datetime
    p_yes: float | None
    outcome: Outcome
    resolved_at: datetime
    resolved_by: str
    evidence: str
    end_user: str | None


@dataclass(frozen=True)
class LaneAction:
    """An action of a paper-trading lane; `subject` is the asset or the liquidity pool."""

    lane: str
    subject: str
    note: str
    at: datetime
    price: float
    value_usd: float
    cost_usd: float
    pnl_usd: float | None


@dataclass(frozen=True)
class PublishedReview:
    """The strategy review of a month: its number of strategies, and the SHA-256 of the document."""

    month: str
    strategies: int
    sha256: str


@dataclass(frozen=True)
class ApexCall:
    """A call of apex on the asset's next day: P(higher in 24 hours), at the price `spot`."""

    at: datetime
    spot: float
    p_up: float
    confidence: float
    agreement: float
    special: bool


@dataclass(frozen=True)
class ChangedConsensus:
    """The nine voters' direction of an asset's next 24 hours, where it differs from that of the hour before."""

    at: datetime
    direction: Direction
    previous: Direction
    p_up: float


@dataclass(frozen=True)
class TestMessage:
    """A message without an event, to try an endpoint."""

    message: str


EventData = OpenedMarket | ResolvedQuestion | LaneAction | PublishedReview | ApexCall | ChangedConsensus | TestMessage


@dataclass(frozen=True)
class Event:
    """Something that happened: `type` says what, `data` holds it, `assets` are those that it is about.

    `id` is the number of the row in the public ledger, null for a test; `timestamp` is when the row was recorded, in
    world time.
    """

    id: int | None
    type: EventType | TestType
    timestamp: datetime
    world: World
    assets: tuple[str, ...]
    data: EventData


EVENT = TypeAdapter(Event)


@dataclass(frozen=True)
class EventFilter:
    """The wanted types and assets; empty means all. An asset filter drops events that are about no asset."""

    types: Collection[str] = ()
    assets: Collection[str] = ()

    def accepts(self, event: Event) -> bool:
        if self.types and event.type not in self.types:
            return False
        return not self.assets or any(asset in self.assets for asset in event.assets)


@dataclass(frozen=True)
class Message:
    """An event as it is sent; every attempt has the same `id` and the same `body`. `seq` is None for a test."""

    id: str
    seq: int | None
    event: str
    body: str


@dataclass(frozen=True)
class Attempt:
    """An attempt to send a message, that began at the wall second `at`.

    `status` is the HTTP status, None without an answer; `error` says why it failed, None if it was accepted.
    """

    message: Message
    at: int
    duration_ms: int
    status: int | None
    error: str | None


def event_of(entry: ChainEntry, world: World, predictions: Mapping[str, Prediction]) -> Event | None:
    """The event that a row is; None for a row that is none, and for one about the time before the first start.

    `predictions` has what rows of ABOUT_PREDICTIONS are about, by id.
    """
    if entry.backfilled or entry.kind not in KINDS:
        return None
    body, subject = entry.body, entry.subject
    if entry.kind in ABOUT_PREDICTIONS:
        prediction = predictions.get(subject)
        if prediction is None or (entry.kind == "votes" and prediction.category == "challenge"):
            return None
        assets = prediction.question.assets
        type, data = _opened(prediction) if entry.kind == "votes" else _resolved(prediction)
    elif entry.kind == "lane_trade":
        type, assets = LANE_TYPES[body["kind"]], (body["subject"],) if body["subject"] in ASSETS else ()
        fields = _fields(body, "subject", "note", "price", "value_usd", "cost_usd", "pnl_usd")
        data = LaneAction(lane=subject, at=instant_of(body["time"]), **fields)
    elif entry.kind == "hospital":
        type, assets = "hospital.published", ()
        data = PublishedReview(subject, len(body["judged"]), body["sha256"])
    elif entry.kind == "apex":
        type, assets = "apex.called", (body["asset"],)
        fields = _fields(body, "spot", "p_up", "confidence", "agreement", "special")
        data = ApexCall(at=instant_of(body["at"]), **fields)
    else:
        type, assets = "consensus.changed", (subject,)
        data = ChangedConsensus(at=instant_of(body["at"]), **_fields(body, "direction", "previous", "p_up"))
    return Event(entry.seq, type, datetime.fromisoformat(entry.recorded_at), world, assets, data)


def _fields(body: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: body[name] for name in names}


def _opened(market: Prediction) -> tuple[EventType, OpenedMarket]:
    assert market.commitment, "the row of its votes is written with the market"
    return "market.opened", OpenedMarket(
        id=market.id,
        question=market.question.text,
        category=market.category,
        created_at=utc(market.created_at),
        closes_at=utc(market.closes_at),
        deadline=utc(market.deadline),
        p_yes=market.commitment.p,
    )


def _resolved(prediction: Prediction) -> tuple[EventType, ResolvedQuestion]:
    settlement, author = prediction.settlement, prediction.author
    assert settlement, "the row of its settlement is written with it"
    parts = author.split(":") if author and prediction.category == "answer" else []  # `key:ID` or `key:ID:END_USER`
    return RESOLVED_TYPES.get(prediction.category, "market.resolved"), ResolvedQuestion(
        id=prediction.id,
        question=prediction.question.text,
        category=prediction.category,
        deadline=utc(prediction.deadline),
        p_yes=prediction.commitment.p if prediction.commitment else None,
        outcome=settlement.outcome,
        resolved_at=utc(settlement.resolved_at),
        resolved_by=settlement.source,
        evidence=settlement.evidence,
        end_user=":".join(parts[2:]) or None,
    )


def message_of(endpoint: str, event: Event) -> Message:
    return Message(f"msg_{endpoint}_{event.id}", event.id, event.type, EVENT.dump_json(event).decode())


def test_message(endpoint: str, world: World, at: datetime, nonce: str) -> Message:
    """A message about no event, at the world instant `at`; `nonce` tells one test from another."""
    event = Event(None, "webhook.test", at, world, (), TestMessage("This endpoint can be reached."))
    return Message(f"test_{endpoint}_{nonce}", None, event.type, EVENT.dump_json(event).decode())
