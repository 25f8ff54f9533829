"""Calls of apex and the fund that follows them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from sqlalchemy import delete

from service.forecasting.apex.call import Call
from service.forecasting.backfill import ASSET
from service.jobs import apex
from service.market.instants import HOUR, iso
from service.store import bars, ledger, predictions, snapshots
from service.store.pages import apex_calls
from service.store.tables import snapshot
from service.trading.fund import run
from tests.jobs.challenges import BEAT_S, NINE, challenge, recorded, shown
from tests.jobs.contexts import work
from tests.jobs.track_record import document, read
from tests.measure import growth
from tests.running_service import START, RunningService, copied, running_service

SLOT = START // 300 * 300


@pytest.mark.slow
def test_the_fund_of_two_years_has_all_its_calls_and_bars(seeded: Path, tmp_path: Path):
    """Also those from before the bars that the voters look back on; its past does not change with the hour."""
    folder = shutil.copytree(seeded, tmp_path / "old_house")
    growth.age(folder, 750, tables=("bar", "apex_call"))
    with running_service(folder, START) as service:
        service.move(HOUR)
        page, record = document(service, "apex-fund"), document(service, "apex")["record"]
        calls = [Call.from_plain(plain) for plain in read(service, apex_calls.every).values()]
        hourly = read(service, bars.load_bars, ASSET, calls[0].at, START + HOUR, HOUR)
    fund = run([(call.at, call.p_up) for call in calls], hourly, calls[0].at)
    assert (page["equity_usd"], len(page["trades"])) == (round(float(fund.equity[-1]), 2), len(fund.trades))
    # Where the repeated bars leave gaps, calls are void.
    assert sum(book["n"] for book in record) > 0.9 * len(calls)


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
    votes = read(house, predictions.find_challenge, number).commitment.votes
    row = read(house, ledger.find_entry, after["commitment"]["seq"])
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
    ranking = read(house, snapshots.latest_snapshot, "swarm")
    forget(house, "swarm")
    number = challenge(house)
    house.move(BEAT_S)
    assert shown(house, number)["votes_pending"]
    with house.runtime.database.writing() as db:
        snapshots.publish(db, ranking.as_of, {"swarm": ranking.body})
    house.move(BEAT_S)
    assert len(shown(house, number)["ai_votes"]) == 10
    assert not [line for line in log_events if line["log_level"] == "error"]


def widget_of(house: RunningService) -> dict | None:
    """The document that the job publishes for a slot."""
    forget(house, "widget")
    work(house.engine.job_context, apex.publish_widget, SLOT)
    widget = read(house, snapshots.latest_snapshot, "widget")
    return widget and json.loads(widget.body)


def forget(house: RunningService, name: str) -> None:
    with house.runtime.database.writing() as db:
        db.execute(delete(snapshot).where(snapshot.c.name == name))


def test_the_widget_waits_for_every_document_that_it_shows(house: RunningService):
    for is_complete in (True, False):
        assert read(house, apex.has_widget_documents, house.engine.job_context) is is_complete
        forget(house, "ai-vs-market")


def test_the_widget_joins_price_call_and_scores_as_stored(house: RunningService):
    widget = widget_of(house)
    assert widget["btc"]["price"] == snapshots.prices_by_asset(read(house, snapshots.latest_prices))["btc"].price
    assert widget["consensus"]["bull_probability"] == document(house, "apex")["vote"]["bull_probability"]
    assert widget["accuracy"]["n"] in [book["ai"]["accuracy_n"] for book in document(house, "ai-vs-market")["books"]]


def test_without_a_price_there_is_no_widget(house: RunningService):
    prices = document(house, "prices") | {"prices": []}
    with house.runtime.database.writing() as db:
        snapshots.publish(db, SLOT + HOUR, {"prices": json.dumps(prices).encode()})
    assert widget_of(house) is None
