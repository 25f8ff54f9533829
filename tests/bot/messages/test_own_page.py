"""The own page: what came true, and the Brier score beside that of the AI on the same markets."""

from __future__ import annotations

from bot.messages.own_page import forecasters, own_page
from bot.store import OwnCall
from tests.bot import documents
from tests.bot.messages.reading import text_of


def market(outcome: str | None, p_ai: float | None = 0.4) -> dict:
    document = documents.PREDICTIONS["markets"][0]
    document["resolution"]["outcome"] = outcome
    document["ai"] = document["ai"] | {"p_yes": p_ai} if p_ai is not None else None
    return document


def page(*calls, answers=(), name=None) -> str:
    return text_of(own_page(calls, answers, name, documents.PREDICTIONS))


def test_votes_count_beside_the_ai_on_the_same_markets():
    text = page(
        (OwnCall("a", "yes", None), market("yes")),
        (OwnCall("b", "no", None), market("no")),
        (OwnCall("c", "no", None), market("yes", None)),
        (OwnCall("d", "yes", None), market("void")),
        (OwnCall("e", "yes", None), market(None)),
    )
    assert "Votes: 2 of 3 came true; the AI was right on 1 of 2" in text
    assert "Brier 0" not in text
    assert text.count("✓ ") == 2
    assert text.count("✗ ") == 1


def test_the_brier_score_is_of_the_decided_forecasts():
    """(0.2**2 + 0.5**2) / 2 and (0.6**2 + 0.4**2) / 2; an open and a void market do not count."""
    text = page(
        (OwnCall("a", None, 0.8), market("yes")),
        (OwnCall("b", "no", 0.5), market("no")),
        (OwnCall("c", None, 0.9), market("void")),
        (OwnCall("d", None, 0.9), market(None)),
    )
    assert "Forecasts: Brier 0.145, the AI 0.260 on the same 2 markets" in text
    assert "you: no, 50% · AI 40% · = NO" in text


def test_questions_are_counted_with_their_scores():
    decision = documents.answer() | {"resolution": {"outcome": "yes"}, "score": {"brier": 0.2, "log": 0.5}}
    text = page(answers=[decision, decision | {"resolution": None, "score": None}])
    assert "Questions: 2, 1 of them decided · Brier score of the answers: 0.200" in text
    assert "1. Bitcoin reaches 55,872 USD · 56% · ✓ YES\n2. Bitcoin reaches 55,872 USD · 56% · open" in text


def entry(name: str, n: int, rank: int | None = None) -> dict:
    scores = {"n": n, "brier": 0.25 if n else None}
    return {
        "name": name,
        "rank": rank,
        "time_weighted": scores,
        "entrants": 32,
    }


def test_an_own_row_is_marked_and_added_if_it_is_not_listed():
    document = documents.PREDICTIONS | {"entries": [entry("pool", 40, 1), entry("vol", 40)]}
    text = text_of(forecasters(document, entry("sturdy-owl", 0), "sturdy-owl"))
    assert "▶ sturdy-owl" in text
    assert "even as the best of 32" in text
    document["entries"].append(entry("sturdy-owl", 3))
    text = text_of(forecasters(document, entry("sturdy-owl", 3), "sturdy-owl"))
    assert text.count("sturdy-owl") == 1
