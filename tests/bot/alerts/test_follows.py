"""Alerts about what people follow: each once, also across a restart."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.store import Target
from service.client import NotFound
from tests.bot import documents
from tests.bot.alerts.conftest import ANN, BEN, DOWN, START, challenge, iso

ABSENCE = NotFound(404, {"code": "not_found", "detail": "Nothing has this id or number."})
MARKET = "daily-btc-up-20261120"


def market(p: float = 0.44, outcome: str | None = None) -> dict:
    """The market of the examples with the pool's probability of the last hour, or resolved."""
    document = documents.PREDICTIONS["markets"][0]
    document["ai_now"] = {"p_yes": p, "as_of": f"2026-11-21T12:{p * 100:.0f}:00Z"}
    if outcome:
        document |= {"status": "void" if outcome == "void" else "resolved", "ai_now": None}
        evidence = "The price was 53,600 USD at 2026-11-21T23:59:00Z."
        document["resolution"] |= {"outcome": outcome, "resolved_at": iso(START), "evidence": evidence}
    return document


def listed(world, *markets: dict) -> None:
    world.service.documents["predictions"]["markets"] = list(markets)


@pytest.fixture
def level(world) -> int:
    """The number of Ann's follow of Bitcoin at 55,000, which is above its price."""
    world.store.follow(ANN, ANN, Target("price", "btc", 55_000, value=53_211.85))
    return world.store.follows_of(ANN)[0].number


@pytest.mark.parametrize(
    ("level", "price", "verb"),
    [(55_000, 55_100, "reached"), (55_000, 55_000, "reached"), (50_000, 49_999, "fallen to")],
)
def test_a_price_at_its_level_is_reported_once(world, level, price, verb):
    world.store.follow(ANN, ANN, Target("price", "btc", level, value=53_211.85))
    assert world.check() == []
    world.quote["price"] = price
    ((chat, text, _),) = world.check()
    assert chat == ANN
    assert f"Bitcoin has {verb} {level:,} USD" in text
    assert f"{price:,} USD now" in text
    assert "SIMULATED" in text
    world.restart()
    assert world.check() == []
    assert world.store.follows_of(ANN) == []


def test_an_alert_that_comes_again_crosses_its_level_again(world, level):
    world.store.change_follow(ANN, level, 0, repeats=True)
    counts = []
    for minute, price in enumerate((54_000, 55_100, 55_200, 54_900, 55_300)):
        world.quote["price"] = price
        world.quote["as_of"] = iso(START + timedelta(minutes=minute))
        counts.append(len(world.check()))
    assert counts == [0, 1, 0, 1, 1]
    assert [follow.number for follow in world.store.follows_of(ANN)] == [level]


def test_an_alert_ends_at_its_time_and_says_so(world, level):
    world.store.change_follow(ANN, level, 1, repeats=False)
    assert world.check(after=timedelta(hours=23)) == []
    ((chat, text, _),) = world.check(after=timedelta(hours=2))
    assert (chat, text) == (ANN, "Bitcoin did not reach 55,000 USD. The alert has ended.")
    assert world.store.follows_of(ANN) == []


def add_bar(world, low: float, high: float, close: float) -> None:
    """An hour passes, within which the price was between `low` and `high`."""
    start = datetime.fromisoformat(world.quote["as_of"])
    world.service.bars.append({"time": iso(start), "low": low, "high": high, "close": close})
    world.quote.update(as_of=iso(start + timedelta(hours=1)), price=close)


def follow_price(world, user: int, *levels: float) -> None:
    due = datetime.fromisoformat(world.quote["as_of"]).timestamp()
    for level in levels:
        world.store.follow(user, user, Target("price", "btc", level, value=world.quote["price"], due=due))


def test_levels_inside_one_bar_are_one_message(world):
    """Also those beyond its close: a level is reached by the high or the low since the last look."""
    follow_price(world, ANN, *range(52_000, 56_001, 500))
    follow_price(world, BEN, 60_000)
    assert world.check() == []
    add_bar(world, 51_900, 56_100, 53_200)
    ((chat, text, _),) = world.check()
    assert chat == ANN
    assert "Bitcoin has fallen to 52,000, 52,500, 53,000 USD" in text
    assert "Bitcoin has reached 53,500, 54,000, 54,500, 55,000, 55,500, 56,000 USD" in text
    assert "53,200 USD now" in text
    assert world.check() == []
    assert [follow.target.level for follow in world.store.follows("price")] == [60_000]


def test_a_level_reached_while_the_bot_was_down_is_reported(world):
    """What was before the follow does not reach it; bars are read once for each new price."""
    add_bar(world, 50_000, 58_000, 53_200)
    follow_price(world, ANN, 55_000)
    add_bar(world, 53_000, 53_400, 53_200)
    assert [world.check() for _ in range(3)] == [[]] * 3
    assert world.service.calls.count("candles btc 5m") == 1
    add_bar(world, 53_000, 55_200, 53_300)
    add_bar(world, 53_000, 53_400, 53_200)
    world.restart()
    assert ["Bitcoin has reached 55,000 USD" in text for _, text, _ in world.check()] == [True]


def test_an_asset_without_a_price_waits(world):
    world.store.follow(ANN, ANN, Target("price", "pepe", 1, value=0.5))
    assert world.check() == []
    assert len(world.store.follows_of(ANN)) == 1


def test_a_probability_at_its_level_is_reported_once(world):
    world.store.follow(ANN, ANN, Target("chance", MARKET, 0.6, "Will it?", 0.44))
    listed(world, market(0.59))
    assert world.check() == []
    listed(world, market(0.62))
    ((_, text, _),) = world.check()
    assert "probability of yes has reached 60%" in text
    assert "Now: 62%" in text
    assert world.check() == []


def test_a_change_of_sides_is_reported_each_time(world):
    """A pool within two points of 50% has no new side yet; one that is in no list is read by itself."""
    world.store.follow(ANN, ANN, Target("market", MARKET, value=0.44))
    for p, head in ((0.51, None), (0.55, "now yes, 55%"), (0.49, None), (0.54, None), (0.45, "now no, 55%")):
        listed(world, market(p))
        alerts = [text for _, text, _ in world.check()]
        assert [head in text for text in alerts] == ([True] if head else []), p
    world.restart()
    assert world.check() == []
    listed(world)
    world.service.markets[MARKET] = market(0.58)
    assert "now yes" in world.check()[0][1]


def test_a_follow_before_the_first_opinion_waits_for_it(world):
    world.store.follow(ANN, ANN, Target("market", MARKET))
    world.store.follow(ANN, ANN, Target("chance", MARKET, 0.6))
    listed(world, market(0.7))
    assert world.check() == []
    listed(world, market(0.3))
    assert len(world.check()) == 2


@pytest.mark.parametrize(("outcome", "word"), [("yes", "YES"), ("no", "NO"), ("void", "VOID")])
def test_a_resolved_market_is_reported_to_all_followers(world, outcome, word):
    """Once to a person who follows it and a level of it; each document is read once for all of them."""
    for user in (ANN, BEN):
        world.store.follow(user, user, Target("market", MARKET, value=0.44))
        world.store.follow(user, user, Target("chance", MARKET, 0.9, value=0.44))
    world.service.markets[MARKET] = market(outcome=outcome)
    alerts = world.check()
    assert sorted(chat for chat, _, _ in alerts) == [ANN, BEN]
    assert f"Resolved: {word}" in alerts[0][1]
    assert "Yes at the opening: AI 44% · market 40% (SIMULATED)" in alerts[0][1]
    assert "at 2026-11-21 23:59 UTC" in alerts[0][1]
    assert [world.service.calls.count(name) for name in ("predictions", f"market {MARKET}")] == [1, 1]
    world.restart()
    assert world.check() == []
    assert world.store.follows("market", "chance") == []


def test_a_market_that_is_gone_is_not_followed_any_more(world):
    """Nor does it block others."""
    world.store.follow(ANN, ANN, Target("market", MARKET))
    world.author(ANN, 2)
    world.service.markets[MARKET] = ABSENCE
    world.service.markets["challenge-2"] = challenge(2)
    assert len(world.check()) == 1
    assert world.store.follows_of(ANN) == []


def test_a_decided_question_is_reported_to_its_followers(world):
    """Ben follows a question of Ann's, whose answer only her code reads; before its deadline nobody asks."""
    deadline = world.now + timedelta(hours=1)
    for user in (ANN, BEN):
        world.store.follow(user, user, Target("answer", "a1", due=deadline.timestamp(), owner_id=ANN))
    answer = documents.decided_answer()
    world.service.answers[ANN, "a1"] = answer | {"resolution": None, "score": None}
    world.service.documents["prices"]["timestamp"] = iso(world.now)
    assert world.check() == []
    assert "answer a1" not in world.service.calls
    world.service.documents["prices"]["timestamp"] = iso(deadline)
    assert world.check() == []
    world.service.answers[ANN, "a1"] = answer
    alerts = world.check()
    assert sorted(chat for chat, _, _ in alerts) == [ANN, BEN]
    assert "Your question is decided: YES" in alerts[0][1]
    assert "The answer was yes 56%." in alerts[0][1]
    assert "Brier score 0.19" in alerts[0][1]
    assert world.check() == []


def test_a_direction_is_decided_by_the_price(world):
    """A question without yes and no has no probability and no score."""
    world.store.follow(ANN, ANN, Target("answer", "a1", owner_id=ANN))
    resolution = {"outcome": "no", "resolved_at": iso(world.now), "evidence": "It fell."}
    world.service.answers[ANN, "a1"] = documents.ANSWER | {"p_yes": None, "resolution": resolution, "score": None}
    ((_, text, _),) = world.check()
    assert "decided: the price did not rise" in text
    assert "Brier" not in text


def test_a_follower_of_a_challenge_is_no_author(world):
    world.author(ANN, 17)
    world.store.follow(BEN, BEN, Target("market", "challenge-17"))
    world.service.markets["challenge-17"] = challenge(17)
    text_by_chat = {chat: text for chat, text, _ in world.check()}
    assert "Challenge 17</b> · yours · <b>Resolved" in text_by_chat[ANN]
    assert "Challenge 17</b> · <b>Resolved" in text_by_chat[BEN]
    assert "Your" not in text_by_chat[BEN]


@pytest.mark.parametrize(("error", "is_logged"), [(DOWN, False), (KeyError("no such field"), True)])
def test_a_failed_check_does_not_stop_the_others(world, level, caplog, error, is_logged):
    """The first of them is repeated at the next pass; the log has what is no outage."""
    world.service.broken["prices"] = error
    world.quote["price"] = 56_000
    world.author(ANN, 7)
    world.service.markets["challenge-7"] = challenge(7)
    ((_, text, _),) = world.check()
    assert "Challenge 7" in text
    assert ("a check for alerts failed" in caplog.text) == is_logged
    world.service.broken.clear()
    ((_, text, _),) = world.check()
    assert "Bitcoin has reached 55,000 USD" in text


def test_muted_follows_end_without_a_message(world, level):
    world.subscribe("followed", ANN, state="off")
    world.quote["price"] = 56_000
    assert world.check() == []
    world.subscribe("followed", ANN)
    assert world.check() == []


def test_an_unresolved_challenge_sends_nothing(world):
    """Nor does one that the service cannot say; its outcome is sent later, once, and without a sound if so wanted."""
    world.author(ANN, 17)
    world.subscribe("followed", ANN, state="silent")
    world.service.documents["challenges"]["challenges"] = [challenge(17, "open", None)]
    assert world.check() == []
    assert "market challenge-17" not in world.service.calls
    world.service.documents["challenges"]["challenges"] = []
    for answer in (challenge(17, "closed", None), DOWN, NotFound(404, {})):
        world.service.markets["challenge-17"] = answer
        assert world.check() == []
    world.service.markets["challenge-17"] = challenge(17)
    world.service.broken["challenges"] = DOWN
    assert world.check() == []
    world.service.broken.clear()
    assert [silent for _, _, silent in world.check()] == [True]
    for _ in range(2):
        world.restart()
        assert world.check() == []
        world.author(ANN, 17)


def test_many_challenges_are_checked_in_turn(world):
    for number in range(1, 51):
        world.author(ANN, number)
        world.service.markets[f"challenge-{number}"] = challenge(number, "closed", None)
    for _ in range(3):
        world.check()
    calls = [name for name in world.service.calls if name.startswith("market challenge-")]
    assert len(calls) == 60
    assert len(set(calls)) == 50
