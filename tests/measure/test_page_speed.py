"""The measurement of pages runs, which nobody sees until somebody measures."""

from __future__ import annotations

from tests.measure import page_speed


def test_both_ends_of_a_listing_are_timed(sqlite_url: str, monkeypatch):
    """A page of bars, then the first and the last page of markets, without votes and with them."""
    for name, count in {"MARKETS": 400, "AT_ONCE": 100, "LIMIT": 10, "BARS": 200, "ROUNDS": 1}.items():
        monkeypatch.setattr(page_speed, name, count)
    names = [str(figure) for figure in page_speed.timed("SQLite", sqlite_url)]
    assert len(names) == 5
    assert sum("last cursor" in name for name in names) == 2
