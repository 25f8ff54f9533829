"""What a person follows, and the alerts about it."""

from __future__ import annotations

import pytest

from bot.messages import follows
from bot.store import Follow, Target
from tests.bot import documents, examples
from tests.bot.messages.reading import text_of


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (Target("price", "btc", 70_000.0), "Bitcoin at 70,000 USD"),
        (Target("chance", "m1", 0.6, "Will it?"), "Will it?: AI at 60%"),
        (Target("market", "m1", title="Will <it>?"), "Will <it>?"),
        (Target("challenge", "7"), "Challenge 7"),
    ],
)
def test_each_follow_has_a_numbered_line(target, line):
    shown = text_of(follows.following([Follow(1, 1, 1, target), Follow(2, 1, 1, target)]))
    assert f"1. {line}\n2. {line}" in shown


def test_who_follows_nothing_learns_how():
    assert "You follow nothing. Tap Follow below an answer" in text_of(follows.following([]))


@pytest.mark.parametrize("kind", follows.FOLLOWED)
def test_a_new_follow_says_when_a_message_comes_and_where(kind):
    shown = follows.followed(kind)
    assert shown.startswith("You get a message when")
    assert shown.endswith("It comes to our private chat. /following lists everything.")


@pytest.mark.parametrize(("p", "side"), [(0.62, "now yes, 62%"), (0.5, "now yes, 50%"), (0.38, "now no, 62%")])
def test_a_change_of_sides_names_the_likelier_outcome(p, side):
    market = documents.market(ai_now={"p_yes": p, "as_of": "2026-11-21T08:00:00Z"})
    assert f"The AI changed sides: {side}" in text_of(follows.sides_changed(market))


def test_a_resolved_market_has_its_outcome_and_both_forecasts():
    market = documents.resolved_market()
    market["market_odds"] = examples.PREDICTIONS["markets"][0]["market_odds"] | {"p_yes": 0.38, "simulated": True}
    shown = text_of(follows.market_resolved(market))
    assert "Resolved: YES" in shown
    assert "Evidence: The price was 53,600 USD." in shown
    assert f"Yes at the opening: AI {market['ai']['p_yes']:.0%} · market 38% (SIMULATED)" in shown
    assert "Not investment advice." in shown


def test_a_market_that_nobody_forecast_is_resolved_without_forecasts():
    market = documents.resolved_market() | {"ai": None, "market_odds": None}
    assert "Yes at the opening" not in text_of(follows.market_resolved(market))


def test_a_decided_question_has_the_score_of_its_answer():
    shown = text_of(follows.answer_resolved(documents.decided_answer()))
    assert "Your question is decided: YES" in shown
    assert "Brier score 0.19 (0 is perfect, 0.25 a coin flip)" in shown


def test_a_question_without_an_event_is_decided_by_the_direction():
    """It has no probability and no score."""
    answer = documents.decided_answer() | {"p_yes": None, "score": None}
    shown = text_of(follows.answer_resolved(answer))
    assert "Your question is decided: the price rose" in shown
    assert "Brier" not in shown
    assert "The answer was" not in shown


def test_a_price_at_its_level_is_shown_with_the_change_of_a_day():
    quote = examples.PRICES["prices"][0]
    shown = text_of(follows.price_reached(examples.PRICES, quote, 53_000.0))
    assert "Bitcoin has reached 53,000 USD" in shown
    assert "53,212" in shown
