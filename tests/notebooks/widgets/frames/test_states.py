"""Every frame in four states of the world: its key names one row, and its dtypes are those of its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import frames
from notebooks.widgets.frames.forecasters import FORECASTERS
from notebooks.widgets.frames.ledger import LEDGER, LEDGER_ODDS, LEDGER_OUTCOMES, LEDGER_VOTES
from notebooks.widgets.frames.predictions import MARKET_SERIES
from notebooks.widgets.frames.schema import FrameSchema
from service.jobs.committing import withdraw_texts
from service.market.instants import HOUR, utc
from tests.jobs.conftest import later, live_data, live_prices, outside_world  # noqa: F401  (three of them are fixtures)
from tests.notebooks.conftest import client_of, documents_of
from tests.notebooks.widgets.frames.frame_cases import CASES, dtypes, dtypes_of
from tests.running_service import START, RunningService, copied, replaying, running_service

STATES = {"fresh": "seeded", "live": "live_data", "replay": "replayed_start", "later": "later"}
TOPIC = "Will China ban bitcoin?"
HOURS = 48  # how much later
# What names a row of a frame of instants beside its instant.
KEYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("lane_history", "lane_equity"), ("lane",)),
    **dict.fromkeys(("lane_events", "lane_event_pages"), ("lane", "kind", "subject", "note")),
    "strategy_trades": ("asset", "side", "opened_at"),
    "cumulative_brier": ("backfilled", "n"),
    "shadow_curve": ("backfilled", "pnl_usd"),
    "fund_equity": ("backfilled",),
    "fund_trades": ("side",),
    "apex_call_layers": ("layer",),
    **dict.fromkeys(("headlines", "headline_pages"), ("title", "source")),
    "market_series": ("source",),
}
# A row that a later one corrects stays: the key is that of the rows that stand.
OF_LEDGER: dict[str, FrameSchema] = {
    "ledger": LEDGER,
    "ledger_votes": LEDGER_VOTES,
    "ledger_odds": LEDGER_ODDS,
    "ledger_outcomes": LEDGER_OUTCOMES,
}


@pytest.fixture(scope="module", params=STATES)
def state(request, tmp_path_factory) -> Iterator[RunningService]:
    """The service in a state; the later one was started again with resolved and void markets and live bars."""
    fixture, name = request.getfixturevalue, request.param
    folder = copied(fixture(STATES[name]), tmp_path_factory.mktemp(name))
    options = fixture("outside_world").options if name == "live" else {}
    scope = running_service(folder, START + {"later": HOURS * HOUR, "live": 60}.get(name, 0), **options)
    if name == "replay":
        scope = replaying(fixture("shared_data"), folder)
    with live_prices() if name == "live" else nullcontext(), scope as service:
        service.work()
        if name == "later":
            void_market(service)
        yield service


def void_market(service: RunningService) -> None:
    """Withdraw the text of a question that only its text could decide."""
    with client_of(service) as client:
        number = client.create_challenge(TOPIC, f"{utc(service.wall).date() + pd.Timedelta(days=9)}")["number"]
    with service.runtime.database.writing() as db:
        withdraw_texts(db, [f"challenge-{number}"], int(service.wall))
    service.move(HOUR)


@pytest.fixture(scope="module")
def state_documents(state: RunningService) -> dict[str, Any]:
    """The responses of the service in its state."""
    with client_of(state) as client:
        return documents_of(client)


def built(name: str, documents: dict[str, Any]) -> tuple[pd.DataFrame, FrameSchema]:
    """A frame and its schema."""
    if name in CASES:
        return CASES[name].function(documents[CASES[name].document]), CASES[name].schema
    world = documents["widget"]["world"]
    if name in OF_LEDGER:
        return getattr(frames, name)(map(json.loads, documents["export_ledger"]), world), OF_LEDGER[name]
    if name == "forecasters":
        return frames.forecasters(documents[name]), FORECASTERS
    return frames.market_series(documents["prediction"], world), MARKET_SERIES


@pytest.mark.parametrize("name", [*CASES, *OF_LEDGER, "forecasters", "market_series"])
def test_a_key_names_one_row(name: str, state_documents: dict[str, Any]):
    """Where a frame is of instants, its instant with what it is of."""
    frame, schema = built(name, state_documents)
    assert dtypes(frame) == dtypes_of(schema)
    standing = frame[~frame["corrected"]] if "corrected" in frame else frame
    key = [*schema.index, *KEYS.get(name, ())]
    again = standing.reset_index().loc[lambda rows: rows.duplicated(key, keep=False)]
    assert again.empty, again.to_string()


def test_the_states_differ(state: RunningService, state_documents: dict[str, Any]):
    """Only the later one has outcomes of its own time, and a void market."""
    outcomes = built("ledger_outcomes", state_documents)[0]
    is_later = state.wall > START + HOUR
    assert (set(outcomes["backfilled"]) == {False, True}) == is_later
    assert ("void" in set(outcomes["outcome"])) == is_later
