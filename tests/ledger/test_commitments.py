"""A forecast that is revealed must be the one that an earlier row committed to."""

from __future__ import annotations

from typing import Any

import pytest

from service.ledger import export
from service.ledger.chain import LedgerRow, chained
from service.ledger.commitments import commitment
from service.ledger.verifier import Verification, verify

MARKET, OWL, SALT = "daily-btc-up", "0af3", "a1" * 16
HIDDEN = LedgerRow("forecast", OWL, {"market": MARKET, "commitment": commitment(MARKET, OWL, 0.62, SALT)}, False)
SETTLED = LedgerRow("resolution", MARKET, {"outcome": "yes"}, False)


def revealed(subject: str = OWL, **changes: Any) -> LedgerRow:
    """The row that reveals row 1."""
    return LedgerRow("reveal", subject, {"market": MARKET, "forecast": 1, "p_yes": 0.62, "salt": SALT} | changes, False)


def check(*rows: LedgerRow) -> Verification:
    entries = chained(rows, "2026-11-21T12:00:00Z", None)
    return verify(export.line("row", vars(entry)) for entry in entries)


def test_a_revealed_forecast_matches_its_commitment():
    verification = check(HIDDEN, SETTLED, revealed())
    assert (verification.fault, verification.forecasts, verification.revealed, verification.withheld) == (None, 1, 1, 0)


def test_the_commitment_is_a_plain_hash():
    """Anybody can compute it: the SHA-256 of canonical JSON with sorted names."""
    import hashlib

    text = f'{{"forecaster":"{OWL}","market":"{MARKET}","p_yes":0.62,"salt":"{SALT}"}}'
    assert commitment(MARKET, OWL, 0.62, SALT) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "row",
    [
        revealed(p_yes=0.63),
        revealed(salt="b2" * 16),
        revealed(market="another"),
        revealed(subject="another"),
        revealed(p_yes="0.62"),
        revealed(p_yes=None),
        revealed(salt=None),
    ],
)
def test_another_forecast_is_a_fault(row: LedgerRow):
    verification = check(HIDDEN, SETTLED, row)
    assert (verification.fault, verification.seq) == ("Row 3 reveals another forecast than row 1 committed to.", 3)


@pytest.mark.parametrize("place", [2, 7, "1", None, [1]])
def test_a_row_without_commitment_cannot_be_revealed(place: Any):
    assert check(HIDDEN, SETTLED, revealed(forecast=place)).fault == (
        f"Row 3 reveals row {place!r}, which is not a hidden forecast."
    )


def test_a_forecast_is_revealed_once():
    assert "not a hidden forecast" in str(check(HIDDEN, revealed(), revealed()).fault)


def test_an_empty_commitment_reveals_nothing():
    empty = LedgerRow("forecast", OWL, {}, False)
    assert check(empty, revealed(market=None, p_yes=None)).seq == 2


def test_a_withheld_forecast_is_counted():
    """It is hidden although its market is settled: the service shows only what suits it."""
    assert [check(*rows).withheld for rows in ([HIDDEN], [HIDDEN, SETTLED], [HIDDEN, SETTLED, revealed()])] == [0, 1, 0]
