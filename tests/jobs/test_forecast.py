"""The refit of each month, votes of the consensus lane, and price forecasts: committed at the hour, scored once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import pytest

from service.forecasting.densities.density import VERSION, CalendarFit, Fits
from service.forecasting.densities.fitting import fit, least_history_h
from service.forecasting.densities.season import WEEK, Season
from service.forecasting.price_record.committed import COLUMNS
from service.jobs import forecast, processes
from service.jobs.forecast import changes, due, record_prices, refit
from service.market.assets import Calendar
from service.market.bars import Bars, empty
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.market.months import month_start
from service.store import forecasts, knowledge, lanes
from service.store.database import Database
from service.store.pages import fits
from service.trading.lanes import VOTED
from service.trading.lanes.lane import LaneVote
from tests.forecasting.made import made_bars
from tests.jobs.contexts import context_of, work
from tests.jobs.track_record import SLOT, document, read, rows
from tests.running_service import START, RunningService, copied, running_service

MONTH = month_start(1_763_985_600)  # 2025-11-01T00:00:00Z
REFIT_AT = MONTH + 10 * DAY
CLOCK = CalendarFit(Season((1.0,) * WEEK), {})
CALENDARS: tuple[Calendar, ...] = ("always", "comex")
OF_BEFORE = {"version": "fits/7", "slot": MONTH, "trained_until": MONTH, "linear": {}, "missing": {}}
LONG, SHORT = (made_bars("btc", days, 0) for days in (60, 2))
COINS = 5  # the service starts on a Saturday, when the metals have no forecast of an hour or a day


def fits_of(slot: int, *calendars: Calendar, version: str = VERSION) -> Fits:
    return Fits(version, slot, dict.fromkeys(calendars or ("always",), CLOCK))


def fitting(monkeypatch: pytest.MonkeyPatch, fits_at: Callable[[int], Fits], **hourly: Bars) -> list[int]:
    """Fit as `fits_at` says, to these hourly bars by asset; the slots that are fitted."""
    slots: list[int] = []

    def call(_fit: Callable, _hourly: dict, slot: int) -> Fits:
        slots.append(slot)
        return fits_at(slot)

    monkeypatch.setattr(processes, "call_child", call)
    monkeypatch.setattr(forecast, "hours", lambda _context, _slot: hourly)
    return slots


def run(
    database: Database, current: dict[str, Any] | None, assets: tuple[str, ...] = (), slot: int = REFIT_AT
) -> Fits | None:
    """The newest fits after the job has run on a database with the stored ones."""
    with database.writing() as db:
        if current:
            fits.save(db, current["slot"], current)
    with database.reading() as db:
        knowledge.newest_fits(database, db)
    work(context_of(database, assets), refit, slot)
    with database.reading() as db:
        return knowledge.newest_fits(database, db)


@pytest.mark.parametrize(
    "current",
    [None, fits_of(MONTH - DAY).to_plain(), fits_of(MONTH, version="fits/0").to_plain(), OF_BEFORE],
    ids=["none", "of last month", "of another version", "of the version before"],
)
def test_missing_old_and_outdated_fits_are_replaced(database, monkeypatch, current):
    fitted_slots = fitting(monkeypatch, lambda slot: fits_of(slot, *CALENDARS))
    assert run(database, current) == fits_of(MONTH, *CALENDARS)
    assert fitted_slots == [MONTH]


def test_fits_of_no_calendar_are_not_stored(database, monkeypatch):
    fitting(monkeypatch, lambda slot: Fits(VERSION, slot, {}), btc=SHORT)
    assert run(database, None, ("btc",)) is None


def test_a_month_with_too_little_history_is_fitted_until_now(database, monkeypatch):
    """From the slot on at which the history suffices; the next month is fitted at its beginning again."""
    slots = fitting(monkeypatch, lambda slot: Fits(VERSION, slot, {}) if slot == MONTH else fits_of(slot), btc=LONG)
    assert run(database, None, ("btc",)) == fits_of(REFIT_AT)
    assert slots == [MONTH, REFIT_AT]
    next_month = month_start(MONTH + 35 * DAY)
    assert run(database, None, ("btc",), next_month) == fits_of(next_month)
    assert slots[2:] == [next_month]


def test_a_calendar_is_added_once_there_is_history_for_it(database, monkeypatch):
    """Until then current fits are kept, and nothing is fitted."""
    current = fits_of(MONTH)
    slots = fitting(monkeypatch, fits_of, btc=LONG, gold=SHORT)
    for assets in (("btc",), ("btc", "gold")):
        assert run(database, current.to_plain(), assets) == current
    assert slots == []
    metal = made_bars("gold", 60, 1)
    slots = fitting(monkeypatch, lambda slot: fits_of(slot, *CALENDARS[: 1 + (slot == REFIT_AT)]), btc=LONG, gold=metal)
    assert run(database, None, ("btc", "gold")) == fits_of(REFIT_AT, *CALENDARS)
    assert slots == [MONTH, REFIT_AT]


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
    votes = read(house, lanes.hourly_votes_since, 0)[SLOT + HOUR]
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
    (row,) = changes(REFIT_AT, votes, before)
    assert (row.kind, row.subject, row.backfilled) == ("consensus", "btc", False)
    assert row.body == {"at": REFIT_AT, "direction": "NEUTRAL", "previous": "BEARISH", "p_up": 0.5}


def live(service: RunningService) -> dict[str, dict]:
    """The live book's record of all assets by horizon."""
    book = document(service, "forecasts/record")["books"][0]
    assert not book["backfilled"]
    return {horizon["horizon"]: horizon["all"] | {"waiting": horizon["waiting"]} for horizon in book["horizons"]}


def committed(service: RunningService) -> dict[str, bool]:
    """The subjects of the ledger's price forecasts, and whether they are of the past."""
    return {row.subject: row.backfilled for row in rows(service, "price_forecast")}


@pytest.fixture
def hours_later(house: RunningService) -> RunningService:
    """Three hours after the first start."""
    for _ in range(3):
        house.move(HOUR)
    return house


@pytest.mark.slow
def test_every_hour_is_committed_and_scored_an_hour_later(hours_later):
    record = live(hours_later)
    assert (record["1h"]["n"], record["1h"]["waiting"]) == (3 * COINS, COINS)
    assert (record["24h"]["n"], record["24h"]["waiting"]) == (0, 4 * COINS)
    now = {f"prices-{iso(SLOT + hour * HOUR)}" for hour in range(4)}
    assert {subject for subject, backfilled in committed(hours_later).items() if not backfilled} == now
    assert len(rows(hours_later, "price_forecast")) == len(committed(hours_later))


@pytest.mark.slow
def test_the_next_row_holds_the_price_that_a_row_is_scored_by(hours_later):
    """So whoever has the ledger can check the scores of an hour: the outcome is the price of the next row."""
    bodies = [row.body["forecasts"]["btc"] for row in rows(hours_later, "price_forecast") if not row.backfilled]
    assert [body["as_of"] for body in bodies] == [iso(SLOT + hour * HOUR) for hour in range(4)]
    moves = [100 * log(after["price"] / before["price"]) for before, after in pairwise(bodies)]
    widths = [body["1h"][COLUMNS.index("within_90_pct")] for body in bodies[:-1]]
    inside = [abs(move) <= width for move, width in zip(moves, widths, strict=True)]
    (hour, *_) = document(hours_later, "forecasts/record")["books"][0]["horizons"]
    assert hour["assets"]["btc"]["coverage_pct"]["90"] == pytest.approx(100 * sum(inside) / 3, abs=0.01)


@pytest.mark.slow
def test_a_slot_done_twice_counts_once(hours_later):
    """An hour's job that runs again scores nothing twice and records no second row."""
    before, waiting = live(hours_later), read(hours_later, forecasts.due_price_forecasts, 2**40)
    work(hours_later.engine.job_context, record_prices, SLOT + 3 * HOUR)
    assert live(hours_later) == before
    assert read(hours_later, forecasts.due_price_forecasts, 2**40) == waiting
    assert len(rows(hours_later, "price_forecast")) == len(committed(hours_later))


@pytest.mark.slow
def test_a_process_that_dies_between_loses_nothing(seeded: Path, tmp_path: Path):
    """The next one, started three hours later, scores what the first one committed; the hours between have none."""
    folder = copied(seeded, tmp_path)
    with running_service(folder) as service:
        service.move(HOUR)
    with running_service(folder, wall=START + 4 * HOUR) as service:
        service.work()
        record = live(service)
        assert (record["1h"]["n"], record["1h"]["waiting"]) == (2 * COINS, COINS)
        assert f"prices-{iso(SLOT + 2 * HOUR)}" not in committed(service)


@pytest.mark.slow
def test_a_live_forecast_is_never_late(house, monkeypatch):
    """Once a bar after the hour is stored it is not recorded; a simulated world goes on where it was interrupted."""
    house.wall += HOUR + 10 * MINUTE
    monkeypatch.setattr(forecast, "price_record_document", lambda *_: 1 / 0)
    house.work()
    monkeypatch.undo()
    simulated = house.engine.job_context
    of_live = replace(simulated, clock=replace(simulated.clock, world="live"))
    for job_context, is_committed in ((of_live, False), (simulated, True)):
        work(job_context, record_prices, SLOT + HOUR)
        assert (f"prices-{iso(SLOT + HOUR)}" in committed(house)) == is_committed


@pytest.mark.slow
def test_the_first_start_has_a_backfilled_record(house):
    """In a book of its own, with rows of the ledger that say so."""
    past = document(house, "forecasts/record")["books"][1]
    assert past["backfilled"]
    hour, day, *_ = (horizon["all"] for horizon in past["horizons"])
    assert min(hour["n"], day["n"]) > 1000
    assert 0.8 < hour["crps_ratio"] < 1.1
    backfilled = [row for row in rows(house, "price_forecast") if row.backfilled]
    hours = [forecast for row in backfilled for forecast in row.body["forecasts"].values() if "1h" in forecast]
    assert len(hours) == hour["n"] + hour["void"]
    assert max(row.subject for row in backfilled) == f"prices-{iso(SLOT - HOUR)}"
    assert live(house)["1h"]["n"] == 0
