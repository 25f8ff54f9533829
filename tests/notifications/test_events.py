"""A row of the ledger as the event that integrators get, and the message about it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from service.forecasting.predictions import Prediction
from service.ledger.chain import Kind, LedgerRow, chained
from service.market.instants import utc
from service.notifications import events
from service.notifications.events import Event, EventFilter, event_of, message_of
from tests.forecasting.markets import settled, waiting
from tests.receiver import WORLD_NOW, lane_row


def event(row: LedgerRow, *predictions: Prediction) -> Event | None:
    """The event that a row is, which is recorded as the first of a ledger."""
    (entry,) = chained([row], "2026-11-21T08:02:00Z", None)
    return event_of(entry, "simulated", {prediction.id: prediction for prediction in predictions})


def row(kind: Kind, subject: str = "m", **body) -> LedgerRow:
    return LedgerRow(kind, subject, body, backfilled=False)


def test_a_market_with_votes_was_opened():
    market = waiting("m", p=0.7, asset="eth")
    opening = event(row("votes"), market)
    assert (opening.id, opening.type, opening.assets, opening.world) == (1, "market.opened", ("eth",), "simulated")
    assert (opening.data.id, opening.data.p_yes, opening.data.deadline) == ("m", 0.7, utc(market.deadline))
    assert opening.timestamp.isoformat() == "2026-11-21T08:02:00+00:00"


@pytest.mark.parametrize(
    ("category", "type"),
    [("daily", "market.resolved"), ("challenge", "challenge.resolved"), ("answer", "answer.resolved")],
)
def test_a_resolution_is_named_by_its_category(category, type: str):
    """Without votes it has no probability."""
    resolved = replace(settled("m", "no", p=0.7), category=category)
    resolution = event(row("resolution"), resolved)
    assert (resolution.type, resolution.data.outcome, resolution.data.p_yes) == (type, "no", 0.7)
    assert (resolution.data.resolved_by, resolution.data.evidence) == ("bars", "seen")
    assert event(row("resolution"), replace(resolved, commitment=None)).data.p_yes is None


@pytest.mark.parametrize(
    ("category", "author", "end_user"),
    [
        ("answer", "key:1a", None),
        ("answer", "key:1a:alice", "alice"),
        ("answer", "key:1a:alice:b", "alice:b"),
        ("answer", None, None),
        ("challenge", "key:1a:alice", None),
    ],
)
def test_only_an_answer_names_its_end_user(category, author: str | None, end_user: str | None):
    resolution = event(row("answer"), replace(settled("m"), category=category, author=author))
    assert resolution.data.end_user == end_user


@pytest.mark.parametrize(
    ("kind", "type"), [("trade", "lane.trade"), ("harvest", "lane.harvest"), ("switch", "lane.switch")]
)
def test_an_action_of_a_lane_is_named_by_its_kind(kind: str, type: str):
    """One in a pool is about no asset, and a filter of assets drops it."""
    action = event(lane_row(1, kind, "eth"))
    assert (action.type, action.assets, action.data.lane, action.data.at) == (type, ("eth",), "trend", utc(WORLD_NOW))
    action = event(lane_row(1, kind, "WETH/USDC 0.05%"))
    assert (action.assets, action.data.subject) == ((), "WETH/USDC 0.05%")
    assert not EventFilter(assets=("btc",)).accepts(action)


AT = {"at": WORLD_NOW}
CALL = AT | {"asset": "btc", "spot": 60_000.0, "p_up": 0.6, "confidence": 0.2, "agreement": 0.8, "special": False}
CHANGE = AT | {"direction": "BULLISH", "previous": "NEUTRAL", "p_up": 0.56}
REVIEW = {"sha256": "ab", "judged": {"x": ["stable", 60], "y": ["stable", 50]}}


@pytest.mark.parametrize(
    ("row", "type", "assets", "data"),
    [
        (row("apex", "btc", layers=[], **CALL), "apex.called", ("btc",), {"p_up": 0.6, "at": utc(WORLD_NOW)}),
        (row("consensus", "eth", **CHANGE), "consensus.changed", ("eth",), {"direction": "BULLISH"}),
        (row("hospital", "2026-10", **REVIEW), "hospital.published", (), {"month": "2026-10", "strategies": 2}),
    ],
)
def test_calls_changes_and_reviews_are_events(row: LedgerRow, type: str, assets: tuple[str, ...], data: dict):
    publication = event(row)
    assert (publication.type, publication.assets) == (type, assets)
    assert data.items() <= vars(publication.data).items()


@pytest.mark.parametrize(
    "row",
    [
        replace(lane_row(1), backfilled=True),
        row("price_forecast"),
        row("handover"),
        row("votes", "a market that is not there"),
        row("votes", "challenge"),
    ],
)
def test_other_rows_are_no_event(row: LedgerRow):
    """Backfilled ones, other kinds, those of unknown predictions, and the votes on a challenge."""
    assert event(row, replace(waiting("challenge"), category="challenge")) is None


@pytest.mark.parametrize(
    ("types", "assets", "is_accepted"),
    [
        ((), (), True),
        (("lane.trade",), (), True),
        (("lane.switch",), (), False),
        ((), ("eth", "btc"), True),
        ((), ("eth",), False),
        (("lane.trade",), ("eth",), False),
    ],
)
def test_a_filter_wants_types_and_assets(types, assets, is_accepted: bool):
    assert EventFilter(types, assets).accepts(event(lane_row(1))) is is_accepted


def test_every_attempt_at_an_event_has_one_id_and_body():
    """Another endpoint has another id, and the same body; a test message is about no event."""
    (entry,) = chained([lane_row(1)], "2026-11-21T12:05:00Z", None)
    event = event_of(entry, "simulated", {})
    first, repetition, other = (message_of(endpoint, event) for endpoint in ("wh_1", "wh_1", "wh_2"))
    assert first == repetition
    assert (first.id, other.id, first.seq, first.event) == ("msg_wh_1_1", "msg_wh_2_1", 1, "lane.trade")
    body = json.loads(first.body)
    assert (body["id"], body["type"], body["assets"]) == (1, "lane.trade", ["btc"])
    assert (body["timestamp"], body["data"]["at"]) == ("2026-11-21T12:05:00Z", "2026-11-21T12:02:00Z")
    assert other.body == first.body
    message = events.test_message("wh_1", "simulated", utc(WORLD_NOW), "nonce")
    assert (message.id, message.seq, message.event) == ("test_wh_1_nonce", None, "webhook.test")
    assert (json.loads(message.body)["id"], json.loads(message.body)["assets"]) == (None, [])
