"""The simulated desk: every headline states what the bars show, at the hour at which they show it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, product
from string import Formatter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.news.headline import named, tone
from service.forecasting.news.pulse import direction_of
from service.forecasting.news.simulated import COINS, LOOK_BACK_H, SENTENCES, SOURCE, WORDS, events, track, write
from service.market.assets import ASSETS
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR
from service.sources.feeds import simulated as market
from tests.forecasting.made import FIRST, NOW, flat_bars, made_bars

SINCE = NOW - 60 * DAY
NAMES = {asset.name: key for key, asset in ASSETS.items()}
NEUTRAL = {"range", "flat_week"}
SLOTS = {  # what may stand in a slot, and an example
    "name": ("|".join(NAMES), "Bitcoin"),
    "price": (r"\$[\d,.]*\d", "$98,412"),
    "pct": (r"[\d.]+%", "4.2%"),
    "sigmas": (r"[\d.]+", "2.3"),
    "ratio": (r"[\d.]+", "2.1"),
    "level": (r"[\d,.]*\d", "100,000"),
    "rank": ("first|last", "first"),
    "count": (r"\d", "5"),
}


def directions(kind: str) -> tuple[int, ...]:
    return (0,) if kind in NEUTRAL else (1, -1)


def variants(kind: str, direction: int) -> list[str]:
    """The sentences of a kind with every word of a direction in its slots."""
    words = WORDS[direction]
    choices = [dict(zip(words, chosen, strict=True)) for chosen in product(*words.values())]
    facts = {slot: example for slot, (_, example) in SLOTS.items()}
    return sorted({sentence.format_map(facts | chosen) for sentence in SENTENCES[kind] for chosen in choices})


@pytest.fixture(scope="module")
def simulated() -> dict[str, Bars]:
    """A hundred days of the simulated market by the hour."""
    first = FIRST - 40 * DAY
    return {asset: resample(market.bars(42, asset, first, SINCE + 60 * DAY), HOUR) for asset in ASSETS}


@pytest.fixture(scope="module")
def desk(simulated):
    return write(simulated, SINCE, NOW)


@pytest.mark.parametrize("kind", SENTENCES)
def test_a_sentence_has_its_asset_and_the_tone_of_its_direction(kind):
    labels = {1: "BULLISH", -1: "BEARISH", 0: "NEUTRAL"}
    for direction in directions(kind):
        for sentence in variants(kind, direction):
            assert (named(sentence), direction_of(tone(sentence))) == (("btc",), labels[direction]), sentence


def test_a_day_has_five_to_twelve_headlines_marked_as_simulated(desk):
    """Of every asset, in order and within the span, and nearly all of them differ."""
    assert {(headline.source, headline.simulated, headline.url) for headline in desk} == {(SOURCE, True, None)}
    assert "simulated" in SOURCE
    assert 5 * 60 <= len(desk) <= 12 * 60
    assert {asset for headline in desk for asset in named(headline.title)} == set(ASSETS)
    assert len({headline.id for headline in desk}) >= 0.97 * len(desk)
    times = [headline.published_at for headline in desk]
    assert times[0] > SINCE
    assert times == sorted(times)
    assert times[-1] <= NOW


def test_in_two_months_nearly_every_kind_of_event_occurs(desk):
    kinds = {understood(headline.title)[:2] for headline in desk}
    assert {(kind, direction) for kind in ("extreme", "level", "day", "burst") for direction in (1, -1)} <= kinds
    choices = {(kind, direction) for kind in SENTENCES for direction in directions(kind)}
    assert len(choices - kinds) <= 3


@settings(max_examples=15)
@given(st.integers(0, 60 * DAY))
def test_a_headline_depends_on_the_past_alone(hourly, span):
    """From the bars that were complete then, the same headlines."""
    end = SINCE + span
    past = {asset: bars.until(end) for asset, bars in hourly.items()}
    headlines = write(hourly, SINCE, NOW)
    assert write(past, SINCE, NOW) == [headline for headline in headlines if headline.published_at <= end]


@settings(max_examples=15)
@given(st.lists(st.integers(0, 60 * DAY), max_size=4))
def test_pieces_give_the_same_headlines_as_the_whole(hourly, spans):
    cuts = [SINCE, *sorted(SINCE + span for span in spans), NOW]
    pieces = [headline for start, end in pairwise(cuts) for headline in write(hourly, start, end)]
    assert pieces == write(hourly, SINCE, NOW)


def test_most_events_need_a_month_of_bars(hourly):
    """Older bars change nothing, and a constant price is no news."""
    assert write({}, SINCE, NOW) == []
    headlines = write({"gold": made_bars("gold", 20, 1)}, FIRST, FIRST + 20 * DAY)
    assert {understood(headline.title)[0] for headline in headlines} <= {"level", "week", "flat_week"}
    assert write({"btc": flat_bars(FIRST, [100.0] * 60 * 24)}, FIRST, FIRST + 60 * DAY) == []
    short = {asset: bars.since(SINCE - 60 * DAY) for asset, bars in hourly.items()}
    assert write(short, SINCE + 2 * DAY, NOW) == write(hourly, SINCE + 2 * DAY, NOW)


def pattern(sentence: str, direction: int) -> re.Pattern[str]:
    """What the sentence of a direction may read like, with a group for each slot."""
    words = {slot: "|".join(words) for slot, words in WORDS[direction].items()}
    slots = {slot: text for slot, (text, _) in SLOTS.items()} | words
    parts = Formatter().parse(sentence)
    texts = (re.escape(text) + (f"(?P<{slot}>{slots[slot]})" if slot else "") for text, slot, *_ in parts)
    return re.compile("".join(texts) + "$", re.IGNORECASE)


PATTERNS = [
    (kind, direction, pattern(sentence, direction))
    for kind, sentences in SENTENCES.items()
    for direction in directions(kind)
    for sentence in sentences
]


def understood(title: str) -> tuple[str, int, dict[str, str]]:
    """The kind and direction of a headline, and the facts in its sentence."""
    matches = ((kind, direction, regex.match(title)) for kind, direction, regex in PATTERNS)
    return next((kind, direction, match.groupdict()) for kind, direction, match in matches if match)


def test_every_headline_states_what_the_bars_show(simulated, desk):
    """Prices, moves, extremes, levels and ranks, computed again from the bars alone."""
    for headline in desk:
        kind, direction, facts = understood(headline.title)
        if "name" not in facts:
            continue
        asset, at = NAMES[facts["name"]], headline.published_at
        bars = simulated[asset]
        span = {"burst": 4, "week": 1}.get(kind, 24)
        now, hour, before = (close_at(bars, at, hours) for hours in (0, 1, span))
        month = bars.until(at - HOUR).since(at - 30 * DAY)
        assert facts.get("price") in (None, f"${now:,.{0 if now >= 1000 else 2 if now >= 10 else 4}f}"), headline
        assert facts.get("pct") in (None, f"{100 * abs(now / before - 1):.1f}%"), headline
        if kind in ("day", "burst", "week", "rank"):
            assert np.sign(now - before) == direction, headline
        if kind == "extreme":
            assert now > month.high.max() if direction > 0 else now < month.low.min(), headline
        if kind == "level":
            level = float(facts["level"].replace(",", ""))
            assert (hour < level <= now) if direction > 0 else (now < level <= hour), headline
        if kind == "rank":
            moves = {coin: close_at(simulated[coin], at, 0) / close_at(simulated[coin], at, 24) for coin in COINS}
            chosen = max if facts["rank"].lower() == "first" else min
            assert asset == chosen(moves, key=moves.get), headline


def close_at(bars: Bars, at: int, hours_before: int) -> float:
    """The last close known so many hours before an instant."""
    return float(bars.until(at - hours_before * HOUR).close[-1])


@pytest.mark.parametrize(("factor", "direction"), [(1.2, 1), (0.8, -1)])
def test_a_jump_beyond_the_month_is_one_extreme(factor, direction):
    """It is not reported again while the price stays there."""
    close = 30_500 * np.exp(0.001 * np.sin(np.arange(LOOK_BACK_H + 48)))
    close[LOOK_BACK_H + 10 :] *= factor
    prices = track(replace(flat_bars(FIRST, close), high=close * 1.0001, low=close * 0.9999))
    extremes = [(row, way) for row, kind, way in events("btc", prices, LOOK_BACK_H) if kind == "extreme"]
    assert extremes == [(LOOK_BACK_H + 10, direction)]


def test_the_round_price_that_was_crossed_is_named():
    levels = track(flat_bars(FIRST, [98_900.0, 100_100.0, 100_200.0, 99_900.0])).level
    assert (levels[1], levels[3]) == (100_000, 100_000)
    assert np.isnan(levels[[0, 2]]).all()
