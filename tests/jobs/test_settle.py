"""Markets and challenges are settled by prices."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR
from service.operator.__main__ import main
from service.store import ledger, predictions
from tests.jobs.challenges import BEAT_S, NINE, challenge, recorded, shown
from tests.jobs.track_record import END, SLOT, settled
from tests.running_service import RunningService


@pytest.mark.slow
def test_two_days_later_more_markets_are_resolved(house, aged):
    live = settled(aged, backfilled=False)
    assert len(live) >= 5
    assert all(market.commitment and market.odds for market in live.values())
    assert all(market.settlement.source == "bars" and market.settlement.evidence for market in live.values())
    for market in live.values():
        assert SLOT < market.created_at <= market.commitment.voted_at < market.settlement.resolved_at <= END
        assert market.commitment.as_of <= market.commitment.voted_at
        assert market.odds.fetched_at == market.commitment.voted_at
    with aged.runtime.database.reading() as db:
        overdue = [market.id for market in predictions.unresolved_predictions(db) if market.deadline < END - 12 * HOUR]
    assert not overdue


@pytest.fixture
def operate(house: RunningService, monkeypatch, capsys) -> Callable[..., int]:
    """Run a command of the operator on the same data."""

    def run(*words: str) -> int:
        monkeypatch.setenv("DATA_DIR", str(house.runtime.settings.data_dir))
        return main(list(words))

    return run


@pytest.mark.slow
def test_a_challenge_is_settled_after_its_deadline_with_evidence(house):
    """By prices, with no hand, and every vote is scored."""
    number = challenge(house)
    house.move(BEAT_S)
    house.move(5 * HOUR)
    after = shown(house, number)
    assert after["status"] == "resolved"
    assert after["resolution"]["outcome"] in ("yes", "no")
    assert "of the bar of 2026-11-21T11:55:00Z" in after["resolution"]["evidence"]
    assert recorded(house, number) == ["question", "votes", "resolution", "score"]
    with house.runtime.database.reading() as db:
        price = next(row for row in ledger.entries(db, 1, 100, subject=f"challenge-{number}") if row.kind == "score")
        assert set(price.body["brier_by_voter"]) == {*NINE, "swarm", "apex"}
        assert verify(ledger.export(db)).fault is None


@pytest.mark.slow
def test_a_challenge_no_price_decides_waits_for_the_operator(house, operate):
    """Its deadline passes and nothing settles it but a hand."""
    number = challenge(house, "Will the SEC approve a Solana ETF?", "2026-11-22")
    house.move(BEAT_S)
    assert shown(house, number)["resolved_by"] == "hand"
    house.move(3 * DAY)
    assert shown(house, number)["status"] == "closed"
    assert operate("challenges", "resolve", str(number), "yes", "--evidence", "https://example.com/filing") == 0
    after = shown(house, number)
    assert (after["status"], after["resolution"]["evidence"]) == ("resolved", "https://example.com/filing")
    assert recorded(house, number) == ["question", "resolution"]
