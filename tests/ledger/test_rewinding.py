"""A world that was taken back: time may go back in the ledger there, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from service.ledger.chain import NEVER_TAKEN_BACK, ChainEntry, LedgerRow, chained, is_rewinding
from service.ledger.commitments import commitment
from tests.ledger.books import verified

BEFORE, FUTURE, BACK = "2026-11-21T10:00:00Z", "2026-11-24T10:00:00Z", "2026-11-21T12:00:00Z"
MARKET, OWL, SALT = "daily-btc-up", "0af3", "a1" * 16
FORECAST = LedgerRow("forecast", OWL, {"market": MARKET, "commitment": commitment(MARKET, OWL, 0.62, SALT)}, False)
RESOLUTION = LedgerRow("resolution", MARKET, {"outcome": "yes"}, False)
REVEAL = LedgerRow("reveal", OWL, {"market": MARKET, "forecast": 1, "p_yes": 0.62, "salt": SALT}, False)


def recorded(*parts: tuple[str, list[LedgerRow]]) -> list[ChainEntry]:
    """Rows at their instants."""
    entries: list[ChainEntry] = []
    for instant, rows in parts:
        entries += chained(rows, instant, entries[-1] if entries else None)
    return entries


def corrections(entries: Iterable[ChainEntry], rewound_to: str) -> list[LedgerRow]:
    """The rows that take back `entries`, the last one first; some may be taken back already."""
    standing: list[ChainEntry] = []
    for entry in entries:
        if is_rewinding(entry):
            standing.pop()
        elif entry.kind not in NEVER_TAKEN_BACK:
            standing.append(entry)
    return [
        LedgerRow("correction", entry.subject, {"corrects": entry.seq, "rewound_to": rewound_to}, entry.backfilled)
        for entry in reversed(standing)
    ]


def taken_back(before: list[LedgerRow], rows_of_future: list[LedgerRow], after: list[LedgerRow]) -> list[ChainEntry]:
    """Rows before a jump of the clock, rows ahead of time that are taken back, and rows after that."""
    first = recorded((BEFORE, before), (FUTURE, rows_of_future))
    rows = [*corrections(first[len(before) :], BACK), *after]
    return [*first, *chained(rows, BACK, first[-1])]


def test_a_ledger_that_was_taken_back_is_valid():
    """Each row ahead of time has a correction, time goes on from the instant of the corrections, and it is counted."""
    entries = taken_back([FORECAST], [RESOLUTION, REVEAL], [RESOLUTION])
    assert [entry.body.get("corrects") for entry in entries] == [None, None, None, 3, 2, None]
    verification = verified(entries)
    assert (verification.fault, verification.rewinds, verification.taken_back, verification.rows) == (None, 1, 2, 6)
    assert verification.taken_back_since == FUTURE


def test_a_rewind_without_a_jump_is_counted():
    """Time need not fall: an hour ahead may be taken back the next morning."""
    first = recorded((BEFORE, [FORECAST, RESOLUTION]))
    entries = [*first, *chained(corrections(first[1:], BACK), BACK, first[-1])]
    verification = verified(entries)
    assert (verification.fault, verification.rewinds, verification.taken_back) == (None, 1, 1)


def test_a_second_rewind_takes_back_what_stands():
    """It goes back to an older backup, and names no row twice."""
    first = taken_back([FORECAST], [RESOLUTION], [RESOLUTION, REVEAL])
    second = list(corrections(first, FUTURE))
    assert [row.body["corrects"] for row in second] == [5, 4, 1]
    verification = verified([*first, *chained(second, FUTURE, first[-1])])
    assert (verification.fault, verification.rewinds, verification.taken_back) == (None, 2, 4)


@pytest.mark.parametrize("seqs", [[2], [1, 3], [3, 1], [None], [3, 2, 1, 1]])
def test_a_rewind_cannot_choose_rows(seqs: list[int | None]):
    """The last row that stands comes first; a row left out, unnamed or named twice is a fault."""
    rows = [LedgerRow("correction", MARKET, {"corrects": seq, "rewound_to": FUTURE}, False) for seq in seqs]
    entries = recorded((BEFORE, [FORECAST, RESOLUTION, REVEAL]), (FUTURE, rows))
    assert "which is not the last that stands" in str(verified(entries).fault)


@pytest.mark.parametrize("after", [[], [RESOLUTION]])
def test_a_rewind_does_not_pass_a_row_that_stands(after: list[LedgerRow]):
    """Who goes back to January takes back every row since, and the verification says so."""
    first = recorded((BEFORE, [FORECAST]), (FUTURE, [RESOLUTION]))
    instant = "2026-01-01T00:00:00Z"
    rows = [*corrections(first[1:], instant), *after]
    fault = verified([*first, *chained(rows, instant, first[-1])]).fault
    assert fault == f"The world was taken back to {instant}, before row 1, which stands."


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("votes", {"rewound_to": BACK}),
        ("correction", {"corrects": 2}),
        ("correction", {"corrects": 2, "rewound_to": BEFORE}),
    ],
)
def test_no_other_row_may_be_earlier(kind: Any, body: dict[str, Any]):
    entries = recorded((BEFORE, [FORECAST]), (FUTURE, [RESOLUTION]), (BACK, [LedgerRow(kind, MARKET, body, False)]))
    assert verified(entries).fault == "Row 3 has an earlier time than the previous row."


@pytest.mark.parametrize("instant", ["", "yesterday", "2026-11-21T12:00:00", "2026-11-21T12:00:00Z\n"])
def test_an_invalid_time_is_a_fault(instant: str):
    """It would come before every row that stands."""
    first = recorded((BEFORE, [FORECAST]), (FUTURE, [RESOLUTION]))
    rows = corrections(first[1:], instant)
    assert "Row 3 has an invalid time" in str(verified([*first, *chained(rows, instant, first[-1])]).fault)


def test_time_does_not_go_back_again_after_it():
    entries = taken_back([FORECAST], [RESOLUTION], [])
    assert verified([*entries, *chained([RESOLUTION], BEFORE, entries[-1])]).seq == len(entries) + 1


def test_what_was_revealed_ahead_is_revealed_again():
    verification = verified(taken_back([FORECAST], [RESOLUTION, REVEAL], [RESOLUTION, REVEAL]))
    assert (verification.fault, verification.revealed, verification.withheld) == (None, 1, 0)


def test_a_forecast_hidden_after_it_counts_as_withheld():
    """Taking back hides nothing: a market that is settled again without showing its forecast is counted."""
    second = taken_back([FORECAST], [RESOLUTION, REVEAL], [RESOLUTION])
    assert [verified(entries).withheld for entries in (second, second[:-1])] == [1, 0]


def test_a_forecast_made_ahead_of_time_does_not_count():
    for rows_of_future in ([FORECAST, RESOLUTION], [FORECAST, RESOLUTION, REVEAL]):
        verification = verified(taken_back([], rows_of_future, [RESOLUTION]))
        assert (verification.fault, verification.forecasts, verification.withheld) == (None, 0, 0)


def test_an_ordinary_correction_hides_no_forecast():
    """Only a rewind, which the verification reports, takes rows out of the count."""
    correction = LedgerRow("correction", MARKET, {"corrects": 2, "note": "wrong"}, False)
    assert verified(recorded((BEFORE, [FORECAST, RESOLUTION, correction]))).withheld == 1
