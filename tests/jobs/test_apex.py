"""Calls of apex and the fund that follows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.track_record import document
from tests.running_service import running_service


@pytest.mark.slow
def test_the_first_start_has_sixty_fund_days_and_headlines(tmp_path: Path):
    with running_service(tmp_path, history_days=156) as running:
        running.work()
        fund, news = document(running, "apex-fund"), document(running, "news-pulse")
        assert fund["days"] >= 60
        assert (fund["live_since"], len(fund["equity"]) > 60) == (None, True)
        assert len(news["headlines"]) >= 10
        assert all(row["simulated"] for row in news["headlines"])
        assert document(running, "apex")["backfilled"]
