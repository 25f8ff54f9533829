"""A forecast that is revealed is the one that a row committed to, also where the world was taken back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import pytest

from service.ledger import chain
from service.ledger.__main__ import main
from service.ledger.chain import ChainEntry, LedgerRow, chained, digest
from service.ledger.commitments import commitment
from service.ledger.verifier import Verification, verify
from tests.ledger.books import corrections, joined, verified

MARKET, OWL, SALT = "daily-btc-up", "0af3", "a1" * 16
FORECAST = LedgerRow("forecast", OWL, {"market": MARKET, "commitment": commitment(MARKET, OWL, 0.62, SALT)}, False)
BEFORE, FUTURE, BACK = "2026-11-21T10:00:00Z", "2026-11-24T10:00:00Z", "2026-11-21T12:00:00Z"
RESOLUTION = LedgerRow("resolution", MARKET, {"outcome": "yes"}, False)


def revealed(subject: str = OWL, **changes: Any) -> LedgerRow:
    """The row that reveals row 1."""
    return LedgerRow("reveal", subject, {"market": MARKET, "forecast": 1, "p_yes": 0.62, "salt": SALT} | changes, False)


REVEAL = revealed()


def recorded(*parts: tuple[str, list[LedgerRow]], after: Iterable[ChainEntry] = ()) -> list[ChainEntry]:
    """Rows at their instants, after these ones."""
    entries = [*after]
    for instant, rows in parts:
        entries += chained(rows, instant, entries[-1] if entries else None)
    return entries


def check(*rows: LedgerRow) -> Verification:
    return verified(recorded((BACK, list(rows))))


def test_a_revealed_forecast_matches_its_commitment():
    verification = check(FORECAST, RESOLUTION, REVEAL)
    assert (verification.fault, verification.forecasts, verification.revealed, verification.withheld) == (None, 1, 1, 0)


def test_the_commitment_is_a_plain_hash():
    """Anybody can compute it: the SHA-256 of canonical JSON with sorted names."""
    text = f'{{"forecaster":"{OWL}","market":"{MARKET}","p_yes":0.62,"salt":"{SALT}"}}'
    assert commitment(MARKET, OWL, 0.62, SALT) == hashlib.sha256(text.encode()).hexdigest()


CHANGES = [{"p_yes": 0.63}, {"p_yes": "0.62"}, {"p_yes": None}, {"salt": "b2" * 16}, {"salt": None}]


@pytest.mark.parametrize("changes", [*CHANGES, {"market": "another"}, {"subject": "another"}])
def test_another_forecast_is_a_fault(changes: dict):
    verification = check(FORECAST, RESOLUTION, revealed(**changes))
    assert (verification.fault, verification.seq) == ("Row 3 reveals another forecast than row 1 committed to.", 3)


@pytest.mark.parametrize("place", [2, 7, "1", None, [1]])
def test_a_row_without_commitment_cannot_be_revealed(place: Any):
    fault = check(FORECAST, RESOLUTION, revealed(forecast=place)).fault
    assert fault == f"Row 3 reveals row {place!r}, which is not a hidden forecast."


def test_a_forecast_is_revealed_once():
    """And an empty commitment reveals nothing."""
    assert "not a hidden forecast" in str(check(FORECAST, REVEAL, REVEAL).fault)
    assert check(LedgerRow("forecast", OWL, {}, False), revealed(market=None, p_yes=None)).seq == 2


def test_a_withheld_forecast_is_counted():
    """It is hidden although its market is settled: the service shows only what suits it."""
    rows = [FORECAST, RESOLUTION, REVEAL]
    assert [check(*rows[:count]).withheld for count in (1, 2, 3)] == [0, 1, 0]


INPUTS = [{"contexts": {"btc": {"spot": 50_000.0 + place, "slow": 1e-7}}, "fits": None} for place in range(3)]
FEATURES = [digest(inputs) for inputs in INPUTS]


def rows_of(*inputs: dict) -> list[str]:
    """Lines as a client writes the rows that it read."""
    return [json.dumps({"hash": digest(row), "asset": "btc", "inputs": row}) + "\n" for row in inputs]


def ledger(*features: str | None) -> list[str]:
    """A ledger with votes that commit to inputs."""
    rows = [LedgerRow("votes", f"daily-{place}", {"features": hash}, False) for place, hash in enumerate(features)]
    rows.append(LedgerRow("odds", "daily-0", {"features": FEATURES[0]}, False))
    return [chain.line("row", vars(entry)) for entry in recorded((BACK, rows))]


def check_inputs(inputs: list[str]) -> Verification:
    return verify(ledger(FEATURES[0], FEATURES[0], FEATURES[1], None), inputs=inputs)


@pytest.mark.parametrize(
    ("inputs", "with_inputs", "rest"),
    [([], 0, 0), (INPUTS[:1], 2, 0), (INPUTS, 3, 1), ([INPUTS[0], {**INPUTS[1], "fits": {"slot": 1}}], 2, 1)],
    ids=["none", "one", "all", "one with a hash of its own"],
)
def test_votes_are_counted_with_their_inputs(inputs: list[dict], with_inputs: int, rest: int):
    """Votes of the first edition commit to none; other rows are no votes; the ledger holds the old hash."""
    result = check_inputs(rows_of(*inputs))
    assert (result.fault, result.votes, result.with_inputs, result.unused) == (None, 3, with_inputs, rest)


def test_a_changed_input_is_found():
    """Wherever it is, and however little it changed."""
    lines = rows_of(*INPUTS)
    lines[1] = lines[1].replace("1e-07", "1.0000000000000001e-07")
    hash = digest({**INPUTS[1], "contexts": {"btc": {"spot": 50_001.0, "slow": 1.0000000000000001e-7}}})
    sentence = f"The inputs in line 2 were changed: their hash is {hash}, not {FEATURES[1]}."
    assert check_inputs(lines).fault == sentence


@pytest.mark.parametrize("line", ["", "[]", "{}", "null", '{"hash": 1, "inputs": NaN}', "[" * 9_999])
def test_a_line_that_is_no_row_is_found(line: str):
    assert check_inputs([*rows_of(INPUTS[0]), line]).fault == "Line 2 of the inputs is not a row of /api/v1/features."


def test_the_command_reads_a_file_of_inputs(tmp_path, capsys):
    book, inputs = tmp_path / "ledger.jsonl", tmp_path / "features.jsonl"
    book.write_text(joined(ledger(*FEATURES)), newline="\n")
    inputs.write_text("".join(rows_of(*INPUTS[1:])))
    assert main(["verify", str(book), "--features", str(inputs)]) == 0
    report = capsys.readouterr().out
    assert "Votes: 3, made from inputs in the file: 2. Inputs of no vote in this ledger: 0." in report
    inputs.write_text(inputs.read_text().replace("50001.0", "50001.5"))
    assert main(["verify", str(book), "--features", str(inputs)]) == 1
    assert "The inputs in line 1 were changed" in capsys.readouterr().out
    assert main(["verify", str(book), "--features", str(tmp_path / "none")]) == 2


def taken_back(before: list[LedgerRow], rows_of_future: list[LedgerRow], after: list[LedgerRow]) -> list[ChainEntry]:
    """Rows before a jump of the clock, rows ahead of time that are taken back, and rows after that."""
    first = recorded((BEFORE, before), (FUTURE, rows_of_future))
    return recorded((BACK, [*corrections(first[len(before) :], BACK), *after]), after=first)


def counts(entries: Iterable[ChainEntry]) -> tuple[str | None, int, int]:
    """The fault of a ledger, how often it was taken back, and how many rows."""
    verification = verified(entries)
    return verification.fault, verification.rewinds, verification.taken_back


def test_a_ledger_that_was_taken_back_is_valid():
    """Each row ahead of time has a correction, time goes on from the instant of the corrections, and it is counted."""
    entries = taken_back([FORECAST], [RESOLUTION, REVEAL], [RESOLUTION])
    assert [entry.body.get("corrects") for entry in entries] == [None, None, None, 3, 2, None]
    assert counts(entries) == (None, 1, 2)
    assert (verified(entries).rows, verified(entries).taken_back_since) == (6, FUTURE)


def test_a_rewind_without_a_jump_is_counted():
    """Time need not fall: an hour ahead may be taken back the next morning."""
    first = recorded((BEFORE, [FORECAST, RESOLUTION]))
    assert counts(recorded((BACK, corrections(first[1:], BACK)), after=first)) == (None, 1, 1)


def test_a_second_rewind_takes_back_what_stands():
    """It goes back to an older backup, and names no row twice."""
    first = taken_back([FORECAST], [RESOLUTION], [RESOLUTION, REVEAL])
    second = corrections(first, FUTURE)
    assert [row.body["corrects"] for row in second] == [5, 4, 1]
    assert counts(recorded((FUTURE, second), after=first)) == (None, 2, 4)


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
    fault = verified(recorded((instant, [*corrections(first[1:], instant), *after]), after=first)).fault
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
    entries = recorded((instant, corrections(first[1:], instant)), after=first)
    assert "Row 3 has an invalid time" in str(verified(entries).fault)


def test_time_does_not_go_back_again_after_it():
    entries = taken_back([FORECAST], [RESOLUTION], [])
    assert verified(recorded((BEFORE, [RESOLUTION]), after=entries)).seq == len(entries) + 1


@pytest.mark.parametrize(
    ("entries", "forecasts", "reveals", "withheld"),
    [
        (taken_back([FORECAST], [RESOLUTION, REVEAL], [RESOLUTION, REVEAL]), 1, 1, 0),
        (taken_back([FORECAST], [RESOLUTION, REVEAL], [RESOLUTION]), 1, 0, 1),
        (taken_back([FORECAST], [RESOLUTION, REVEAL], []), 1, 0, 0),
        (taken_back([], [FORECAST, RESOLUTION], [RESOLUTION]), 0, 0, 0),
        (taken_back([], [FORECAST, RESOLUTION, REVEAL], [RESOLUTION]), 0, 0, 0),
    ],
    ids=["revealed again", "hidden after it", "not settled again", "made ahead", "made and revealed ahead"],
)
def test_what_stands_after_a_rewind_is_counted(entries, forecasts: int, reveals: int, withheld: int):
    """Taking back hides nothing: a market that is settled again without showing its forecast is counted."""
    result = verified(entries)
    assert (result.fault, result.forecasts, result.revealed, result.withheld) == (None, forecasts, reveals, withheld)


def test_an_ordinary_correction_hides_no_forecast():
    """Only a rewind, which the verification reports, takes rows out of the count."""
    correction = LedgerRow("correction", MARKET, {"corrects": 2, "note": "wrong"}, False)
    assert verified(recorded((BEFORE, [FORECAST, RESOLUTION, correction]))).withheld == 1
