"""Price forecasts are committed at the hour, scored at their deadline, each once, whatever is killed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import log
from pathlib import Path

import pytest

from service.forecasting.price_record.committed import COLUMNS
from service.jobs import forecast
from service.jobs.forecast import record_prices
from service.market.instants import HOUR, MINUTE, iso
from service.store import forecasts
from service.store.database import Database
from tests.jobs.track_record import SLOT, document, rows
from tests.running_service import START, RunningService, copied, running_service

pytestmark = pytest.mark.slow

COINS = 5  # the service starts on a Saturday, when the metals have no forecast of an hour or a day


def live(service: RunningService) -> dict[str, dict]:
    """The live book's record of all assets by horizon."""
    book = document(service, "forecasts/record")["books"][0]
    assert not book["backfilled"]
    return {horizon["horizon"]: horizon["all"] | {"waiting": horizon["waiting"]} for horizon in book["horizons"]}


def committed(service: RunningService) -> dict[str, bool]:
    """The subjects of the ledger's price forecasts, and whether they are of the past."""
    return {row.subject: row.backfilled for row in rows(service, "price_forecast")}


def waiting(database: Database) -> set:
    with database.reading() as db:
        return set(forecasts.due_price_forecasts(db, 2**40))


@pytest.fixture
def hours_later(house: RunningService) -> RunningService:
    """Three hours after the first start."""
    for _ in range(3):
        house.move(HOUR)
    return house


def test_every_hour_is_committed_and_scored_an_hour_later(hours_later):
    record = live(hours_later)
    assert (record["1h"]["n"], record["1h"]["waiting"]) == (3 * COINS, COINS)
    assert (record["24h"]["n"], record["24h"]["waiting"]) == (0, 4 * COINS)
    now = {f"prices-{iso(SLOT + hour * HOUR)}" for hour in range(4)}
    assert {subject for subject, backfilled in committed(hours_later).items() if not backfilled} == now
    assert len(rows(hours_later, "price_forecast")) == len(committed(hours_later))


def test_the_next_row_holds_the_price_that_a_row_is_scored_by(hours_later):
    """So whoever has the ledger can check the scores of an hour: the outcome is the price of the next row."""
    bodies = [row.body["forecasts"]["btc"] for row in rows(hours_later, "price_forecast") if not row.backfilled]
    assert [body["as_of"] for body in bodies] == [iso(SLOT + hour * HOUR) for hour in range(4)]
    moves = [100 * log(after["price"] / before["price"]) for before, after in pairwise(bodies)]
    widths = [body["1h"][COLUMNS.index("within_90_pct")] for body in bodies[:-1]]
    inside = [abs(move) <= width for move, width in zip(moves, widths, strict=True)]
    (hour, *_) = document(hours_later, "forecasts/record")["books"][0]["horizons"]
    assert hour["assets"]["btc"]["coverage_pct"]["90"] == pytest.approx(100 * sum(inside) / 3, abs=0.01)


def test_a_slot_done_twice_counts_once(hours_later):
    """An hour's job that runs again scores nothing twice and records no second row."""
    before, forecasts_before = live(hours_later), waiting(hours_later.runtime.database)
    effects = record_prices(hours_later.engine.job_context, SLOT + 3 * HOUR)
    with hours_later.runtime.database.writing() as db:
        effects(db)
    assert live(hours_later) == before
    assert waiting(hours_later.runtime.database) == forecasts_before
    assert len(rows(hours_later, "price_forecast")) == len(committed(hours_later))


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


def test_a_transaction_that_fails_changes_nothing(house, monkeypatch):
    """Killed while it writes: neither the sums nor the waiting forecasts nor the ledger have changed."""
    house.move(HOUR)
    before = live(house), waiting(house.runtime.database), committed(house)
    house.wall += HOUR
    monkeypatch.setattr(forecast, "price_record_document", lambda *_: 1 / 0)
    house.work()
    assert (live(house), waiting(house.runtime.database), committed(house)) == before
    monkeypatch.undo()
    house.wall += MINUTE
    house.work()
    assert live(house)["1h"]["n"] == 2 * COINS


def test_a_live_forecast_is_never_late(house, monkeypatch):
    """Once a bar after the hour is stored it is not recorded; a simulated world goes on where it was interrupted."""
    house.wall += HOUR + 10 * MINUTE
    monkeypatch.setattr(forecast, "price_record_document", lambda *_: 1 / 0)
    house.work()
    monkeypatch.undo()
    simulated = house.engine.job_context
    of_live = replace(simulated, clock=replace(simulated.clock, world="live"))
    for job_context, is_committed in ((of_live, False), (simulated, True)):
        effects = record_prices(job_context, SLOT + HOUR)
        with house.runtime.database.writing() as db:
            effects(db)
        assert (f"prices-{iso(SLOT + HOUR)}" in committed(house)) == is_committed


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
