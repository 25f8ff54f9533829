"""Live and backfilled scores are two books."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.jobs.track_record import document, opened, settled


@pytest.mark.slow
def test_the_books_stay_apart(house, old_house):
    """What was committed live is in one book, and of the past only what was still open is new in the other."""
    before, after = settled(house, backfilled=True), settled(old_house, backfilled=True)
    assert {market_id: after[market_id] for market_id in before} == before
    assert set(after) - set(before) <= set(opened(house))
    books = {book["backfilled"]: book for book in document(old_house, "ai-vs-market")["books"]}
    counts = {
        backfilled: sum(market.settlement.outcome != "void" for market in settled(old_house, backfilled).values())
        for backfilled in (False, True)
    }
    assert {backfilled: book["n"] for backfilled, book in books.items()} == counts
    voters = Counter((row["voter"], row["backfilled"]) for row in document(old_house, "streaks")["streaks"])
    assert set(voters.values()) == {1}
    assert {oracle for oracle, backfilled in voters if not backfilled} > {"consensus", "vol"}
    assert not document(old_house, "apex")["backfilled"]


def test_user_votes_are_published_within_a_minute(house):
    """And a later vote of the same caller takes the place of the first."""
    house.register()
    headers = {"X-API-Key": house.key}
    market = house.client.get("/api/v1/predictions", headers=headers).get_json()["markets"][-1]["id"]
    for vote in ("yes", "no"):
        answer = house.client.post(f"/api/v1/predictions/{market}/vote", json={"vote": vote}, headers=headers)
        assert answer.status_code == 200
        house.move(60)
        markets = house.client.get("/api/v1/predictions", headers=headers).get_json()["markets"]
        tally = next(entry["user_votes"] for entry in markets if entry["id"] == market)
        assert (tally["yes"], tally["no"], tally["total"]) == (vote == "yes", vote == "no", 1)
