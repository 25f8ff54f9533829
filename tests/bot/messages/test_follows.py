"""What a person follows, and the alerts about it."""

from __future__ import annotations

import pytest

from bot.messages import follows, predictions
from bot.store import Follow, Target
from tests.bot import documents
from tests.bot.messages.reading import text_of


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (Target("price", "btc", 70_000.0), "Bitcoin at 70,000 USD"),
        (Target("chance", "m1", 0.6, "Will it?"), "Will it?: AI at 60%"),
        (Target("market", "m1", title="Will <it>?"), "Will <it>?"),
        (Target("market", "challenge-7"), "Challenge 7"),
    ],
)
def test_each_follow_has_a_numbered_line(target, line):
    text = text_of(follows.following([Follow(1, 1, 1, target), Follow(2, 1, 1, target)], {}))
    assert f"1. {line}\n2. {line}" in text


def test_who_follows_nothing_learns_how():
    assert "You follow nothing. Tap Follow below an answer" in text_of(follows.following([], {}))


@pytest.mark.parametrize("target", [Target("market", "m1"), Target("market", "challenge-7"), Target("answer", "a1")])
def test_a_new_follow_says_when_a_message_comes_and_where(target):
    text = follows.followed(target)
    assert text.startswith("You get a message when")
    assert text.endswith("It comes to our private chat. /following lists everything.")


@pytest.mark.parametrize(("p", "side"), [(0.62, "now yes, 62%"), (0.5, "now yes, 50%"), (0.38, "now no, 62%")])
def test_a_change_of_sides_names_the_likelier_outcome(p, side):
    market = documents.market(ai_now={"p_yes": p, "as_of": "2026-11-21T08:00:00Z"})
    assert f"The AI changed sides: {side}" in text_of(follows.sides_changed(market))


def test_a_market_that_nobody_forecast_is_resolved_without_forecasts():
    market = documents.resolved_market() | {"ai": None, "market_odds": None}
    assert "Yes at the opening" not in text_of(predictions.resolved(market))
