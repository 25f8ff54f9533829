"""The simulated desk writes what the bars show, when they show it, and nothing else."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from string import Formatter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.news.naming import named
from service.forecasting.news.pulse import direction_of
from service.forecasting.news.sentiment import tone
from service.forecasting.news.simulated import COINS, SOURCE, write
from service.forecasting.news.templates import TEMPLATES
from service.market.assets import ASSETS
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR
from service.sources.feeds import simulated as market
from tests.forecasting.made import FIRST, NOW, made_bars

SINCE = NOW - 60 * DAY
NAMES = {asset.name: key for key, asset in ASSETS.items()}
KINDS_BY_TONE = {
    "BULLISH": {"day_up", "burst_up", "high", "above", "leader_up", "laggard_up", "breadth_up", "week_up", "streak_up"},
    "BEARISH": {
        *("day_down", "burst_down", "low", "below", "leader_down", "laggard_down", "breadth_down"),
        *("week_down", "streak_down"),
    },
    "NEUTRAL": {"wild", "calm", "breadth_mixed", "week_flat"},
}
FACTS = {
    "name": "Bitcoin",
    "price": "$98,412",
    "pct": "4.2%",
    "sigmas": "2.3",
    "ratio": "2.1",
    "level": "100,000",
    "count": "5",
    "others": "4",
    "up": "3",
    "down": "2",
    "nth": "third",
}


@pytest.fixture(scope="module")
def simulated() -> dict[str, Bars]:
    """A hundred days of the simulated market by the hour."""
    first = FIRST - 40 * DAY
    return {asset: resample(market.bars(42, asset, first, SINCE + 60 * DAY), HOUR) for asset in ASSETS}


@pytest.fixture(scope="module")
def desk(simulated):
    return write(simulated, SINCE, NOW)


def test_there_are_sentences_enough_and_each_holds_a_number():
    assert sum(map(len, TEMPLATES.values())) >= 40
    for sentence in (one for each in TEMPLATES.values() for one in each):
        fields = {name for _, name, _, _ in Formatter().parse(sentence) if name}
        assert fields & {"price", "pct"}, sentence
        assert fields <= set(FACTS), sentence


def test_every_kind_has_a_tone():
    assert set().union(*KINDS_BY_TONE.values()) == set(TEMPLATES)


@pytest.mark.parametrize(("label", "kinds"), KINDS_BY_TONE.items())
def test_a_sentence_sounds_like_what_happened(label, kinds):
    sentences = [sentence.format_map(FACTS) for kind in kinds for sentence in TEMPLATES[kind]]
    assert [sentence for sentence in sentences if direction_of(tone(sentence)) != label] == []


def test_a_sentence_names_its_asset():
    for kind, sentences in TEMPLATES.items():
        for sentence in sentences:
            named_there = named(sentence.format_map(FACTS))
            assert named_there == (() if kind.startswith("breadth") else ("btc",)), sentence


def test_they_say_that_they_are_simulated(desk):
    assert {(each.source, each.simulated, each.url) for each in desk} == {(SOURCE, True, None)}
    assert "simulated" in SOURCE


def test_a_day_brings_five_to_twelve_and_every_asset_is_written_of(desk):
    assert 5 * 60 <= len(desk) <= 12 * 60
    assert {asset for each in desk for asset in named(each.title)} == set(ASSETS)


def test_in_two_months_nearly_every_kind_of_thing_happens(desk):
    kinds = {understood(each.title)[0] for each in desk}
    assert {"high", "low", "above", "below", "day_up", "day_down", "burst_up", "burst_down", "wild", "calm"} <= kinds
    assert len(set(TEMPLATES) - kinds) <= 3


def test_nearly_all_read_differently(desk):
    assert len({each.id for each in desk}) >= 0.97 * len(desk)


def test_they_come_in_order_and_within_the_span(desk):
    times = [each.published_at for each in desk]
    assert times == sorted(times)
    assert times[0] > SINCE
    assert times[-1] <= NOW


@settings(max_examples=15)
@given(st.integers(0, 60 * DAY))
def test_a_headline_knows_nothing_of_what_follows(hourly, span):
    """From the bars that were complete then, the same headlines."""
    then = SINCE + span
    known = {asset: bars.until(then) for asset, bars in hourly.items()}
    whole = write(hourly, SINCE, NOW)
    assert write(known, SINCE, NOW) == [each for each in whole if each.published_at <= then]


@settings(max_examples=15)
@given(st.lists(st.integers(0, 60 * DAY), max_size=4))
def test_in_one_piece_or_in_many_they_are_the_same(hourly, spans):
    cuts = [SINCE, *sorted(SINCE + span for span in spans), NOW]
    pieces = [each for one, other in pairwise(cuts) for each in write(hourly, one, other)]
    assert pieces == write(hourly, SINCE, NOW)


def test_older_bars_change_nothing(hourly):
    short = {asset: bars.since(SINCE - 60 * DAY) for asset, bars in hourly.items()}
    assert write(short, SINCE + 2 * DAY, NOW) == write(hourly, SINCE + 2 * DAY, NOW)


def test_what_is_measured_by_a_month_waits_for_one():
    assert write({}, SINCE, NOW) == []
    young = write({"gold": made_bars("gold", 20, 1)}, FIRST, FIRST + 20 * DAY)
    assert {understood(each.title)[0] for each in young} <= {"above", "below", "week_up", "week_down", "week_flat"}


def test_a_price_that_stands_still_is_no_news():
    still = made_bars("btc", 60, 1)
    flat = np.full(len(still), 100.0)
    frozen = Bars(still.time, flat, flat, flat, flat, still.volume, HOUR)
    assert write({"btc": frozen}, FIRST, FIRST + 60 * DAY) == []


def test_sixty_days_of_seven_assets_are_written_in_a_tenth_of_a_second(simulated):
    def seconds() -> float:
        began = time.perf_counter()
        write(simulated, SINCE, NOW)
        return time.perf_counter() - began

    assert min(seconds() for _ in range(3)) < 0.1


PATTERNS = [
    (kind, re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(sentence)) + "$", re.IGNORECASE))
    for kind, sentences in TEMPLATES.items()
    for sentence in sentences
]


def understood(title: str) -> tuple[str, dict[str, str]]:
    """The kind of a headline and what was put into its sentence."""
    return next((kind, found.groupdict()) for kind, pattern in PATTERNS if (found := pattern.match(title)))


def test_every_number_is_that_of_the_bars(simulated, desk):
    """Prices and moves, found again from the closes alone."""
    for each in desk:
        kind, facts = understood(each.title)
        if "name" not in facts:
            continue
        bars = simulated[NAMES[facts["name"]]]
        now, hour, four, day = (close_at(bars, each.published_at, hours) for hours in (0, 1, 4, 24))
        before = four if kind.startswith("burst") else hour if kind.startswith("week") else day
        assert facts.get("price") in (None, printed(now)), each
        assert facts.get("pct") in (None, f"{100 * abs(now / before - 1):.1f}%"), each
        if kind.endswith(("_up", "_down")) and not kind.startswith(("leader", "laggard", "streak")):
            assert (now > before) == kind.endswith("_up"), each


def test_every_extreme_level_and_streak_is_in_the_bars(simulated, desk):
    for each in desk:
        kind, facts = understood(each.title)
        if kind not in ("high", "low", "above", "below", "streak_up", "streak_down"):
            continue
        bars, at = simulated[NAMES[facts["name"]]], each.published_at
        now, hour = close_at(bars, at, 0), close_at(bars, at, 1)
        month = bars.until(at - HOUR).since(at - 30 * DAY)
        assert kind != "high" or now > month.high.max(), each
        assert kind != "low" or now < month.low.min(), each
        if "level" in facts:
            level = float(facts["level"].replace(",", ""))
            assert (hour < level <= now) if kind == "above" else (now < level <= hour), each
        if "nth" in facts:
            length = {"third": 3, "fifth": 5, "seventh": 7}[facts["nth"].lower()]
            ends = [close_at(bars, at, 24 * day) for day in range(length, -1, -1)]
            assert (np.diff(ends) > 0).all() if kind == "streak_up" else (np.diff(ends) < 0).all(), each


def test_who_leads_and_who_trails_is_in_the_bars(simulated, desk):
    for each in desk:
        kind, facts = understood(each.title)
        if not kind.startswith(("leader", "laggard", "breadth")):
            continue
        moves = {}
        for coin in COINS:
            now, day = (close_at(simulated[coin], each.published_at, hours) for hours in (0, 24))
            moves[coin] = now / day - 1
        if kind.startswith("leader"):
            assert NAMES[facts["name"]] == max(moves, key=moves.get), each
        if kind.startswith("laggard"):
            assert NAMES[facts["name"]] == min(moves, key=moves.get), each
        if kind in ("leader_down", "laggard_up"):
            assert len({move > 0 for move in moves.values()}) == 1, each
        assert facts.get("up") in (None, str(sum(move > 0 for move in moves.values()))), each
        assert facts.get("down") in (None, str(sum(move < 0 for move in moves.values()))), each


def close_at(bars: Bars, at: int, hours_before: int) -> float:
    """The last close known so many hours before an instant."""
    return float(bars.until(at - hours_before * HOUR).close[-1])


def printed(price: float) -> str:
    return f"${price:,.{0 if price >= 1000 else 2 if price >= 10 else 4}f}"
