"""The numbers of one horizon of a price forecast as small tables: quantiles, voters, and the record."""

from __future__ import annotations

from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.wording import Document, minute, number, price
from notebooks.widgets.forecast.calibration import coverages, ratio_text

SPAN = ("5", "95")


def quantile_tables(name: str, horizon: Document) -> tuple[str, str]:
    """The quantiles of the price, and the volatility that each voter expects, as HTML."""
    quantiles = [Fact(f"{percent}% below", price(value)) for percent, value in horizon["quantiles"].items()]
    views = {"pool": horizon, **horizon["voters"]}
    rows = [
        [voter, number(view["sigma_pct"], ".3f"), *(price(view["quantiles"][percent]) for percent in SPAN)]
        for voter, view in views.items()
    ]
    columns = ("voter", "sigma, %", *(f"{percent}% below, USD" for percent in SPAN))
    title = f"{name} after {horizon['horizon']}, USD, at {minute(horizon['until'])}"
    return table(title, quantiles), grid("what each voter expects (sigma: of the log return)", columns, rows)


def record_facts(horizon: str, record: Document) -> str:
    """The record of the forecasts of one horizon, as HTML; an empty string without a resolved one."""
    if not record["n"]:
        return ""
    inside = [Fact(f"inside the {nominal}% interval", str(share)) for nominal, share in coverages(record).items()]
    return table(
        f"resolved {horizon} forecasts of all assets",
        [
            Fact("number", record["n"]),
            Fact("effective number", record["n_eff"]),
            *inside,
            Fact("CRPS over that of plain volatility", ratio_text(record)),
            Fact("verdict", record["verdict"]),
            Fact("number needed for a verdict", record["needed"]),
        ],
    )
