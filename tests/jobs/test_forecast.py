"""Votes of the consensus lane; the monthly refit keeps current fits and replaces incomplete and outdated ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from service.forecasting.densities.density import VERSION, CalendarFit, Fits
from service.forecasting.densities.fitting import fit, least_history_h
from service.forecasting.densities.season import WEEK, Season
from service.jobs import forecast, processes
from service.jobs.forecast import changes, due, refit
from service.jobs.job import Monthly
from service.market.assets import Calendar
from service.market.bars import Bars, empty
from service.market.instants import DAY, HOUR
from service.store import knowledge, lanes
from service.store.database import Database
from service.store.pages import fits
from service.trading.lanes import VOTED
from service.trading.lanes.lane import LaneVote
from tests.forecasting.made import made_bars
from tests.jobs.contexts import context_of
from tests.jobs.track_record import document
from tests.running_service import START, RunningService

MONTH = Monthly().slot_at(1_763_985_600)  # 2025-11-01T00:00:00Z
SLOT = MONTH + 10 * DAY
CLOCK = CalendarFit(Season((1.0,) * WEEK), {})
CALENDARS: tuple[Calendar, ...] = ("always", "comex")
OF_BEFORE = {"version": "fits/7", "slot": MONTH, "trained_until": MONTH, "linear": {}, "missing": {}}
LONG, SHORT = (made_bars("btc", days, 0) for days in (60, 2))


def fits_of(slot: int, *calendars: Calendar, version: str = VERSION) -> Fits:
    return Fits(version, slot, dict.fromkeys(calendars or ("always",), CLOCK))


@pytest.fixture
def fitted_slots(monkeypatch) -> list[int]:
    """The slots that were fitted: `fitting` may say with which calendars."""
    return fitting(monkeypatch, lambda slot: fits_of(slot, *CALENDARS))


def fitting(monkeypatch: pytest.MonkeyPatch, fits_at: Callable[[int], Fits], **hourly: Bars) -> list[int]:
    """Fit as `fitted` says, to these hourly bars by asset; the slots that are fitted."""
    slots: list[int] = []

    def call(_fit: Callable, _hourly: dict, slot: int) -> Fits:
        slots.append(slot)
        return fits_at(slot)

    monkeypatch.setattr(processes, "call_child", call)
    monkeypatch.setattr(forecast, "hours", lambda _context, _slot: hourly)
    return slots


def run(
    database: Database, current: dict[str, Any] | None, assets: tuple[str, ...] = (), slot: int = SLOT
) -> Fits | None:
    """The newest fits after the job has run on a database with the stored ones."""
    with database.writing() as db:
        if current:
            fits.save(db, current["slot"], current)
    with database.reading() as db:
        knowledge.newest_fits(database, db)
    effects = refit(context_of(database, assets), slot)
    with database.writing() as db:
        effects(db)
    with database.reading() as db:
        return knowledge.newest_fits(database, db)


@pytest.mark.parametrize(
    "current",
    [None, fits_of(MONTH - DAY).to_plain(), fits_of(MONTH, version="fits/0").to_plain(), OF_BEFORE],
    ids=["none", "of last month", "of another version", "of the version before"],
)
def test_missing_old_and_outdated_fits_are_replaced(database, fitted_slots, current):
    assert run(database, current) == fits_of(MONTH, *CALENDARS)
    assert fitted_slots == [MONTH]


def test_current_fits_are_kept(database, fitted_slots):
    current = fits_of(MONTH)
    assert run(database, current.to_plain(), ("btc",)) == current
    assert fitted_slots == []


def test_fits_of_no_calendar_are_not_stored(database, monkeypatch):
    fitting(monkeypatch, lambda slot: Fits(VERSION, slot, {}), btc=SHORT)
    assert run(database, None, ("btc",)) is None


def test_a_month_with_too_little_history_is_fitted_until_now(database, monkeypatch):
    """From the slot on at which the history suffices; the next month is fitted at its beginning again."""
    slots = fitting(monkeypatch, lambda slot: Fits(VERSION, slot, {}) if slot == MONTH else fits_of(slot), btc=LONG)
    assert run(database, None, ("btc",)) == fits_of(SLOT)
    assert slots == [MONTH, SLOT]
    next_month = Monthly().slot_at(MONTH + 35 * DAY)
    assert run(database, None, ("btc",), next_month) == fits_of(next_month)
    assert slots[2:] == [next_month]


def test_a_calendar_is_added_once_there_is_history_for_it(database, monkeypatch):
    """Until then the fits of the others are kept, and nothing is fitted."""
    current = fits_of(MONTH)
    slots = fitting(monkeypatch, fits_of, btc=LONG, gold=SHORT)
    assert run(database, current.to_plain(), ("btc", "gold")) == current
    assert slots == []
    metal = made_bars("gold", 60, 1)
    slots = fitting(monkeypatch, lambda slot: fits_of(slot, *CALENDARS[: 1 + (slot == SLOT)]), btc=LONG, gold=metal)
    assert run(database, None, ("btc", "gold")) == fits_of(SLOT, *CALENDARS)
    assert slots == [MONTH, SLOT]


def test_models_are_due_once_there_is_history_for_them():
    """A calendar of one asset, and one of two."""
    lone, pair = (least_history_h(assets) for assets in (1, 2))
    hourly = {"btc": made_bars("btc", lone // 24 + 1, 0), "gold": made_bars("gold", pair // 24 - 1, 1)}
    assert due({}, hourly) == ["always"]
    assert due({"always"}, hourly) == []
    assert due({"always"}, hourly | {"gold": empty(HOUR)}) == []


def test_that_history_is_enough_for_models():
    """Of one coin, and of the two metals, whose calendar is closed at weekends."""
    for assets in (("btc",), ("gold", "silver")):
        days = -(-least_history_h(len(assets)) // 24)
        hourly = {asset: made_bars(asset, days, seed) for seed, asset in enumerate(assets)}
        assert fit(hourly, max(bars.as_of for bars in hourly.values())).of(assets[0])


@pytest.mark.slow
def test_a_vote_of_the_lane_has_the_weeks_volatility(house: RunningService):
    """The pooled sigma of seven days as it is published, for a year of 365 days, and even odds."""
    house.move(HOUR)
    with house.runtime.database.reading() as db:
        votes = lanes.hourly_votes_since(db, 0)[START // HOUR * HOUR + HOUR]
    assert set(votes) == set(VOTED)
    for asset, vote in votes.items():
        horizons = document(house, f"forecasts/{asset}")["horizons"]
        (sigma_pct,) = (horizon["sigma_pct"] for horizon in horizons if horizon["horizon"] == "7d")
        assert vote.volatility == pytest.approx(sigma_pct / 100 * math.sqrt(365 / 7), rel=1e-3)
        assert vote.p_up == 0.5


def test_only_a_change_of_direction_is_recorded():
    """From bearish to neutral is one; the first vote on an asset is none."""
    before = {"btc": LaneVote(0.6, 0.4), "eth": LaneVote(0.6, 0.6)}
    votes = {"btc": LaneVote(0.6, 0.5), "eth": LaneVote(0.5, 0.7), "sol": LaneVote(0.6, 0.9)}
    (row,) = changes(SLOT, votes, before)
    assert (row.kind, row.subject, row.backfilled) == ("consensus", "btc", False)
    assert row.body == {"at": SLOT, "direction": "NEUTRAL", "previous": "BEARISH", "p_up": 0.5}
