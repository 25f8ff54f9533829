"""The ledger: exported, verified, corrected, and compared with what is served, as anyone can do it."""

from __future__ import annotations

from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text, update

from service.access.keys import key_id
from service.ledger.chain import ChainEntry, LedgerRow, chained
from service.ledger.commitments import text_hash
from service.ledger.verifier import verify
from service.market.instants import iso
from service.operator.__main__ import main
from service.operator.ledger import served_differences
from service.store import keys, ledger
from service.store.tables import prediction
from tests.operator.conftest import answer_of, complaint_of
from tests.running_service import listening, running_service


class TestTheLedger:
    def test_is_exported_as_lines_that_the_verifier_accepts(self, operate, challenge, tmp_path):
        challenge("Will bitcoin reach 120k?")
        operate("challenges", "resolve", challenge("Will China ban bitcoin?"), "no", "--evidence", "señal")
        file = tmp_path / "ledger.jsonl"
        export = answer_of(operate, "ledger", "export", file)
        assert export == {"file": str(file), "bytes": file.stat().st_size, "lines": 3}
        with open(file, encoding="utf-8", newline="\n") as lines:
            verdict = verify(lines)
        assert (verdict.fault, verdict.rows) == (None, 3)

    def test_is_verified_with_what_the_tables_hold(self, operate, challenge, database):
        operate("challenges", "resolve", challenge("Will China ban bitcoin?"), "no", "--evidence", "señal")
        code, output, _ = operate("ledger", "verify")
        assert (code, "the record agreed with all 2 rows of the ledger" in output) == (0, True)
        with database.writing() as db:
            db.execute(text("UPDATE prediction SET outcome = 'yes'"))
        code, output, _ = operate("ledger", "verify")
        assert (code, 'says outcome "no", the tables say "yes"' in output) == (1, True)
        assert operate("ledger", "verify", "--against", "nowhere.sqlite")[0] == 2

    @pytest.mark.slow
    def test_is_compared_with_what_a_service_serves(self, folder: Path, capsys):
        """As anyone with a key of the service can do it; then an outcome is flipped."""
        with running_service(folder) as service, listening(service.client.application) as address:
            words = ["ledger", "verify", "--against", address, "--api-key", service.register()]
            with service.runtime.database.writing() as db:
                keys.grant_plan(db, key_id(service.key), "paid")  # each verification reads seven pages
            assert main(words) == 0
            assert "the record agreed with all " in capsys.readouterr().out
            with service.runtime.database.writing() as db:
                is_market = (prediction.c.outcome == "yes") & prediction.c.number.is_(None)
                first = db.scalar(select(func.min(prediction.c.id)).where(is_market))
                db.execute(update(prediction).where(prediction.c.id == first).values(outcome="no"))
            assert main(words) == 1
            assert "outcome is served as 'no', the ledger says 'yes'." in capsys.readouterr().out

    def test_is_not_exported_over_a_file_nor_into_no_folder(self, operate, tmp_path):
        (tmp_path / "precious").write_text("mine")
        for file, reason in (("precious", "exists already"), ("nowhere/file", "The export could not be written: ")):
            assert reason in complaint_of(operate, "ledger", "export", tmp_path / file)
        assert (tmp_path / "precious").read_text() == "mine"

    def test_is_corrected_by_a_row_that_points_at_the_wrong_one(self, operate, challenge, database, now):
        """What was backfilled is corrected as backfilled."""
        challenge("Will China ban bitcoin?")
        correction = answer_of(operate, "ledger", "correct", 1, "--note", "The deadline was misread.")
        assert correction == {"seq": 2, "corrects": 1, "subject": "challenge-1", "recorded_at": iso(now)}
        with database.reading() as db:
            entry, original = ledger.find_entry(db, 2), ledger.find_entry(db, 1)
        assert (entry.kind, entry.backfilled) == ("correction", False)
        assert entry.body == {"corrects": 1, "note": "The deadline was misread."}
        assert original.kind == "question"
        with database.writing() as db:
            ledger.append(db, [LedgerRow("votes", "daily-btc-up-20261001", {"p": 0.5}, True)], now)
        operate("ledger", "correct", 3, "--note", "wrong")
        with database.reading() as db:
            assert ledger.find_entry(db, 4).backfilled

    @pytest.mark.parametrize(
        ("seq", "note", "complaint"),
        [(9, "wrong", "There is no row 9 in the ledger."), (1, " ", "The note must state what is wrong")],
    )
    def test_is_not_corrected_without_a_row_or_a_note(self, operate, challenge, database, seq, note, complaint):
        challenge("Will China ban bitcoin?")
        assert complaint in complaint_of(operate, "ledger", "correct", seq, "--note", note)
        with database.reading() as db:
            assert ledger.head(db).seq == 1


OPENED_AT, RESOLVED_AT, LATER = "2026-11-21T08:00:00Z", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"
ID = "daily-btc-up-1"
TERMS = {"created_at": OPENED_AT, "closes_at": RESOLVED_AT, "deadline": RESOLVED_AT, "rule": "YES if higher."}
VOTES = [{"voter": "vol", "p": 0.51234, "reasoning": "calm"}, {"voter": "trend", "p": 0.99995, "reasoning": "up"}]
BODIES: dict[str, dict[str, Any]] = {
    "votes": {**TERMS, "category": "daily", "question": {"text": "Up?"}, "p": 0.612345, "votes": VOTES},
    "odds": {"p_yes": 0.58121},
    "resolution": {"outcome": "yes", "resolved_at": RESOLVED_AT, "evidence": "a bar"},
    "score": {"brier": 0.150276, "brier_market": 0.175352},
}


def entries(*kinds: str) -> list[ChainEntry]:
    return list(chained([LedgerRow(kind, ID, BODIES[kind], False) for kind in kinds], LATER, None))


ROWS = entries(*BODIES)
MARKET: dict[str, Any] = {
    "id": ID,
    "question": "Up?",
    **{name: TERMS[name] for name in ("created_at", "closes_at", "deadline")},
    "ai": {"p_yes": 0.612},
    "ai_votes": {"vol": {"p_yes": 0.512, "reasoning": "calm"}, "trend": {"p_yes": 0.999, "reasoning": "up"}},
    "market_odds": {"p_yes": 0.5812},
    "resolution": {"rule": TERMS["rule"], "outcome": "yes", "resolved_at": RESOLVED_AT, "evidence": "a bar"},
    "score": {"brier_ai": 0.15028, "brier_market": 0.17535},
    "commitment": {"seq": 1, "hash": ROWS[0].hash},
}
NO_OUTCOME = {"rule": TERMS["rule"], "outcome": None, "resolved_at": None, "evidence": None}
OPEN_MARKET = MARKET | {"score": None, "market_odds": None, "resolution": NO_OUTCOME}


def test_rounded_values_agree_with_the_rows():
    """A market that is not served is named."""
    assert list(served_differences(ROWS, [MARKET])) == []
    assert list(served_differences(ROWS, [])) == [f"{ID} is in row 1 of the ledger, and is not served."]


def test_a_hash_in_a_row_is_compared_with_the_served_text():
    """With the salt that is served; once a correction says that the text was withdrawn, it is not compared."""
    body = BODIES["votes"] | {"question": {"text": text_hash("Up?", "5a17")}}
    rows = list(chained([LedgerRow("votes", ID, body, False)], LATER, None))
    market = OPEN_MARKET | {"commitment": {"seq": 1, "hash": rows[0].hash, "salt": "5a17"}}
    assert list(served_differences(rows, [market])) == []
    assert "question is served as" in next(served_differences(rows, [market | {"question": "Down?"}]))
    note = LedgerRow("correction", ID, {"corrects": 1, "note": "", "withdrawn": True}, False)
    market["question"] = "Withdrawn."
    assert list(served_differences([*rows, *chained([note], LATER, rows[-1])], [market])) == []
    rows = entries("votes")  # of an earlier version
    market["commitment"] = {"seq": 1, "hash": rows[0].hash, "salt": None}
    assert list(served_differences([*rows, *chained([note], LATER, rows[0])], [market])) == []


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("resolution.outcome", "no", "outcome"),
        ("resolution.outcome", None, "outcome"),
        ("resolution.resolved_at", "2026-11-21T12:00:00Z", "resolved_at"),
        ("resolution.evidence", "another bar", "evidence"),
        ("resolution.rule", "YES if lower.", "rule"),
        ("question", "Down?", "question"),
        ("deadline", LATER, "deadline"),
        ("ai.p_yes", 0.613, "p_yes"),
        ("ai_votes.vol.p_yes", 0.511, "the vote of vol"),
        ("ai_votes.trend.reasoning", "down", "the reason of trend"),
        ("ai_votes.trend", None, "voters"),
        ("market_odds.p_yes", 0.5813, "odds"),
        ("market_odds", None, "odds"),
        ("score.brier_ai", 0.15027, "brier_ai"),
        ("score.brier_market", 0.17536, "brier_market"),
        ("commitment.seq", 2, "seq"),
        ("commitment.hash", "0" * 64, "hash"),
    ],
)
def test_the_smallest_change_that_can_be_served_is_named(path: str, value: object, name: str):
    market = deepcopy(MARKET)
    *parents, last = path.split(".")
    part = reduce(getitem, parents, market)
    part[last] = value
    if last == "trend":
        del part[last]
    (sentence, *_) = served_differences(ROWS, [market])
    assert sentence.startswith(f"{ID}: {name} is served as ")


def test_an_open_market_without_a_row_is_named():
    market = OPEN_MARKET | {"id": "daily-btc-up-2", "ai": None}
    (sentence,) = served_differences(ROWS, [MARKET, market])
    assert sentence == "daily-btc-up-2 is served, and no row of the ledger is about it."


def test_what_came_after_the_last_row_is_not_compared():
    """An export and the pages of a service that runs are not of one instant."""
    new = MARKET | {"id": "daily-btc-up-2", "created_at": LATER}
    verdict = MARKET["resolution"] | {"resolved_at": LATER}
    assert list(served_differences(entries("votes", "odds"), [MARKET | {"resolution": verdict}, new])) == []
