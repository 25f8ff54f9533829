"""A challenge from its creation to what became of it, by the clock alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete

from service.forecasting.predictions import Settlement
from service.jobs import answer
from service.jobs.committing import keep_settlement
from service.jobs.leases import LEASE_S
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, iso
from service.operator.__main__ import main
from service.store import ledger, predictions, snapshots
from service.store.tables import snapshot
from tests.houses import START, Residents, copied, resident

NINE = {"momentum", "reversion", "breadth", "regime", "trend", "news", "vol", "logit", "forest"}
NOON = "Will Bitcoin be above 60,000 USD at 12:00 UTC today?"
TODAY = "2026-11-21"
BEAT_S = answer.EVERY_S


def challenge(residents: Residents, question: str = NOON, deadline: str = TODAY) -> int:
    told = residents.client.post("/api/challenges/create", json={"question": question, "deadline": deadline})
    assert told.status_code == 200, told.get_json()
    return told.get_json()["number"]


def shown(residents: Residents, number: int) -> dict:
    return residents.client.get(f"/api/challenges/{number}").get_json()


def recorded(residents: Residents, number: int) -> list[str]:
    """The kinds of the ledger's rows about a challenge, in their order."""
    with residents.house.database.reading() as db:
        return [row.kind for row in ledger.entries(db, 1, 100, subject=f"challenge-{number}")]


@pytest.fixture
def operate(house: Residents, monkeypatch, capsys) -> Callable[..., int]:
    """Run a command of the operator on the same data."""

    def run(*words: str) -> int:
        monkeypatch.setenv("DATA_DIR", str(house.house.settings.data_dir))
        return main(list(words))

    return run


def test_everybody_votes_on_a_new_challenge_at_the_next_beat(house):
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
    with house.house.database.reading() as db:
        votes = predictions.find_challenge(db, number).commitment.votes
        row = ledger.find(db, after["commitment"]["seq"])
    assert (row.kind, row.subject, row.hash) == ("votes", f"challenge-{number}", after["commitment"]["hash"])
    assert {vote["voter"]: vote["p"] for vote in row.body["votes"]} == {vote.voter: vote.p for vote in votes}
    weights = {vote.voter: vote.weight for vote in votes}
    assert weights.pop("apex") == 0
    assert sum(weights.values()) / 10 == pytest.approx(1)
    assert "author" not in row.body


def test_nobody_votes_twice(house):
    """However often the clock beats, whatever prices do."""
    number = challenge(house)
    house.move(BEAT_S)
    first = shown(house, number)
    for _ in range(5):
        house.move(BEAT_S)
    house.move(300)
    assert recorded(house, number) == ["question", "votes"]
    again = shown(house, number)
    assert (again["ai_votes"], again["apex"], again["commitment"]) == (
        first["ai_votes"],
        first["apex"],
        first["commitment"],
    )


def test_a_challenge_is_settled_after_its_deadline_with_what_shows_it(house):
    """By prices, with no hand, and every vote is scored."""
    number = challenge(house)
    house.move(BEAT_S)
    house.move(5 * HOUR)
    after = shown(house, number)
    assert after["status"] == "resolved"
    assert after["resolution"]["outcome"] in ("yes", "no")
    assert "of the bar of 2026-11-21T11:55:00Z" in after["resolution"]["evidence"]
    assert recorded(house, number) == ["question", "votes", "resolution", "score"]
    with house.house.database.reading() as db:
        price = next(row for row in ledger.entries(db, 1, 100, subject=f"challenge-{number}") if row.kind == "score")
        assert set(price.body["brier_by_voter"]) == {*NINE, "swarm", "apex"}
        assert verify(ledger.export(db)).fault is None


def test_what_no_price_decides_waits_for_the_operator(house, operate):
    """Its deadline passes and nothing settles it but a hand."""
    number = challenge(house, "Will the SEC approve a Solana ETF?", "2026-11-22")
    house.move(BEAT_S)
    assert shown(house, number)["resolved_by"] == "hand"
    house.move(3 * DAY)
    assert shown(house, number)["status"] == "closed"
    assert operate("challenges", "resolve", str(number), "yes", "--evidence", "https://example.com/filing") == 0
    after = shown(house, number)
    assert (after["status"], after["resolution"]["evidence"]) == ("resolved", "https://example.com/filing")
    assert recorded(house, number) == ["question", "votes", "resolution"]


def test_nobody_votes_on_a_challenge_that_is_over(furnished, tmp_path):
    """The service was down from its creation until after its deadline: it is settled, and nobody is scored on it."""
    folder = copied(furnished, tmp_path)
    with resident(folder) as residents:
        number = challenge(residents)
    with resident(folder, wall=START + 6 * HOUR) as residents:
        residents.work()
        after = shown(residents, number)
        assert (after["status"], after["ai_votes"], after["votes_pending"]) == ("resolved", {}, False)
        assert recorded(residents, number) == ["question", "resolution"]


def test_votes_that_come_after_it_was_settled_are_not_kept(house):
    """They were computed before and would be written behind what became of it."""
    number, slot = challenge(house), START + BEAT_S
    write = answer.answer(house.engine._workshop, slot)
    with house.house.database.writing() as db:
        keep_settlement(db, f"challenge-{number}", Settlement("yes", slot, "a bar", "bars"), slot)
        write(db)
    assert recorded(house, number) == ["question", "resolution"]
    assert shown(house, number)["ai_votes"] == {}


def test_a_challenge_waits_until_its_voters_know_enough(house, logged):
    """Before the strategies were ranked for the first time there is no swarm: that is no failure."""
    with house.house.database.writing() as db:
        held = snapshots.latest(db, "swarm")
        db.execute(delete(snapshot).where(snapshot.c.name == "swarm"))
    number = challenge(house)
    house.move(BEAT_S)
    assert shown(house, number)["votes_pending"]
    with house.house.database.writing() as db:
        snapshots.save(db, "swarm", held.as_of, held.body)
    house.move(BEAT_S)
    assert len(shown(house, number)["ai_votes"]) == 10
    assert not [line for line in logged if line["log_level"] == "error"]


def test_a_process_that_dies_after_computing_changes_nothing(furnished: Path, tmp_path: Path):
    """It held the slot and stood still; another one works the same slot meanwhile, and what it had is thrown away."""
    folder = copied(furnished, tmp_path)
    with resident(folder) as slow, resident(folder) as quick:
        number, slot = challenge(slow), (START + BEAT_S) // BEAT_S * BEAT_S
        slow.wall += BEAT_S
        slow.engine.ring()
        quick.wall = slow.wall + LEASE_S + 1

        def stall(workshop, slot):
            computed = answer.answer(workshop, slot)
            assert quick.engine.execute("answer", slot) == "done"
            return computed

        jobs = slow.engine._jobs
        jobs["answer"] = replace(jobs["answer"], work=stall)
        assert slow.engine.execute("answer", slot) == "lost"
        assert recorded(quick, number) == ["question", "votes"]
        with quick.house.database.reading() as db:
            assert verify(ledger.export(db)).fault is None
        assert len(shown(quick, number)["ai_votes"]) == 10


def test_what_users_say_of_a_market_is_published_within_a_minute(house):
    """And a later vote of the same caller takes the place of the first."""
    house.register()
    headers = {"X-API-Key": house.key}
    market = house.client.get("/api/v1/predictions", headers=headers).get_json()["markets"][-1]["id"]
    for said in ("yes", "no"):
        told = house.client.post(f"/api/v1/predictions/{market}/vote", json={"vote": said}, headers=headers)
        assert told.status_code == 200
        house.move(60)
        listed = house.client.get("/api/v1/predictions", headers=headers).get_json()["markets"]
        tally = next(one["user_votes"] for one in listed if one["id"] == market)
        assert (tally["yes"], tally["no"], tally["total"]) == (said == "yes", said == "no", 1)
