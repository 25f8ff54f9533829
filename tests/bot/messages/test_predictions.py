"""Markets, challenges, what people follow, and the own page."""

from __future__ import annotations

import pytest

from bot.messages import follows, predictions
from bot.messages.own_page import forecasters, own_page
from bot.store import Follow, OwnCall, Target
from tests.bot import documents
from tests.bot.messages.reading import text_of, texts_of


def test_a_page_holds_the_markets_of_its_buttons():
    """Every page shows the next MARKETS_A_PAGE markets, each with its number."""
    markets = [documents.PREDICTIONS["markets"][0] | {"question": f"Question {index}?"} for index in range(1, 11)]
    page = texts_of(predictions.markets(documents.PREDICTIONS | {"markets": markets, "count": 10}))
    assert len(page) == -(-10 // predictions.MARKETS_A_PAGE)
    for index in range(10):
        assert f"{index + 1}. Question {index + 1}?" in page[index // predictions.MARKETS_A_PAGE]


def test_simulated_odds_and_backfilled_votes_are_marked():
    """Those of a real market are not."""
    market = documents.PREDICTIONS["markets"][0] | {"backfilled": True}
    market["market_odds"] = (market["market_odds"] or {}) | {"p_yes": 0.38, "simulated": True}
    page = text_of(predictions.markets(documents.PREDICTIONS | {"markets": [market]}))
    assert "market 38% (SIMULATED)" in page
    assert "backfilled" in page
    versus = documents.versus()
    versus["books"] = [book | {"simulated": 0} for book in versus["books"]]
    assert "(SIMULATED)" not in predictions.verdict(versus)


def test_an_empty_list_is_stated():
    """Of markets, of challenges, and of what a person follows, who learns how."""
    total = {"count": 0}
    assert "No market is open" in text_of(predictions.markets(documents.PREDICTIONS | total | {"markets": []}))
    assert "No challenge is open" in text_of(predictions.challenges(documents.CHALLENGES | total | {"challenges": []}))
    assert "You follow nothing. Tap Follow below an answer" in text_of(follows.following([], {}))


@pytest.mark.parametrize(("outcome", "marks"), [("yes", "✓"), ("no", "✗"), ("void", "")])
def test_the_author_sees_the_outcome_and_each_ai(outcome, marks):
    """A void challenge scores no vote; a market that nobody forecast has no forecasts at its end either."""
    over = documents.challenge(status="void" if outcome == "void" else "resolved")
    over["ai_votes"]["voter0"]["p_yes"] = 0.9
    over["resolution"] |= {"outcome": outcome, "evidence": "btc close 52113.92 of the bar of 2026-11-22T23:55:00Z"}
    text = text_of(predictions.resolved(over))
    assert f"Resolved: {outcome.upper()}" in text
    assert "2026-11-22 23:55 UTC" in text
    assert f"{marks} voter0" in text if marks else not {"✓", "✗"} & {*text}
    market = documents.resolved_market() | {"ai": None, "market_odds": None}
    assert "Yes at the opening" not in text_of(predictions.resolved(market))


@pytest.mark.parametrize(("p_yes", "words"), [(0.436, "Yes: AI 44% ·"), (0.002, "Yes: AI under 1% ·")])
def test_a_listed_challenge_states_the_probability_of_yes(p_yes, words):
    """One without votes says that the AIs vote."""
    challenge = documents.challenge()
    challenge["ai"]["p_yes"] = p_yes
    assert words in text_of(predictions.challenges(documents.CHALLENGES | {"challenges": [challenge]}))
    pending = documents.challenge(ai_votes={}, apex=None, ai=None, votes_pending=True, status="open")
    assert "the AIs are voting" in text_of(predictions.one_market(pending))


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


@pytest.mark.parametrize("target", [Target("market", "m1"), Target("market", "challenge-7"), Target("answer", "a1")])
def test_a_new_follow_says_when_a_message_comes_and_where(target):
    text = follows.followed(target)
    assert text.startswith("You get a message when")
    assert text.endswith("It comes to our private chat. /following lists everything.")


@pytest.mark.parametrize(("p", "side"), [(0.62, "now yes, 62%"), (0.5, "now yes, 50%"), (0.38, "now no, 62%")])
def test_a_change_of_sides_names_the_likelier_outcome(p, side):
    market = documents.market(ai_now={"p_yes": p, "as_of": "2026-11-21T08:00:00Z"})
    assert f"The AI changed sides: {side}" in text_of(follows.sides_changed(market))


def market(outcome: str | None, p_ai: float | None = 0.4) -> dict:
    document = documents.PREDICTIONS["markets"][0]
    document["resolution"]["outcome"] = outcome
    document["ai"] = document["ai"] | {"p_yes": p_ai} if p_ai is not None else None
    return document


def page(*calls, answers=(), name=None) -> str:
    return text_of(own_page(calls, answers, name, documents.PREDICTIONS))


def test_votes_count_beside_the_ai_on_the_same_markets():
    outcomes = [("yes", market("yes")), ("no", market("no")), ("no", market("yes", None))]
    outcomes += [("yes", market("void")), ("yes", market(None))]
    text = page(*((OwnCall(f"m{n}", vote, None), document) for n, (vote, document) in enumerate(outcomes)))
    assert "Votes: 2 of 3 came true; the AI was right on 1 of 2" in text
    assert "Brier 0" not in text
    assert (text.count("✓ "), text.count("✗ ")) == (2, 1)


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
    return {"name": name, "rank": rank, "time_weighted": scores, "entrants": 32}


def test_an_own_row_is_marked_and_added_if_it_is_not_listed():
    document = documents.PREDICTIONS | {"entries": [entry("pool", 40, 1), entry("vol", 40)]}
    text = text_of(forecasters(document, entry("sturdy-owl", 0), "sturdy-owl"))
    assert "▶ sturdy-owl" in text
    assert "even as the best of 32" in text
    document["entries"].append(entry("sturdy-owl", 3))
    assert text_of(forecasters(document, entry("sturdy-owl", 3), "sturdy-owl")).count("sturdy-owl") == 1
