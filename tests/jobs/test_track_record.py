"""The track record over the real thing: what there is after a first start, and what two days add to it."""

from __future__ import annotations

import gc
import time
from collections import Counter

import pytest
from sqlalchemy import select

from service.jobs import apex, committing, predict, score
from service.ledger.verifier import Verification, verify
from service.market.instants import HOUR
from service.store import ledger
from service.store.pages import apex_calls
from service.store.tables import prediction
from tests.jobs.track_record import END, opened, rows, settled
from tests.running_service import RunningService


def verified(service: RunningService) -> Verification:
    with service.runtime.database.reading() as db:
        return verify(ledger.export(db))


@pytest.mark.slow
def test_the_published_record_matches_the_ledger(old_house):
    """It verifies, and every market has its votes in it exactly once and its outcome at most once."""
    verdict = verified(old_house)
    assert (verdict.fault, verdict.roots) == (None, 3)
    kinds = Counter((row.kind, row.subject) for row in rows(old_house) if row.kind in ("votes", "odds", "resolution"))
    assert set(kinds.values()) == {1}
    over = {**settled(old_house, backfilled=False), **settled(old_house, backfilled=True)}
    markets = {market_id: market.backfilled for market_id, market in over.items()} | opened(old_house)
    assert {subject for kind, subject in kinds if kind == "votes"} == set(markets)
    assert {subject for kind, subject in kinds if kind == "resolution"} == set(over)
    by_seq = {row.seq: row for row in rows(old_house, "votes")}
    with old_house.runtime.database.reading() as db:
        for market_id, seq, hash in db.execute(select(prediction.c.id, prediction.c.seq, prediction.c.hash)):
            assert (by_seq[seq].subject, by_seq[seq].hash) == (market_id, hash)
    entries = [row for row in rows(old_house) if row.kind in ("votes", "odds", "resolution", "score")]
    assert all(row.backfilled == markets[row.subject] for row in entries)


@pytest.mark.slow
def test_two_days_down_are_caught_up_with_once(house, old_house, log_events):
    """What is due is opened and settled as by a service that was there, and nothing twice."""
    house.move(48 * HOUR)
    assert not [line for line in log_events if line["log_level"] == "error"]
    assert verified(house).fault is None
    kinds = Counter((row.kind, row.subject) for row in rows(house) if row.kind in ("votes", "odds", "resolution"))
    assert set(kinds.values()) == {1}
    expected, caught_up = settled(old_house, backfilled=True), settled(house, backfilled=True)
    assert {market_id: market.settlement.outcome for market_id, market in caught_up.items()} == {
        market_id: market.settlement.outcome for market_id, market in expected.items()
    }
    open_after, open_before = opened(house), opened(old_house)
    assert set(open_before) <= set(open_after)
    assert set(open_after) - set(open_before) <= set(
        settled(old_house, backfilled=False)
    )  # touched before it was opened here
    with house.runtime.database.reading() as db:
        calls = apex_calls.every(db)
    assert [at for at, call in calls.items() if not call["backfilled"]] == [END]


JOBS = {
    "predict": predict.predict,
    "settle": committing.settle,
    "score": score.score,
    "apex": apex.apex,
    "widget": apex.publish_widget,
    "list_markets": score.list_markets,
}


@pytest.mark.parametrize("name", JOBS)
@pytest.mark.slow
def test_a_job_of_the_record_is_done_well_within_a_second(name, old_house):
    """Of the processor's time, with a thousand markets settled."""
    job_context = old_house.engine.job_context
    JOBS[name](job_context, END)  # what is imported on the first call is not counted
    gc.collect()
    gc.freeze()  # nor are the objects of other tests, which the collector would visit
    began = time.process_time()
    effects = JOBS[name](job_context, END + 12 * HOUR if name == "predict" else END)
    with old_house.runtime.database.writing() as db:
        effects(db)
    took = time.process_time() - began
    gc.unfreeze()
    print(f"{name}: {took:.3f} s")
    assert took < 1
