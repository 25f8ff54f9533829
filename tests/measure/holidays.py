"""The table of days on which COMEX metals do not trade: `python -m tests.measure.holidays` writes it anew.

A line is a date in New York and the hour from which the market is closed, 0 for the whole day. The metals close on the
holidays of the New York Stock Exchange; on those, and on its half days, they have short sessions at most, which data
vendors leave out, so the whole day counts as closed. They are also closed on the evening before New Year's Day and
Good Friday. Stock exchanges mourn; the metals trade on.
"""

from __future__ import annotations

from datetime import date, timedelta

from holidays.financial.ny_stock_exchange import NewYorkStockExchange

from service.market.assets import HOLIDAYS

YEARS = range(2010, 2051)
WITH_EVENING = ("New Year's Day", "Good Friday")
TRADING_NAMES = ("Mourning", "Hurricane")
EVENING_H = 18


def table() -> dict[date, int]:
    """The hour from which the metals are closed, by date in New York."""
    days = NewYorkStockExchange(years=YEARS, categories=("public", "half_day"))
    holidays = {day: name for day, name in days.items() if not any(word in name for word in TRADING_NAMES)}
    evenings = {day - timedelta(days=1): EVENING_H for day, name in holidays.items() if name.startswith(WITH_EVENING)}
    return dict(sorted((evenings | dict.fromkeys(holidays, 0)).items()))


def main() -> None:
    """Write the table."""
    HOLIDAYS.write_text("".join(f"{day} {hour}\n" for day, hour in table().items()))


if __name__ == "__main__":
    main()
