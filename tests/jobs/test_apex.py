"""Calls of apex and the fund that follows them."""

from __future__ import annotations

from tests.jobs.track_record import document


def test_the_first_start_has_sixty_fund_days_and_headlines(house):
    fund, news = document(house, "apex-fund"), document(house, "news-pulse")
    assert fund["days"] >= 60
    assert (fund["live_since"], len(fund["equity"]) > 60) == (None, True)
    assert len(news["headlines"]) >= 10
    assert all(row["simulated"] for row in news["headlines"])
    assert document(house, "apex")["backfilled"]
