"""A forecast that is revealed must be the one that an earlier row committed to."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from service.ledger import chain
from service.ledger.__main__ import main
from service.ledger.chain import LedgerRow, chained, digest
from service.ledger.commitments import commitment
from service.ledger.verifier import Verification, verify
from tests.ledger.books import verified

MARKET, OWL, SALT = "daily-btc-up", "0af3", "a1" * 16
HIDDEN = LedgerRow("forecast", OWL, {"market": MARKET, "commitment": commitment(MARKET, OWL, 0.62, SALT)}, False)
RESOLUTION = LedgerRow("resolution", MARKET, {"outcome": "yes"}, False)


def revealed(subject: str = OWL, **changes: Any) -> LedgerRow:
    """The row that reveals row 1."""
    return LedgerRow("reveal", subject, {"market": MARKET, "forecast": 1, "p_yes": 0.62, "salt": SALT} | changes, False)


def check(*rows: LedgerRow) -> Verification:
    return verified(chained(rows, "2026-11-21T12:00:00Z", None))


def test_a_revealed_forecast_matches_its_commitment():
    verification = check(HIDDEN, RESOLUTION, revealed())
    assert (verification.fault, verification.forecasts, verification.revealed, verification.withheld) == (None, 1, 1, 0)


def test_the_commitment_is_a_plain_hash():
    """Anybody can compute it: the SHA-256 of canonical JSON with sorted names."""
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
    verification = check(HIDDEN, RESOLUTION, row)
    assert (verification.fault, verification.seq) == ("Row 3 reveals another forecast than row 1 committed to.", 3)


@pytest.mark.parametrize("place", [2, 7, "1", None, [1]])
def test_a_row_without_commitment_cannot_be_revealed(place: Any):
    assert check(HIDDEN, RESOLUTION, revealed(forecast=place)).fault == (
        f"Row 3 reveals row {place!r}, which is not a hidden forecast."
    )


def test_a_forecast_is_revealed_once():
    assert "not a hidden forecast" in str(check(HIDDEN, revealed(), revealed()).fault)


def test_an_empty_commitment_reveals_nothing():
    row = LedgerRow("forecast", OWL, {}, False)
    assert check(row, revealed(market=None, p_yes=None)).seq == 2


def test_a_withheld_forecast_is_counted():
    """It is hidden although its market is settled: the service shows only what suits it."""
    assert [check(*rows).withheld for rows in ([HIDDEN], [HIDDEN, RESOLUTION], [HIDDEN, RESOLUTION, revealed()])] == [
        0,
        1,
        0,
    ]


INPUTS = [{"contexts": {"btc": {"spot": 50_000.0 + place, "slow": 1e-7}}, "fits": None} for place in range(3)]
FEATURES = [digest(inputs) for inputs in INPUTS]


def rows_of(*inputs: dict) -> list[str]:
    """Lines as a client writes the rows that it read."""
    return [json.dumps({"hash": digest(row), "asset": "btc", "inputs": row}) + "\n" for row in inputs]


def ledger(*features: str | None) -> list[str]:
    """A ledger with votes that commit to inputs."""
    rows = [LedgerRow("votes", f"daily-{place}", {"features": hash}, False) for place, hash in enumerate(features)]
    rows.append(LedgerRow("odds", "daily-0", {"features": FEATURES[0]}, False))
    return [chain.line("row", vars(entry)) for entry in chained(rows, "2026-11-21T12:00:00Z", None)]


def check_inputs(inputs: list[str]) -> Verification:
    return verify(ledger(FEATURES[0], FEATURES[0], FEATURES[1], None), inputs=inputs)


def counts(inputs: list[str]) -> tuple[str | None, int, int, int]:
    verification = check_inputs(inputs)
    return verification.fault, verification.votes, verification.with_inputs, verification.unused


def test_votes_are_counted_with_their_inputs():
    """Votes of the first edition commit to none; other rows are no votes."""
    assert counts([]) == (None, 3, 0, 0)
    assert counts(rows_of(INPUTS[0])) == (None, 3, 2, 0)
    assert counts(rows_of(*INPUTS)) == (None, 3, 3, 1)


def test_a_changed_input_is_found():
    """Wherever it is, and however little it changed."""
    lines = rows_of(*INPUTS)
    lines[1] = lines[1].replace("1e-07", "1.0000000000000001e-07")
    variant = {**INPUTS[1], "contexts": {"btc": {"spot": 50_001.0, "slow": 1.0000000000000001e-7}}}
    assert check_inputs(lines).fault == (
        f"The inputs in line 2 were changed: their hash is {digest(variant)}, not {FEATURES[1]}."
    )


def test_inputs_with_a_hash_of_their_own_match_no_vote():
    """Who changes the hash too leaves a vote without inputs, because the ledger holds the old one."""
    assert counts(rows_of(INPUTS[0], {**INPUTS[1], "fits": {"slot": 1}})) == (None, 3, 2, 1)


@pytest.mark.parametrize("line", ["", "[]", "{}", "null", '{"hash": 1, "inputs": NaN}', "[" * 9_999])
def test_a_line_that_is_no_row_is_found(line: str):
    assert check_inputs([*rows_of(INPUTS[0]), line]).fault == "Line 2 of the inputs is not a row of /api/v1/features."


def test_the_command_reads_a_file_of_inputs(tmp_path, capsys):
    book, inputs = tmp_path / "ledger.jsonl", tmp_path / "features.jsonl"
    book.write_text("".join(f"{line}\n" for line in ledger(*FEATURES)), newline="\n")
    inputs.write_text("".join(rows_of(*INPUTS[1:])))
    assert main(["verify", str(book), "--features", str(inputs)]) == 0
    report = capsys.readouterr().out
    assert "Votes: 3, made from inputs in the file: 2. Inputs of no vote in this ledger: 0." in report
    inputs.write_text(inputs.read_text().replace("50001.0", "50001.5"))
    assert main(["verify", str(book), "--features", str(inputs)]) == 1
    assert "The inputs in line 1 were changed" in capsys.readouterr().out
    assert main(["verify", str(book), "--features", str(tmp_path / "none")]) == 2
