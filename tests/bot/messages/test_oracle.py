"""Questions, answers, votes and the quota."""

from __future__ import annotations

import pytest

from bot import messages
from tests.bot import documents
from tests.bot.documents import USAGE
from tests.bot.messages.reading import text_of, texts_of


def test_markup_is_shown_as_text():
    """HTML in a question and in a model's reasoning."""
    markup = '<a href="tg://x">buy</a> & <i>sell</i>'
    answer = documents.answer() | {"question": markup}
    answer["votes"]["voter0"]["reasoning"] = markup
    assert markup in texts_of(messages.answer(answer, USAGE["quota"]))[0]
    assert text_of(messages.votes(answer)).count(markup) == 3  # the head of both pages, and the vote


def test_an_answer_shows_consensus_turnout_and_quota():
    answer = documents.answer()
    answer["consensus"] |= {"direction": "BULLISH", "strength": "MODERATE", "bull_probability": 62.0}
    answer["consensus"] |= {"bear_probability": 38.0, "effective_voters": 6.0}
    for name, direction in zip(answer["votes"], 5 * ["BULLISH"] + 2 * ["NEUTRAL"] + 2 * ["BEARISH"], strict=True):
        answer["votes"][name]["direction"] = direction
    shown = texts_of(messages.answer(answer | {"cached": False}, USAGE["quota"]))[0].split("\n")
    assert "▲ BULLISH · moderate" in shown
    assert shown[1] == "Yes: 56% (No 44%)"
    assert shown[2] == "Bitcoin 53,212 USD now · level 55,872 USD · until 2026-11-30 23:59 UTC"
    assert any(line.startswith("Why (voter0): Base rate from volatility") for line in shown)
    assert "9 of 9 voted: 5 bull, 2 neutral, 2 bear" in shown
    assert "2 of 10 questions left today" in shown
    assert shown[-1] == "Paper research. Not investment advice."
    assert "SIMULATED market" in shown[-2]


def test_the_longest_question_leaves_room_for_its_answer():
    """500 characters of which each becomes five when escaped, and notes of the same length."""
    answer = documents.answer() | {"question": "&" * 500}
    answer["understood"] |= {"canonical": "&" * 500, "notes": ["&" * 500] * 3}
    shown = text_of(messages.answer(answer, USAGE["quota"]))
    assert answer["consensus"]["direction"] in shown
    assert "9 of 9 voted" in shown
    assert shown.endswith("Not investment advice.")


@pytest.mark.parametrize(
    ("p_yes", "headline"),
    [(0.61, "Yes: 61% (No 39%)"), (0.3, "No: 70% (Yes 30%)"), (0.995, "Yes: over 99% (No under 1%)")],
)
def test_the_likelier_side_comes_first(p_yes, headline):
    assert headline in text_of(messages.answer(documents.answer() | {"p_yes": p_yes}))


def test_a_question_without_yes_has_a_price_or_a_direction():
    answer = documents.answer() | {"p_yes": None}
    assert "Up: 56% (Down 44%)" in text_of(messages.answer(answer))
    quantiles = {"5": 75_000.0, "25": 81_200.0, "50": 84_000.0, "75": 86_900.0, "95": 93_100.4}
    assert "About 84,000 USD\n" in text_of(messages.answer(answer | {"price_forecast": {"quantiles": quantiles}}))


def test_only_a_single_price_and_its_levels_are_shown():
    answer = documents.answer()
    answer["understood"] |= {"comparator": "between", "upper_level": 60_000.0}
    assert "· levels 55,872 and 60,000 USD ·" in text_of(messages.answer(answer))
    answer["understood"] |= {"comparator": "volatility"}
    assert "USD now" not in text_of(messages.answer(answer))


def test_similar_votes_are_pointed_out():
    answer = documents.answer()
    answer["consensus"]["effective_voters"] = 1.1
    assert "together they tell as much as 1.1 independent voters would" in text_of(messages.answer(answer))


def test_a_cached_answer_was_not_counted():
    assert "not counted" in text_of(messages.answer(documents.answer() | {"cached": True}, USAGE["quota"]))


def test_the_waiting_message_counts_the_votes():
    assert messages.waiting(9) == "Asking 9 voters …"
    assert messages.progress(5, 9) == "5 of 9 have voted."


def test_the_pages_hold_every_vote_and_abstention():
    answer = documents.answer() | {"abstained": {"news": "no headlines"}}
    shown = text_of(messages.votes(answer))
    assert all(name in shown for name in answer["votes"])
    assert "news abstained: no headlines" in shown


def test_a_vote_of_a_failed_model_says_so():
    answer = documents.answer()
    answer["votes"]["voter0"] |= {"fallback": True, "outlier": True, "engine": "ollama:llama3.2"}
    shown = text_of(messages.votes(answer))
    assert "ollama:llama3.2 · its model failed, so the embedded engine voted · far from the other votes" in shown


def test_a_used_up_quota_says_when_it_starts_again():
    assert "2 of 10 questions left today." in messages.quota(USAGE)
    used = USAGE | {"quota": USAGE["quota"] | {"remaining": 0}}
    assert messages.quota(used) == "You have used today's 10 questions. You can ask again after 00:00 UTC."


def test_a_price_question_shows_between_which_prices():
    """The central 50% and 90% at the deadline; other questions have no such line."""
    answer = documents.answer()
    assert "Price at the deadline" not in text_of(messages.answer(answer | {"price_forecast": None}))
    quantiles = {"5": 75_000.0, "25": 81_200.0, "75": 86_900.0, "95": 93_100.4}
    shown = text_of(messages.answer(answer | {"price_forecast": {"quantiles": quantiles}}))
    assert "Price at the deadline: 50% between 81,200 and 86,900; 90% between 75,000 and 93,100" in shown
