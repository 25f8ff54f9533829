"""What the health score is worth on recorded bars: how it ranks the strategies' results of the next month.

Every month from SINCE on is examined at its end, as the service does, and compared with the Sharpe ratios of the month
after it; the last one counts as far as the bars reach. `python -m tests.measure.hospital_worth FOLDER` prints a table.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path

from service.market.bars import Bars
from service.market.headers import month_header
from service.market.instants import HOUR
from service.market.months import begins, closed_months, ends, month_of
from service.trading.arena import Arena, run
from service.trading.health import EarlierEntry, MeasureWorth, worth_of
from service.trading.hospital import admit, past, snapshot
from service.trading.performance import sharpe
from tests.trading import markets

SINCE = "2024-07"  # the end of the first month with 90 days and more before it
BARS = Path(__file__).parents[2].parent / "shared" / "data" / "candles" / "1h-to-2025-10"


def main(folder: Path) -> None:
    print("mean rank correlation with the next month's Sharpe ratio, 95% interval over months")
    for row in measure(markets.real(folder, HOUR)):
        half = (row.high - row.low) / 2
        print(f"  {row.measure:9} {row.correlation:+.3f} ±{half:.3f}  ({row.months} months)")


def measure(hours: dict[str, Bars]) -> tuple[MeasureWorth, ...]:
    """The worth of the score and its measures over the months of hourly bars."""
    arena = run(hours, {}, min(int(bars.time[0]) for bars in hours.values()))
    closed = closed_months(begins(SINCE), arena.as_of)
    months: dict[str, dict[str, EarlierEntry]] = {}
    for month in (*closed, month_of(ends(closed[-1]))):
        months[month] = entries(arena, month, months)
    return worth_of(months)


def entries(arena: Arena, month: str, months: dict[str, dict[str, EarlierEntry]]) -> dict[str, EarlierEntry]:
    """The strategies at the end of a month, with the result of those of its days that are recorded."""
    patients, header = admit(arena, month), month_header(ends(month), month, world="replay", sources={})
    exam = past(asdict(snapshot(month, patients, months, header)))
    days = int(((arena.days > begins(month)) & (arena.days <= ends(month))).sum())
    return {
        patient.key: replace(exam[patient.key], month_sharpe=sharpe(patient.returns[-days:])) for patient in patients
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BARS)
