"""The table of days on which COMEX metals do not trade: `python -m tests.measure.holidays` writes it anew.

A line is a date in New York and the hour from which the market is closed, 0 for the whole day. The metals close on New
Year's Day, Good Friday and Christmas Day, and on the evenings before the first two. On the other holidays of the New
York Stock Exchange they stop at 14:30, on its half days at 13:45, both rounded up to the hour. Stock exchanges mourn;
the metals trade on.
"""

from __future__ import annotations

from datetime import date, timedelta

from holidays.financial.ny_stock_exchange import NewYorkStockExchange

from service.market.assets import EVENING_H, HOLIDAYS

YEARS = range(2010, 2051)
WITH_EVENING = ("New Year's Day", "Good Friday")
CLOSED = (*WITH_EVENING, "Christmas Day")
TRADING_NAMES = ("Mourning", "Hurricane")
HOLIDAY_H, HALF_DAY_H = 15, 14


def table() -> dict[date, int]:
    """The hour from which the metals are closed, by date in New York."""
    half_days = dict.fromkeys(NewYorkStockExchange(years=YEARS, categories=("half_day",)), HALF_DAY_H)
    days = NewYorkStockExchange(years=YEARS)
    names = {day: name for day, name in days.items() if not any(word in name for word in TRADING_NAMES)}
    evenings = {day - timedelta(days=1): EVENING_H for day, name in names.items() if name.startswith(WITH_EVENING)}
    holidays = {day: 0 if name.startswith(CLOSED) else HOLIDAY_H for day, name in names.items()}
    return dict(sorted((evenings | half_days | holidays).items()))


def main() -> None:
    """Write the table."""
    HOLIDAYS.write_text("".join(f"{day} {hour}\n" for day, hour in table().items()))


if __name__ == "__main__":
    main()
