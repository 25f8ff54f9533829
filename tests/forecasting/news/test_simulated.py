"""The simulated desk: every headline states what the bars show, at the hour at which they show it."""

from __future__ import annotations

import re
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
from tests.forecasting.made import FIRST, NOW, made_bars

SINCE = NOW - 60 * DAY
NAMES = {asset.name: key for key, asset in ASSETS.items()}
NEUTRAL = {"range", "flat_week"}
FACTS = {
    "name": "Bitcoin",
    "price": "$98,412",
    "pct": "4.2%",
    "sigmas": "2.3",
    "ratio": "2.1",
    "level": "100,000",
    "rank": "first",
    "count": "5",
}
SLOTS = {
    "name": "|".join(NAMES),
    "price": r"\$[\d,.]*\d",
    "pct": r"[\d.]+%",
    "sigmas": r"[\d.]+",
    "ratio": r"[\d.]+",
    "level": r"[\d,.]*\d",
    "rank": "first|last",
    "count": r"\d",
}


def directions(kind: str) -> tuple[int, ...]:
    return (0,) if kind in NEUTRAL else (1, -1)


def variants(kind: str, direction: int) -> list[str]:
    """The sentences of a kind with every word of a direction in its slots."""
    words = WORDS[direction]
    choices = [dict(zip(words, chosen, strict=True)) for chosen in product(*words.values())]
    return sorted({sentence.format_map(FACTS | chosen) for sentence in SENTENCES[kind] for chosen in choices})


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
    bars = made_bars("btc", 60, 1)
    flat = np.full(len(bars), 100.0)
    frozen = Bars(bars.time, flat, flat, flat, flat, bars.volume, HOUR)
    assert write({"btc": frozen}, FIRST, FIRST + 60 * DAY) == []
    short = {asset: bars.since(SINCE - 60 * DAY) for asset, bars in hourly.items()}
    assert write(short, SINCE + 2 * DAY, NOW) == write(hourly, SINCE + 2 * DAY, NOW)


def pattern(sentence: str, direction: int) -> re.Pattern[str]:
    """What the sentence of a direction may read like, with a group for each slot."""
    slots = SLOTS | {slot: "|".join(words) for slot, words in WORDS[direction].items()}
    parts = (f"{re.escape(text)}(?P<{slot}>{slots[slot]})" if slot else re.escape(text)
             for text, slot, _, _ in Formatter().parse(sentence))  # fmt: skip
    return re.compile("".join(parts) + "$", re.IGNORECASE)


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
        assert facts.get("price") in (None, printed(now)), headline
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


def printed(price: float) -> str:
    return f"${price:,.{0 if price >= 1000 else 2 if price >= 10 else 4}f}"


def bars_of(close: np.ndarray) -> Bars:
    time = FIRST + HOUR * np.arange(len(close))
    return Bars(time, close, close * 1.0001, close * 0.9999, close, np.ones(len(close)), HOUR)


@pytest.mark.parametrize(("factor", "direction"), [(1.2, 1), (0.8, -1)])
def test_a_jump_beyond_the_month_is_one_extreme(factor, direction):
    """It is not reported again while the price stays there."""
    close = 30_500 * np.exp(0.001 * np.sin(np.arange(LOOK_BACK_H + 48)))
    close[LOOK_BACK_H + 10 :] *= factor
    prices = track(bars_of(close))
    extremes = [(row, way) for row, kind, way in events("btc", prices, LOOK_BACK_H) if kind == "extreme"]
    assert extremes == [(LOOK_BACK_H + 10, direction)]


def test_the_round_price_that_was_crossed_is_named():
    close = np.array([98_900.0, 100_100.0, 100_200.0, 99_900.0])
    levels = track(bars_of(close)).level
    assert (levels[1], levels[3]) == (100_000, 100_000)
    assert np.isnan(levels[[0, 2]]).all()
