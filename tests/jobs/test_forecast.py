"""Votes of the consensus lane; the monthly refit keeps current fits and replaces incomplete and outdated ones."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from service.forecasting.densities.features import variance_tracks
from service.forecasting.densities.fitting import fit_calendars, least_history_h
from service.forecasting.densities.grid import hour_grid
from service.forecasting.voters.fits import VERSION, Fits
from service.forecasting.voters.linear import LinearFit
from service.jobs import children
from service.jobs.forecast import changes, due_views, refit
from service.jobs.schedules import Monthly
from service.market.bars import empty
from service.market.instants import DAY, HOUR
from service.store import hourly_votes, knowledge
from service.store.database import Database
from service.store.plain import fits
from service.trading.lanes import VOTED, LaneVote
from tests.forecasting.made import made_bars
from tests.jobs.contexts import context_of
from tests.jobs.track_record import document
from tests.running_service import START, RunningService

MONTH = Monthly().slot_at(1_763_985_600)  # 2025-11-01T00:00:00Z
SLOT = MONTH + 10 * DAY
LINEAR = {"trend": LinearFit((), (), (), (), 0.0, 0.0, 0.0, 0, 0.0)}


def fits_of(slot: int, version: str = VERSION, **missing: str) -> Fits:
    return Fits(version, slot, slot - DAY, LINEAR, None, missing)


@pytest.fixture
def fitted_slots(monkeypatch) -> list[int]:
    """The slots that were fitted."""
    slots: list[int] = []

    def call(_fit: Callable, _hourly: dict, slot: int, _news: dict) -> Fits:
        slots.append(slot)
        return fits_of(slot)

    monkeypatch.setattr(children, "call", call)
    return slots


def run(database: Database, stored: Fits | None, assets: tuple[str, ...] = (), slot: int = SLOT) -> Fits | None:
    """The newest fits after the job has run on a database with the stored ones."""
    with database.writing() as db:
        if stored:
            fits.save(db, stored.slot, stored.to_plain())
    with database.reading() as db:
        knowledge.newest_fits(database, db)
    effects = refit(context_of(database, assets), slot)
    with database.writing() as db:
        effects(db)
    with database.reading() as db:
        return knowledge.newest_fits(database, db)


@pytest.mark.parametrize("stored", [None, fits_of(MONTH - DAY), fits_of(MONTH, "fits/0"), fits_of(MONTH, "fits/1")])
def test_missing_old_and_outdated_fits_are_replaced(database, fitted_slots, stored):
    assert run(database, stored) == fits_of(MONTH)
    assert fitted_slots == [MONTH]


def test_a_short_history_that_grows_is_fitted_at_last(database, monkeypatch):
    """Across an hour and a month: fits of no voter are not stored, and the newest are those made last."""
    monkeypatch.setattr(children, "call", lambda _fit, _hourly, slot, _news: Fits(VERSION, slot, 0, {}, None, {}))
    assert run(database, None) is None
    monkeypatch.setattr(children, "call", lambda _fit, _hourly, slot, _news: fits_of(slot, trend="short"))
    assert run(database, None, slot=SLOT + HOUR).slot == SLOT + HOUR
    monkeypatch.setattr(children, "call", lambda _fit, _hourly, slot, _news: fits_of(slot))
    assert run(database, None, slot=SLOT + 2 * HOUR) == fits_of(MONTH)
    next_month = Monthly().slot_at(MONTH + 35 * DAY)
    assert run(database, None, slot=next_month) == fits_of(next_month)


def test_current_fits_are_kept(database, fitted_slots):
    assert run(database, fits_of(MONTH)) == fits_of(MONTH)
    assert fitted_slots == []


def test_a_month_with_too_little_history_is_fitted_until_now(database, monkeypatch):
    """Again at every slot, until all voters are fitted."""
    monkeypatch.setattr(children, "call", lambda _fit, _hourly, slot, _news: fits_of(slot, trend="short"))
    assert run(database, fits_of(SLOT - DAY, trend="short")) == fits_of(SLOT, trend="short")


@pytest.mark.parametrize("assets", [("btc",), ("gold", "silver")])
def test_voters_without_peers_are_not_fitted_again(database, fitted_slots, assets):
    """Their inputs need the leading coin, which no longer history of these assets brings."""
    stored = fits_of(MONTH, breadth="no inputs", logit="no inputs")
    assert run(database, stored, assets) == stored
    assert fitted_slots == []


def test_voters_without_peers_do_not_shift_the_month(database, monkeypatch):
    """The fits to the history before the month are kept, as they are where no voter is missing."""
    monkeypatch.setattr(children, "call", lambda _fit, _hourly, slot, _news: fits_of(slot, breadth="no inputs"))
    assert run(database, None, ("btc",)) == fits_of(MONTH, breadth="no inputs")
    later = SLOT + HOUR
    assert run(database, None, ("btc", "eth"), later) == fits_of(later, breadth="no inputs")


def test_views_are_fitted_once_there_is_history_for_them():
    """A calendar of one asset, and one of two."""
    lone, pair = (least_history_h(assets) for assets in (1, 2))
    hourly = {"btc": made_bars("btc", lone // 24 + 1, 0), "gold": made_bars("gold", pair // 24 - 1, 1)}
    assert due_views({}, hourly) == ["always"]
    assert due_views({"always"}, hourly) == []
    assert due_views({"always"}, hourly | {"gold": empty(HOUR)}) == []


def test_that_history_is_enough_for_views():
    """Of one coin, and of the two metals, whose calendar is closed at weekends."""
    for assets in (("btc",), ("gold", "silver")):
        days = -(-least_history_h(len(assets)) // 24)
        grid = hour_grid({asset: made_bars(asset, days, seed) for seed, asset in enumerate(assets)})
        assert fit_calendars(grid, variance_tracks(grid), len(grid) - 1)


@pytest.mark.slow
def test_a_vote_of_the_lane_has_the_weeks_volatility(house: RunningService):
    """The pooled sigma of seven days as it is published, for a year of 365 days; even odds within 5 points."""
    house.move(HOUR)
    with house.runtime.database.reading() as db:
        votes = hourly_votes.since(db, 0)[START // HOUR * HOUR + HOUR]
    assert set(votes) == set(VOTED)
    for asset, vote in votes.items():
        horizons = document(house, f"forecasts/{asset}")["horizons"]
        (sigma_pct,) = (horizon["sigma_pct"] for horizon in horizons if horizon["horizon"] == "7d")
        assert vote.volatility == pytest.approx(sigma_pct / 100 * math.sqrt(365 / 7), rel=1e-3)
        assert abs(vote.p_up - 0.5) < 0.05


def test_only_a_change_of_direction_is_recorded():
    """From bearish to neutral is one; the first vote on an asset is none."""
    before = {"btc": LaneVote(0.6, 0.4), "eth": LaneVote(0.6, 0.6)}
    votes = {"btc": LaneVote(0.6, 0.5), "eth": LaneVote(0.5, 0.7), "sol": LaneVote(0.6, 0.9)}
    (row,) = changes(SLOT, votes, before)
    assert (row.kind, row.subject, row.backfilled) == ("consensus", "btc", False)
    assert row.body == {"at": SLOT, "direction": "NEUTRAL", "previous": "BEARISH", "p_up": 0.5}
