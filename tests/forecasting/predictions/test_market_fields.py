"""Markets as a table: one row each, an unknown value is empty."""

from __future__ import annotations

import csv
from io import StringIO

from service.forecasting.predictions.market_fields import COLUMNS, markets_table
from tests.forecasting.predictions.listed import listed


def lines(*markets) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(markets_table(markets, "simulated").to_csv().decode(), newline="")))


def test_a_market_is_a_line_under_the_names():
    (line,) = lines(listed(tally=(3, 1)))
    assert tuple(line) == tuple(COLUMNS)
    assert (line["id"], line["asset"], line["template"], line["level"]) == ("daily-x", "btc", "touch_above", "55000.0")
    assert (line["user_yes"], line["user_no"], line["bid"], line["ledger_seq"]) == ("3", "1", "0.47", "17")
    assert (line["backfilled"], line["simulated"]) == ("true", "true")
    assert line["world"] == "simulated"


def test_what_a_market_lacks_is_empty():
    (line,) = lines(listed(odds=None, commitment=None))
    assert {line[name] for name in ("p_ai", "p_market", "bid", "divergence_pts", "outcome", "bet_side")} == {""}


def test_without_markets_the_names_stand_alone():
    assert markets_table([], "live").to_csv().decode() == ",".join(COLUMNS) + "\r\n"
