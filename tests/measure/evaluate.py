"""Each voter and the pool, walked forward over real hourly bars: `make evaluate`, or with `BARS=folder` over others.

Priors, inputs and tree settings were chosen on bars before August 2024; the months scored here by default begin
there. Nothing is fitted to a label that was not known at the start of the month in which it is used.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from service.config import Settings
from service.market.bars import resample
from service.market.instants import DAY, HOUR, iso
from service.sources.feeds.replay import open_replay
from tests.measure.walk_forward import MEAN_VOTER, PLAIN, POOL, Interval, Score, walk_forward

BARS = Path(__file__).parents[3] / "shared" / "data" / "candles" / "1h"
LEARNT_FIRST = 180 * DAY  # of bars before the first month that is scored


def evaluate(folder: Path) -> list[Score]:
    """The scores over the months of a folder of CSV files that begin 180 days after its first bar."""
    feed = open_replay(Settings(world="replay", replay_dir=folder))
    hourly = {asset: resample(bars, HOUR) for asset, bars in feed.bars.items()}
    since = feed.history_from + LEARNT_FIRST
    print(f"Bars of {', '.join(hourly)} from {iso(feed.history_from)} to {iso(feed.ends)}; scored from {iso(since)}.")
    return walk_forward(hourly, since)


def show(scores: list[Score]) -> None:
    """Print the table: Brier scores, lower is better, with 95 % intervals clustered by week."""
    against = ("base rate", PLAIN, "the mean voter")
    titles = "  ".join(f"{'against ' + name:>27}" for name in against)
    print(f"\n{'':24}{'questions':>9}  {'Brier':>7}  {titles}")
    for score in scores:
        differences = "  ".join(map(_interval_text, (score.against_base, score.against_plain, score.against_mean)))
        print(f"{score.group:11}{score.name:13}{score.questions:9d}  {score.brier:7.5f}  {differences}")


def _interval_text(difference: Interval) -> str:
    return f"{difference.mean:+.5f} [{difference.low:+.5f}, {difference.high:+.5f}]"


def promises(scores: list[Score]) -> dict[str, bool]:
    """What the project promises of its voters, and whether it held."""
    brier = {(score.group, score.name): score.brier for score in scores}
    kept = {
        f"the pool is not worse than its mean voter on {group}": brier[group, POOL] <= brier[group, MEAN_VOTER]
        for group in ("direction", "levels")
    }
    return kept | {
        f"{name} is better than {PLAIN} on levels": brier["levels", name] < brier["levels", PLAIN]
        for name in ("logit", "forest", POOL)
    }


def main() -> int:
    """Print the table and the promises; 1 when one of them is broken."""
    parser = argparse.ArgumentParser(description="Walk the voters forward over real hourly bars.")
    parser.add_argument("folder", nargs="?", type=Path, default=BARS, help="CSV files named for their assets")
    scores = evaluate(parser.parse_args().folder)
    if not scores:
        print("No month to score: the bars end before the first one is over.")
        return 1
    show(scores)
    print()
    kept = promises(scores)
    for promise, holds in kept.items():
        print(f"{'holds ' if holds else 'BROKEN'}  {promise}")
    return 0 if all(kept.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
