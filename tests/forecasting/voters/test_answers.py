"""What holds of all answers, at three instants of real bars: they add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from service.config import Settings
from service.forecasting.densities.fitting import fit
from service.forecasting.voters import price_forecasts
from service.forecasting.voters.context import Knowledge, build_all
from service.forecasting.voters.forecast_inputs import build_inputs
from service.market.assets import ASSETS, calendar_of
from service.market.bars import resample
from service.market.instants import DAY, HOUR, utc
from service.questions.question import Leg, Question
from service.sources.feeds.replay import open_replay
from tests.forecasting.made import panel_of

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
def instant(request, shared_data) -> tuple[int, Knowledge]:
    """An instant of the past, with what the voters knew then."""
    at, replay = request.param, open_replay(Settings(world="replay", replay_dir=shared_data / "candles" / "1h"))
    past = {asset: resample(bars, HOUR).until(at) for asset, bars in replay.bars.items()}
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


def levels_of(knowledge: Knowledge, asset: str, hours: int) -> list[float]:
    context = knowledge.contexts[asset]
    return [context.spot * float(np.exp(step * np.sqrt(context.slow * hours))) for step in STEPS]


def one_asset(at: int, knowledge: Knowledge, asset: str, hours: int) -> Iterator[Check]:
    """Complements, partitions, order of levels, touches against closes, quantiles against levels."""
    query, p = asker(at, knowledge, asset, hours)
    levels = levels_of(knowledge, asset, hours)
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
    levels = levels_of(knowledge, asset, hours)
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


def checks(at: int, knowledge: Knowledge) -> Iterator[Check]:
    for asset in ASSETS:
        for hours in HOURS:
            yield from one_asset(at, knowledge, asset, hours)
            yield from counted(at, knowledge, asset, hours)
        yield from deadlines(at, knowledge, asset)
    for hours in HOURS:
        yield from two_assets(at, knowledge, hours)


@pytest.mark.slow
def test_no_answer_contradicts_another(instant: tuple[int, Knowledge]):
    """1,400 checks at each instant: sums to 1e-9, and nothing in the wrong order."""
    results = list(checks(*instant))
    assert len(results) >= 1_400
    assert [check for check in results if check.miss > check.tolerance + 1e-12] == []
