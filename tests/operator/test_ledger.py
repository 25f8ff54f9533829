"""What is served is compared with the rows of an export, as anyone can do it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from service.ledger.chain import ChainEntry, LedgerRow, chained
from service.ledger.commitments import text_hash
from service.operator.ledger import served_differences

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
SERVED: dict[str, Any] = {
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


def test_rounded_values_agree_with_the_rows():
    assert list(served_differences(ROWS, [SERVED])) == []


def test_a_hash_in_a_row_is_compared_with_the_served_text():
    """With the salt that is served; once a correction says that the text was withdrawn, it is not compared."""
    question = {"question": {"text": text_hash("Up?", "5a17")}}
    body = BODIES["votes"] | question
    rows = list(chained([LedgerRow("votes", ID, body, False)], LATER, None))
    no_outcome = {"outcome": None, "resolved_at": None, "evidence": None}
    market = deepcopy(SERVED) | {"score": None, "market_odds": None}
    market["resolution"] |= no_outcome
    market["commitment"] = {"seq": 1, "hash": rows[0].hash, "salt": "5a17"}
    assert list(served_differences(rows, [market])) == []
    assert "question is served as" in next(served_differences(rows, [market | {"question": "Down?"}]))
    note = LedgerRow("correction", ID, {"corrects": 1, "note": "", "withdrawn": True}, False)
    market["question"] = "Withdrawn."
    assert list(served_differences([*rows, *chained([note], LATER, rows[-1])], [market])) == []
    plain = list(chained([LedgerRow("votes", ID, BODIES["votes"], False)], LATER, None))  # of an earlier version
    market["commitment"] = {"seq": 1, "hash": plain[0].hash, "salt": None}
    assert list(served_differences([*plain, *chained([note], LATER, plain[0])], [market])) == []


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
    market = deepcopy(SERVED)
    *parents, last = path.split(".")
    part = market
    for parent in parents:
        part = part[parent]
    if value is None and last == "trend":
        del part[last]
    else:
        part[last] = value
    (sentence, *_) = served_differences(ROWS, [market])
    assert sentence.startswith(f"{ID}: {name} is served as ")


def test_a_market_that_is_not_served_is_named():
    assert list(served_differences(ROWS, [])) == [f"{ID} is in row 1 of the ledger, and is not served."]


def test_what_came_after_the_last_row_is_not_compared():
    """An export and the pages of a service that runs are not of one instant."""
    new = SERVED | {"id": "daily-btc-up-2", "created_at": LATER}
    verdict = SERVED["resolution"] | {"resolved_at": LATER}
    assert list(served_differences(entries("votes", "odds"), [SERVED | {"resolution": verdict}, new])) == []
