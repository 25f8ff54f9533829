"""The ledger on the command line: exported, and corrected by a further row."""

from __future__ import annotations

import json

import pytest

from service.ledger.chain import LedgerRow
from service.ledger.verifier import verify
from service.market.instants import iso
from service.store import ledger


class TestTheLedger:
    def test_is_exported_as_lines_that_the_verifier_accepts(self, operate, challenge, tmp_path):
        challenge("Will bitcoin reach 120k?")
        operate("challenges", "resolve", challenge("Will China ban bitcoin?"), "no", "--evidence", "señal")
        file = tmp_path / "ledger.jsonl"
        code, printed, _ = operate("ledger", "export", file, "--json")
        assert (code, json.loads(printed)) == (0, {"file": str(file), "bytes": file.stat().st_size, "lines": 3})
        with open(file, encoding="utf-8", newline="\n") as lines:
            verdict = verify(lines)
        assert (verdict.fault, verdict.rows) == (None, 3)

    def test_is_not_exported_over_a_file_nor_into_no_folder(self, operate, tmp_path):
        (tmp_path / "precious").write_text("mine")
        assert operate("ledger", "export", tmp_path / "precious")[0] == 2
        assert (tmp_path / "precious").read_text() == "mine"
        code, _, complaint = operate("ledger", "export", tmp_path / "nowhere" / "ledger.jsonl")
        assert code == 2
        assert complaint.startswith("error: The export could not be written: ")

    def test_is_corrected_by_a_row_that_points_at_the_wrong_one(self, operate, challenge, database, now):
        challenge("Will China ban bitcoin?")
        code, printed, _ = operate("ledger", "correct", 1, "--note", "The deadline was misread.", "--json")
        assert code == 0
        assert json.loads(printed) == {"seq": 2, "corrects": 1, "subject": "challenge-1", "recorded_at": iso(now)}
        with database.reading() as db:
            entry, wrong = ledger.find_entry(db, 2), ledger.find_entry(db, 1)
        assert (entry.kind, entry.backfilled) == ("correction", False)
        assert entry.body == {"corrects": 1, "note": "The deadline was misread."}
        assert wrong.kind == "question"

    def test_of_what_was_backfilled_is_corrected_as_backfilled(self, operate, database, now):
        with database.writing() as db:
            ledger.append(db, [LedgerRow("votes", "daily-btc-up-20261001", {"p": 0.5}, True)], now)
        operate("ledger", "correct", 1, "--note", "wrong")
        with database.reading() as db:
            assert ledger.find_entry(db, 2).backfilled

    @pytest.mark.parametrize(
        ("seq", "note", "complaint"),
        [(9, "wrong", "There is no row 9 in the ledger."), (1, " ", "The note must state what is wrong")],
    )
    def test_is_not_corrected_without_a_row_or_a_note(self, operate, challenge, database, seq, note, complaint):
        challenge("Will China ban bitcoin?")
        code, _, errors = operate("ledger", "correct", seq, "--note", note)
        assert code == 2
        assert complaint in errors
        with database.reading() as db:
            assert ledger.head(db).seq == 1
