"""Calls of apex and the fund that follows them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import delete

from service.forecasting.apex.call import Call
from service.forecasting.apex.layers import NetView
from service.forecasting.backfill import ASSET
from service.jobs import apex
from service.jobs.apex import swarm
from service.market.instants import HOUR, iso
from service.store import bars, ledger, predictions, snapshots
from service.store.pages import apex_calls
from service.store.tables import snapshot
from service.trading.fund import run
from tests.jobs.challenges import BEAT_S, NINE, challenge, recorded, shown
from tests.jobs.track_record import document
from tests.measure import growth
from tests.running_service import START, RunningService, copied, running_service


@pytest.mark.slow
def test_the_fund_of_two_years_has_all_its_calls_and_bars(seeded: Path, tmp_path: Path):
    """Also those from before the bars that the voters look back on; its past does not change with the hour."""
    folder = shutil.copytree(seeded, tmp_path / "old_house")
    growth.age(folder, 750, tables=("bar", "apex_call"))
    with running_service(folder, START) as service:
        service.move(HOUR)
        pages = [document(service, name) for name in ("apex-fund", "apex")]
        with service.runtime.database.reading() as db:
            calls = [Call.from_plain(plain) for plain in apex_calls.every(db).values()]
            hourly = bars.load_bars(db, ASSET, calls[0].at, START + HOUR, HOUR)
    fund = run([(call.at, call.p_up) for call in calls], hourly, calls[0].at)
    assert (pages[0]["equity_usd"], len(pages[0]["trades"])) == (round(float(fund.equity[-1]), 2), len(fund.trades))
    # Where the repeated bars leave gaps, calls are void.
    assert sum(book["n"] for book in pages[1]["record"]) > 0.9 * len(calls)


def test_the_swarm_is_that_of_the_latest_ranking(sqlite_database):
    """Before the first one there is none."""
    assert swarm(SimpleNamespace(database=sqlite_database)) == {}
    with sqlite_database.writing() as db:
        snapshots.publish(db, 100, {"swarm": b'{"btc": {"long": 1, "short": 2, "flat": 51}}'})
        snapshots.publish(db, 200, {"swarm": b'{"btc": {"long": 30, "short": 4, "flat": 20}}'})
    assert swarm(SimpleNamespace(database=sqlite_database)) == {"btc": NetView(30, 4, 20)}


@pytest.mark.slow
def test_every_voter_votes_on_a_new_challenge_at_the_next_beat(house):
    """Ten voters and apex; apex is no part of the pool, and the ledger holds what is shown."""
    number = challenge(house)
    before = shown(house, number)
    assert (before["votes_pending"], before["ai_votes"], before["apex"], before["commitment"]) == (True, {}, None, None)
    house.move(BEAT_S)
    after = shown(house, number)
    assert not after["votes_pending"]
    assert set(after["ai_votes"]) == {*NINE, "swarm"}
    assert 0 < after["apex"]["p_yes"] < 1
    assert after["apex"]["voted_at"] == iso(int(house.wall) // BEAT_S * BEAT_S)
    with house.runtime.database.reading() as db:
        votes = predictions.find_challenge(db, number).commitment.votes
        row = ledger.find_entry(db, after["commitment"]["seq"])
    assert (row.kind, row.subject, row.hash) == ("votes", f"challenge-{number}", after["commitment"]["hash"])
    assert {vote["voter"]: vote["p"] for vote in row.body["votes"]} == {vote.voter: vote.p for vote in votes}
    weights = {vote.voter: vote.weight for vote in votes}
    assert weights.pop("apex") == 0
    assert sum(weights.values()) / 10 == pytest.approx(1)
    assert "author" not in row.body


def test_no_voter_votes_twice(house):
    """However often the clock beats, whatever prices do."""
    number = challenge(house)
    house.move(BEAT_S)
    first = shown(house, number)
    for _ in range(5):
        house.move(BEAT_S)
    house.move(300)
    assert recorded(house, number) == ["question", "votes"]
    later = shown(house, number)
    assert all(later[name] == first[name] for name in ("ai_votes", "apex", "commitment"))


@pytest.mark.slow
def test_a_finished_challenge_gets_no_votes(seeded, tmp_path):
    """The service was down from its creation until after its deadline: it is settled without scores."""
    folder = copied(seeded, tmp_path)
    with running_service(folder) as service:
        number = challenge(service)
    with running_service(folder, wall=START + 6 * HOUR) as service:
        service.work()
        after = shown(service, number)
        assert (after["status"], after["ai_votes"], after["votes_pending"]) == ("resolved", {}, False)
        assert recorded(service, number) == ["question", "resolution"]


def test_a_challenge_waits_until_its_voters_know_enough(house, log_events):
    """Before the strategies were ranked for the first time there is no swarm: that is no failure."""
    with house.runtime.database.writing() as db:
        ranking = snapshots.latest_snapshot(db, "swarm")
        db.execute(delete(snapshot).where(snapshot.c.name == "swarm"))
    number = challenge(house)
    house.move(BEAT_S)
    assert shown(house, number)["votes_pending"]
    with house.runtime.database.writing() as db:
        snapshots.publish(db, ranking.as_of, {"swarm": ranking.body})
    house.move(BEAT_S)
    assert len(shown(house, number)["ai_votes"]) == 10
    assert not [line for line in log_events if line["log_level"] == "error"]


SLOT = START // 300 * 300


def widget_of(house: RunningService, slot: int = SLOT) -> dict | None:
    """The document that the job publishes for a slot."""
    with house.runtime.database.writing() as db:
        db.execute(delete(snapshot).where(snapshot.c.name == "widget"))
    write = apex.publish_widget(house.engine.job_context, slot)
    with house.runtime.database.writing() as db:
        write(db)
        widget = snapshots.latest_snapshot(db, "widget")
    return widget and json.loads(widget.body)


def test_it_waits_for_every_document_that_it_shows(house: RunningService):
    with house.runtime.database.writing() as db:
        assert apex.has_widget_documents(db, house.engine.job_context)
        db.execute(delete(snapshot).where(snapshot.c.name == "ai-vs-market"))
        assert not apex.has_widget_documents(db, house.engine.job_context)


def test_it_joins_price_call_and_scores_as_stored(house: RunningService):
    document = widget_of(house)
    with house.runtime.database.reading() as db:
        price = snapshots.prices_by_asset(snapshots.latest_prices(db))["btc"]
        call = json.loads(snapshots.latest_snapshot(db, "apex").body)
        books = json.loads(snapshots.latest_snapshot(db, "ai-vs-market").body)["books"]
    assert document["btc"]["price"] == price.price
    assert document["consensus"]["bull_probability"] == call["vote"]["bull_probability"]
    assert document["accuracy"]["n"] in [book["ai"]["accuracy_n"] for book in books]


def test_without_a_price_nothing_is_published(house: RunningService):
    with house.runtime.database.writing() as db:
        prices = json.loads(snapshots.latest_snapshot(db, "prices").body) | {"prices": []}
        snapshots.publish(db, SLOT + HOUR, {"prices": json.dumps(prices).encode()})
    assert widget_of(house) is None
