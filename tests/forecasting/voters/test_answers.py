"""What holds of all answers: they add up, and none sees what comes after the question.

The first is asked at three instants of real bars, the second with and without the bars that came later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from service.forecasting.densities.density import VERSION, Fits
from service.forecasting.densities.fitting import fit, fit_calendars
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.voters import price_forecasts
from service.forecasting.voters.context import Knowledge, build_all, recall
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.inputs import survey
from service.market.assets import ASSETS, calendar_of
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR, utc
from service.questions import Circumstances, understand
from service.questions.question import Leg, Question
from tests.forecasting.made import EVERY_KIND, NOW, asking_at, made_bars, market_of, panel_of
from tests.forecasting.markets import PLAIN_HEADER

INSTANTS = (1_727_568_000, 1_734_307_200, 1_745_366_400)  # midnights of a Sunday, a Monday, a Wednesday
HOURS = (24, 168, 720)
STEPS = (-2.0, -1.2, -0.6, -0.2, 0.2, 0.6, 1.2, 2.0)  # distances of levels, in sigmas
EXACT, MONTE_CARLO = 1e-9, 0.03  # of sums; of what is counted on 4,096 paths against what is not


class Check(NamedTuple):
    """What is compared, and by how much it is wrong: at most `tolerance`."""

    name: str
    miss: float
    tolerance: float = EXACT


@pytest.fixture(scope="module", params=INSTANTS, ids=lambda at: utc(at).date().isoformat())
def instant(request, real_hourly) -> tuple[int, Knowledge]:
    """An instant of the past, with what the voters knew then."""
    at = request.param
    past = {asset: resample(bars, HOUR).until(at) for asset, bars in real_hourly.items()}
    return at, Knowledge(build_all(past, at), fit(past, at - at % DAY))


def asker(at: int, knowledge: Knowledge, asset: str, hours: int) -> tuple[Callable[..., Question], Callable]:
    """Makes questions about an asset, and answers them as the panel does, before anything is rounded."""
    spot = knowledge.contexts[asset].spot

    def query(comparator: str, **fields) -> Question:
        deadline = utc(at) + timedelta(hours=hours)
        return Question("?", asset, comparator, deadline, float(hours), spot, "none", **fields)

    def answer(question: Question) -> float:
        return panel_of().ask(question, at, knowledge).pool.p

    return query, answer


def levels_of(at: int, knowledge: Knowledge, asset: str, hours: int) -> list[float]:
    context = knowledge.contexts[asset]
    return [context.spot * float(np.exp(step * np.sqrt(context.slow * hours))) for step in STEPS]


def one_asset(at: int, knowledge: Knowledge, asset: str, hours: int) -> Iterator[Check]:
    """Complements, partitions, order of levels, touches against closes, quantiles against levels."""
    query, p = asker(at, knowledge, asset, hours)
    levels = levels_of(at, knowledge, asset, hours)
    above, below = ([p(query(kind, level=level)) for level in levels] for kind in ("close_above", "close_below"))
    kinds = ["touch_below" if step < 0 else "touch_above" for step in STEPS]
    touches = [p(query(kind, level=level)) for kind, level in zip(kinds, levels, strict=True)]
    inner = [p(query("between", level=low, upper_level=high)) for low, high in pairwise(levels)]
    yield Check("parts of the line", abs(below[0] + sum(inner) + above[-1] - 1))
    for place, level in enumerate(levels):
        yield Check("above and below", abs(above[place] + below[place] - 1))
        yield Check("not above", abs(above[place] + p(query("close_above", level=level, negated=True)) - 1))
        yield Check("a touch is likelier", (above if STEPS[place] > 0 else below)[place] - touches[place])
    for place in range(len(levels) - 1):
        yield Check("between is the difference", abs(above[place] - above[place + 1] - inner[place]))
        yield Check("higher is less likely", above[place + 1] - above[place])
    middle = len(STEPS) // 2
    for nearer, further in [*pairwise(touches[middle:]), *pairwise(reversed(touches[:middle]))]:
        yield Check("further is less likely", further - nearer)
    up, down = p(query("up")), p(query("down"))
    yield Check("up and down", abs(up + down - 1))
    move = p(query("move", level_pct=3.0))
    sides = {"level": query("up").spot * 0.97, "upper_level": query("up").spot * 1.03}
    yield Check("a move is not between", abs(move + p(query("between", **sides)) - 1))
    averages = [p(query(kind, level=levels[4])) for kind in ("average_above", "average_below")]
    yield Check("averages", abs(sum(averages) - 1))
    first, second = (p(query(kind, level=levels[3], upper_level=levels[4])) for kind in ("upper_first", "lower_first"))
    yield Check("at most one level is first", first + second - 1)
    state = build_inputs(query("up"), at, knowledge).state
    for percent, price in price_forecasts.price_quantiles(state, knowledge.fits).items():
        tolerance = 1e-4 if state.hours else 1.0  # seven digits of a price; a closed market has none
        miss = p(query("close_above", level=price)) - 1 + int(percent) / 100
        yield Check("quantiles are levels", abs(miss), tolerance)


def deadlines(at: int, knowledge: Knowledge, asset: str) -> Iterator[Check]:
    """A later deadline makes a touch likelier."""
    for share in (0.96, 1.04):
        chances = []
        for hours in HOURS:
            query, p = asker(at, knowledge, asset, hours)
            spot = knowledge.contexts[asset].spot
            chances.append(p(query("touch_above" if share > 1 else "touch_below", level=spot * share)))
        for earlier, later in pairwise(chances):
            yield Check("later is likelier", earlier - later)


def counted(at: int, knowledge: Knowledge, asset: str, hours: int) -> Iterator[Check]:
    """What is counted on paths agrees with what is not, and falls with its size."""
    query, p = asker(at, knowledge, asset, hours)
    levels = levels_of(at, knowledge, asset, hours)
    if hours == 24 and calendar_of(asset) == "always":
        days, closes = (p(query("days_above", level=levels[4], days=1)), p(query("close_above", level=levels[4])))
        yield Check("one day above is a close above", abs(days - closes), MONTE_CARLO)
    for kind, sizes in (("range", (1.0, 3.0, 9.0, 27.0)), ("volatility", (20.0, 40.0, 60.0, 90.0))):
        chances = [p(query(kind, level_pct=size)) for size in sizes]
        for small, large in pairwise(chances):
            yield Check(f"a larger {kind} is less likely", large - small)


def two_assets(at: int, knowledge: Knowledge, hours: int) -> Iterator[Check]:
    """Both and either, and which of two returns more."""
    for first, second in (("btc", "eth"), ("sol", "xrp"), ("eth", "gold")):
        query, p = asker(at, knowledge, first, hours)
        other, q = asker(at, knowledge, second, hours)
        legs = tuple(
            Leg(asset, kind, knowledge.contexts[asset].spot, level=knowledge.contexts[asset].spot * share)
            for asset, kind, share in ((first, "close_above", 1.01), (second, "touch_below", 0.97))
        )
        total = p(query("close_above", level=legs[0].level)) + q(other("touch_below", level=legs[1].level))
        both, either = (p(query(kind, other_asset=second, legs=legs)) for kind in ("both", "either"))
        yield Check("both and either", abs(both + either - total))
        yield Check("both is less likely", both - either)
        forth, back = p(query("relative", other_asset=second)), q(other("relative", other_asset=first))
        yield Check("one of two returns more", abs(forth + back - 1))


WORDS = (
    ("Will Bitcoin be above {level} in 3 days?", "Will BTC close above {level} in three days?"),
    ("Will Bitcoin reach {high} in 3 days?", "Will BTC hit {high} within 3 days?"),
    ("Will ether be below {level} in a week?", "Will ETH close under {level} in 7 days?"),
    ("Will bitcoin rise in 3 days?", "Will BTC be higher in 72 hours?"),
)


def other_words(at: int, knowledge: Knowledge) -> Iterator[Check]:
    """Two texts of one question have one answer."""
    spots = {asset: context.spot for asset, context in knowledge.contexts.items()}
    for texts in WORDS:
        answers = []
        for text in texts:
            asset = "eth" if "eth" in texts[0].lower() else "btc"
            wording = text.format(level=round(spots[asset] * 0.99), high=round(spots[asset] * 1.04))
            question = understand(wording, Circumstances(utc(at), spots))
            answers.append(panel_of().ask(question, at, knowledge).pool.p)
        yield Check(f"other words: {texts[0]}", abs(answers[0] - answers[1]))


def checks(at: int, knowledge: Knowledge) -> Iterator[Check]:
    for asset in ASSETS:
        for hours in HOURS:
            yield from one_asset(at, knowledge, asset, hours)
            yield from counted(at, knowledge, asset, hours)
        yield from deadlines(at, knowledge, asset)
    for hours in HOURS:
        yield from two_assets(at, knowledge, hours)
    yield from other_words(at, knowledge)


@pytest.mark.slow
def test_no_answer_contradicts_another(instant: tuple[int, Knowledge]):
    """At least 414 checks at each instant, 1,242 in all: sums to 1e-9, and nothing in the wrong order."""
    results = list(checks(*instant))
    assert len(results) >= 414
    assert [check for check in results if check.miss > check.tolerance + 1e-12] == []


PAST_DAYS, LATER_DAYS = 190, 10
SLOT = NOW - 3 * DAY
OF_GOLD = tuple((kind, {**fields, "asset": "gold"}) for kind, fields in EVERY_KIND if "other_asset" not in fields)
KINDS = (*EVERY_KIND, *OF_GOLD)


@pytest.fixture(scope="module")
def later() -> dict[str, Bars]:
    """Bars that go on for ten days after NOW."""
    first, days = NOW - PAST_DAYS * DAY, PAST_DAYS + LATER_DAYS
    return {asset: made_bars(asset, days, seed, first) for seed, asset in enumerate(ASSETS)}


@pytest.fixture(scope="module")
def with_later(later) -> Knowledge:
    """What a walk through the past takes from a history that goes on."""
    return knowledge_of(later)


def knowledge_of(bars: dict[str, Bars]) -> Knowledge:
    """Contexts at NOW and fits at SLOT as rows of one history."""
    history = survey(bars)
    tracks = {asset: track.variance for asset, track in history.tracks.items()}
    fits = Fits(VERSION, SLOT, fit_calendars(history.grid, tracks, history.grid.row_at(SLOT)))
    return Knowledge(recall(history, bars, NOW), fits)


@pytest.fixture(scope="module")
def without(later) -> Knowledge:
    """What the service knew then."""
    past = {asset: bars.until(NOW) for asset, bars in later.items()}
    return Knowledge(build_all(past, NOW), fit(past, SLOT))


@pytest.fixture(scope="module")
def query(without) -> Callable[..., Question]:
    """Makes a question at the prices of this history; those of the other tests know another one."""
    return asking_at(without.contexts)


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
def test_no_vote_and_no_pool_sees_what_comes_after(comparator, fields, query, with_later, without):
    """Distributions, paths, reasons and the pool of every kind of question, and what the outside market quotes."""
    question = query(comparator, **fields)
    seen, unseen = (panel_of().ask(question, NOW, knowledge) for knowledge in (with_later, without))
    assert len(seen.ballots) == 9
    assert seen == unseen
    quotes = [SimulatedMarket(7).quote(market_of(question), knowledge, NOW) for knowledge in (with_later, without)]
    assert quotes[0] == quotes[1]


def test_no_price_forecast_sees_what_comes_after(with_later, without):
    seen, unseen = (price_forecasts.describe(knowledge, NOW, PLAIN_HEADER) for knowledge in (with_later, without))
    assert set(seen) == set(ASSETS)
    assert seen == unseen


def test_bars_of_one_hour_later_would_be_seen(later, without, query):
    """The comparison can fail: with prices that come one hour early, the answers differ."""
    early = {asset: replace(bars, close=np.roll(bars.close, -1)) for asset, bars in later.items()}
    knowledge = knowledge_of(early)
    question = query("touch_above", at=1.03)
    votes = [vote.forecast.p for vote in panel_of().ask(question, NOW, knowledge).ballots]
    assert votes != [vote.forecast.p for vote in panel_of().ask(question, NOW, without).ballots]
