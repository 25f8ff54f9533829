"""The work of the jobs does not grow with what is settled and how long the history is; counted, not timed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.measure import growth

# Jobs that read what is settled, or bars; the steps of their queries are counted.
CHECKS = (
    *("settle", "predict", "list_markets", "renew_opinions", "widget", "seal", "observe"),
    *("rank", "battle", "record_prices", "apex", "news", "score"),
)
MOST_GROWTH = 1.2


@pytest.mark.slow
def test_more_markets_and_bars_are_not_more_work(seeded: Path, tmp_path: Path):
    """A year and its markets compared with a first start: after its first hour a process reads the newest alone."""
    few, many = (shutil.copytree(seeded, tmp_path / name) for name in ("few", "many"))
    growth.age(many, 360, tables=("bar", "lane_bar", "markets"))
    before, after = (growth.live(folder, 1) for folder in (few, many))
    assert after.days >= 3 * before.days
    assert after.markets >= 3 * before.markets
    steps = {name: (before.steps.get(name, growth.COUNT_STEP), after.steps.get(name, 0)) for name in CHECKS}
    assert {name: pair for name, pair in steps.items() if pair[1] > MOST_GROWTH * pair[0]} == {}
