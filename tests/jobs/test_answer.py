"""The votes on a challenge: cast at the next beat, and once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete

from service.jobs import apex
from service.jobs.engine import LEASE_S
from service.ledger.verifier import verify
from service.market.instants import HOUR, iso
from service.store import ledger, predictions, snapshots
from service.store.tables import snapshot
from tests.jobs.challenges import BEAT_S, NINE, challenge, recorded, shown
from tests.running_service import START, copied, running_service


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
    again = shown(house, number)
    assert (again["ai_votes"], again["apex"], again["commitment"]) == (
        first["ai_votes"],
        first["apex"],
        first["commitment"],
    )


@pytest.mark.slow
def test_a_finished_challenge_gets_no_votes(seeded, tmp_path):
    """The service was down from its creation until after its deadline: it is settled without scores."""
    folder = copied(seeded, tmp_path)
    with running_service(folder) as running:
        number = challenge(running)
    with running_service(folder, wall=START + 6 * HOUR) as running:
        running.work()
        after = shown(running, number)
        assert (after["status"], after["ai_votes"], after["votes_pending"]) == ("resolved", {}, False)
        assert recorded(running, number) == ["question", "resolution"]


def test_a_challenge_waits_until_its_voters_know_enough(house, logged):
    """Before the strategies were ranked for the first time there is no swarm: that is no failure."""
    with house.runtime.database.writing() as db:
        held = snapshots.latest_snapshot(db, "swarm")
        db.execute(delete(snapshot).where(snapshot.c.name == "swarm"))
    number = challenge(house)
    house.move(BEAT_S)
    assert shown(house, number)["votes_pending"]
    with house.runtime.database.writing() as db:
        snapshots.save_snapshot(db, "swarm", held.as_of, held.body)
    house.move(BEAT_S)
    assert len(shown(house, number)["ai_votes"]) == 10
    assert not [line for line in logged if line["log_level"] == "error"]


@pytest.mark.slow
def test_a_process_that_dies_after_computing_changes_nothing(seeded: Path, tmp_path: Path):
    """It held the slot and stood still; another one works the same slot meanwhile, and what it had is thrown away."""
    folder = copied(seeded, tmp_path)
    with running_service(folder) as slow, running_service(folder) as quick:
        number, slot = challenge(slow), (START + BEAT_S) // BEAT_S * BEAT_S
        slow.wall += BEAT_S
        slow.engine.dispatch()
        quick.wall = slow.wall + LEASE_S + 1

        def stall(job_context, slot):
            computed = apex.answer(job_context, slot)
            assert quick.engine.execute("answer", slot) == "done"
            return computed

        jobs = slow.engine._jobs
        jobs["answer"] = replace(jobs["answer"], work=stall)
        assert slow.engine.execute("answer", slot) == "lost"
        assert recorded(quick, number) == ["question", "votes"]
        with quick.runtime.database.reading() as db:
            assert verify(ledger.export(db)).fault is None
        assert len(shown(quick, number)["ai_votes"]) == 10
