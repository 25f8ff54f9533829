"""The past is lived through as it was: nobody is shown the future, and the clock decides who knows what.

Fits of the first of May are at hand; fifteen days of that month are lived through.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np
import pytest

from service.forecasting import relive
from service.forecasting.apex.hearing import odds_of_up
from service.forecasting.apex.layers import ENGINE
from service.forecasting.apex.scores import record_of, resolved_calls
from service.forecasting.brains import VOL
from service.forecasting.consensus import weigh
from service.forecasting.fits import VERSION, Fits
from service.forecasting.news.pulse import score_at
from service.forecasting.news.stories import stories
from service.forecasting.panel import Panel, survey
from service.forecasting.predictions import outside, series
from service.forecasting.predictions.settling import resolved
from service.forecasting.record import build
from service.forecasting.relive import LivedMarket, Past
from service.forecasting.resolution import TOUCHES, resolve
from service.forecasting.votes import Forecast
from service.market.assets import ASSETS
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR, MINUTE, iso
from tests.forecasting.made import DAYS, NOW, made_bars

LIVED = 15 * DAY
END = NOW + LIVED
SEED = 42
SOON = NOW + 2 * DAY  # long enough to open markets of every kind
SWARM = MappingProxyType({NOW + 4 * HOUR * step: (step % 21 - 10) / 10 for step in range(-100, 130)})
CUTS = (NOW + 4 * DAY + 12 * HOUR, NOW + 9 * DAY, NOW + 13 * DAY + 12 * HOUR)
FIVE = 5 * MINUTE


@pytest.fixture(scope="session")
def bars() -> dict[str, Bars]:
    """135 days of hourly bars; the first 120 are those that `fits` were learnt from."""
    return {asset: made_bars(asset, DAYS + LIVED // DAY, seed) for seed, asset in enumerate(ASSETS)}


@pytest.fixture(scope="session")
def living(fits) -> Callable[..., Past]:
    """Lives through the days from NOW on."""

    def live(hourly: Mapping[str, Bars], until: int = END, *, seed: int = SEED, swarm: Mapping = SWARM) -> Past:
        return relive.relive(hourly, NOW, until, fits, seed, 5, swarm)

    return live


@pytest.fixture(scope="session")
def past(bars, living) -> Past:
    """All fifteen days."""
    return living(bars)


def changed_after(hourly: Mapping[str, Bars], cut: int, seed: int = 1) -> dict[str, Bars]:
    """The same bars up to the unix second `cut`, and each later one times a factor of its own."""
    dice = np.random.default_rng(seed)

    def change(known: Bars) -> Bars:
        factor = np.where(known.time + HOUR > cut, dice.uniform(0.8, 1.25, len(known)), 1.0)
        return replace(known, **{name: getattr(known, name) * factor for name in ("open", "high", "low", "close")})

    return {asset: change(known) for asset, known in hourly.items()}


def committed(found: Past, cut: int) -> tuple:
    """All that was said by the unix second `cut`: markets with votes, weights and odds, calls, headlines."""
    return (
        [(one.market, one.commitment, one.odds) for one in found.markets if one.market.created_at <= cut],
        [call for call in found.calls if call.at <= cut],
        [each for each in found.headlines if each.headline.published_at <= cut],
    )


def settled(found: Past) -> list[LivedMarket]:
    return [one for one in found.markets if one.settlement]


@pytest.mark.parametrize("cut", CUTS, ids=iso)
def test_what_comes_later_changes_nothing_that_was_said_before(cut, bars, past, living):
    """Every price after an instant is another one: no vote, weight, price, call or headline of before it differs.

    The votes at the instant itself count as before it. What became of them is another matter, as it should be.
    """
    other = living(changed_after(bars, cut), cut + DAY)
    assert committed(other, cut) == committed(past, cut)
    became = {one.market.id: one.settlement for one in past.markets}
    assert any(one.settlement and one.settlement != became.get(one.market.id) for one in other.markets)


@pytest.mark.parametrize("leaking", ["move_4h", "heat", "peers_24h"])
def test_an_input_that_sees_one_bar_ahead_is_caught(leaking, bars, living, monkeypatch):
    """The comparison can fail: with one input shifted by a single bar, what comes later does change votes."""

    def leak(hourly: Mapping[str, Bars]) -> Panel:
        panel = survey(hourly)
        ahead = {
            asset: replace(track, inputs={**track.inputs, leaking: np.roll(track.inputs[leaking], -1)})
            for asset, track in panel.tracks.items()
        }
        return replace(panel, tracks=ahead)

    monkeypatch.setattr(relive, "survey", leak)
    cut = NOW + DAY + 12 * HOUR
    one, other = living(bars, cut + 12 * HOUR), living(changed_after(bars, cut), cut + 12 * HOUR)
    assert committed(one, cut - 4 * HOUR) == committed(other, cut - 4 * HOUR)
    assert committed(one, cut) != committed(other, cut)


def test_a_record_that_counts_what_is_not_settled_yet_is_caught(bars, living, monkeypatch):
    """The comparison sees weights too: were outcomes learnt when markets open, what comes later would change them."""

    def early(market, hourly, now):
        found = really_settle(market, hourly, now)
        return found and replace(found, resolved_at=market.created_at)

    really_settle = relive.settle_past
    monkeypatch.setattr(relive, "settle_past", early)
    cut, until = CUTS[0], CUTS[0] + 2 * DAY
    one, other = living(bars, until), living(changed_after(bars, cut), until)
    assert committed(one, cut) != committed(other, cut)


def test_the_same_bars_and_the_same_seed_give_the_same_bytes(bars, past, living):
    """To stop earlier is to have the beginning of the same past, whether or not the bars that follow are there."""
    cut = CUTS[0]
    short = living({asset: known.until(cut) for asset, known in bars.items()}, cut)
    assert pickle.dumps(short) == pickle.dumps(living(bars, cut))
    assert committed(short, cut) == committed(past, cut)


def test_all_of_it_is_marked_as_backfilled(past):
    assert all(one.market.backfilled for one in past.markets)
    assert all(call.backfilled for call in past.calls)
    assert all(each.headline.simulated for each in past.headlines)


def test_a_market_is_voted_on_and_priced_when_it_is_opened(past):
    """With what was known by then: bars, fits and all."""
    for one in past.markets:
        opened = one.market.created_at
        assert one.commitment.voted_at == one.odds.fetched_at == opened
        assert one.commitment.as_of <= opened
        assert one.commitment.fitted_at <= opened
        assert NOW <= opened <= END
    assert len({one.market.id for one in past.markets}) == len(past.markets)


def test_markets_are_those_of_the_series_at_every_instant_at_which_periods_begin(past):
    opened = {one.market.created_at for one in past.markets}
    assert opened == set(range(NOW, END + 1, series.EVERY_S))
    assert {one.market.question.asset for one in past.markets} == set(ASSETS)
    assert {one.market.category for one in past.markets} == {"daily", "weekly", "monthly"}


def test_no_market_is_settled_before_it_was_voted_on_or_after_the_end(past):
    for one in settled(past):
        assert one.market.created_at < one.settlement.resolved_at <= END
        assert one.settlement.resolved_at > one.market.deadline or one.market.question.comparator in TOUCHES


def test_a_market_is_open_at_the_end_only_while_its_deadline_is_ahead_and_no_touch_was_seen(past, bars):
    for one in past.markets:
        question = one.market.question
        is_over = one.market.deadline < END
        seen = bars[question.asset].since(one.market.created_at).until(min(END, one.market.deadline + 1))
        is_touched = (question.comparator == "touch_above" and (seen.high >= question.level).any()) or (
            question.comparator == "touch_below" and (seen.low <= question.level).any()
        )
        assert (one.settlement is None) == (not is_over and not is_touched)


def finer(hour: Bars, seed: int) -> Bars:
    """Five-minute bars of which those hours are made: high and low each come in some bar of the hour."""
    dice = np.random.default_rng(seed)
    count = len(hour)
    ways = np.linspace(hour.open, hour.close, 13, axis=1)
    opens, closes = ways[:, :-1].copy(), ways[:, 1:].copy()
    high, low = np.maximum(opens, closes), np.minimum(opens, closes)
    rows = np.arange(count)
    high[rows, dice.integers(0, 12, count)] = hour.high
    low[rows, dice.integers(0, 12, count)] = hour.low
    times = hour.time[:, None] + FIVE * np.arange(12)
    return Bars(times.ravel(), *(each.ravel() for each in (opens, high, low, closes)), np.ones(12 * count), FIVE)


def test_the_outcome_is_that_of_five_minute_bars(past, bars):
    """What the hours say the service would have seen in the bars that it stores."""
    fine = {asset: finer(known.since(NOW - 4 * DAY), seed) for seed, (asset, known) in enumerate(bars.items())}
    for asset, known in fine.items():
        assert np.array_equal(resample(known, HOUR).high, bars[asset].since(NOW - 4 * DAY).high)
    for one in settled(past)[::3]:
        market, settlement = one.market, one.settlement
        found = resolve(market.question, market.created_at, fine, settlement.resolved_at)
        assert found.outcome == settlement.outcome
        if market.question.comparator not in TOUCHES:
            assert resolve(market.question, market.created_at, fine, settlement.resolved_at - HOUR) is None


def test_the_record_at_the_end_is_that_of_all_that_was_settled(past):
    """In the order of opening; void ones teach nothing."""
    taught = [each for one in settled(past) for each in resolved([one])]
    assert past.record == build(taught, END)
    assert len(taught) == past.record.direction.calibration.n + past.record.event.calibration.n


def test_weights_are_those_of_what_had_been_settled_at_the_last_count(past):
    """Which is made every two days."""
    counted = last_count(CUTS[2])
    known = [one for one in settled(past) if one.settlement.resolved_at <= counted]
    record = build([each for one in known for each in resolved([one])], counted)
    opened = [one for one in past.markets if one.market.created_at == CUTS[2]]
    for one in opened:
        engines = [(vote.voter, vote.engine) for vote in one.commitment.votes]
        weights = weigh(engines, record.of(one.market.question.comparator)).tolist()
        assert [vote.weight for vote in one.commitment.votes] == weights
        assert len(set(weights)) > 1


def last_count(instant: int) -> int:
    return instant // relive.LEARNT_EVERY_S * relive.LEARNT_EVERY_S


def test_apex_calls_every_four_hours(past):
    assert [call.at for call in past.calls] == list(range(NOW, END + 1, 4 * HOUR))
    assert {call.asset for call in past.calls} == {"btc"}


def test_a_call_that_waits_for_a_late_bar_is_counted_the_next_time(bars, living):
    """The day of a call ends with a hole, four hours before the calls are counted."""
    first = last_count(NOW + 6 * DAY)
    second = first + relive.LEARNT_EVERY_S
    holed = {**bars, "btc": bars["btc"][bars["btc"].time != first - 5 * HOUR]}
    calls = living(holed, second).calls
    resolved_by_then = resolved_calls(calls, holed, second)
    assert first - 4 * HOUR - DAY in {one.call.at for one in resolved_by_then}
    spoken = [layer for layer in calls[-1].layers if layer.silent is None]
    weights = weigh([(layer.name, ENGINE) for layer in spoken], record_of(resolved_by_then, second).direction)
    expected = {layer.name: weight for layer, weight in zip(spoken, weights.tolist(), strict=True)}
    assert {layer.name: layer.weight for layer in spoken if layer.name != "market"} == {
        name: weight for name, weight in expected.items() if name != "market"
    }
    assert len(set(expected.values())) > 1


def test_calls_hear_the_swarm_and_the_headlines_of_their_instant(past):
    """And what the outside market gave a rise within the last day."""
    for call in past.calls:
        said = {layer.name: layer for layer in call.layers}
        assert f"{SWARM[call.at]:+.2f} of 1" in said["swarm"].reading
        score, n = score_at(stories(past.headlines), call.at)
        assert said["news"].reading == (f"News score {score:+.2f} over {n} stories." if n else "")
        priced = [(one.market, one.odds) for one in past.markets]
        assert said["market"].p == odds_of_up("btc", call.at, priced)


def test_headlines_begin_before_the_first_day_and_end_with_the_last(past):
    printed = [each.headline.published_at for each in past.headlines]
    assert printed == sorted(printed)
    assert NOW - relive.NEWS_BEFORE_S < printed[0] < NOW
    assert END - 2 * DAY < printed[-1] <= END


@dataclass(frozen=True)
class Stubborn:
    """A voter that says the same of everything."""

    p: float
    name: str = "stubborn"
    kind: str = "brain"
    engine: str = "made"

    def forecast(self, question, situation) -> Forecast:
        return Forecast(self.p, "")


def test_the_outside_market_is_deaf_to_the_votes(past, bars, living, monkeypatch):
    """Other voters, the same odds to the last digit."""
    monkeypatch.setattr(relive, "VOTERS", tuple(Stubborn(0.9, name) for name in "abcde"))
    other = living(bars, SOON)
    assert {one.commitment.p for one in other.markets} != {0.5}
    assert [one.odds for one in other.markets] == [one.odds for one in past.markets if one.market.created_at <= SOON]


def test_the_voters_are_deaf_to_the_outside_market(past, bars, living):
    """Another seed, other odds on every market, and the same votes to the last digit."""
    other = living(bars, SOON, seed=SEED + 1).markets
    same = [one for one in past.markets if one.market.created_at <= SOON]
    assert [(one.market, one.commitment) for one in other] == [(one.market, one.commitment) for one in same]
    assert all(one.odds.p_yes != beside.odds.p_yes for one, beside in zip(other, same, strict=True))


def test_the_outside_market_is_asked_after_the_votes_were_cast(bars, living, monkeypatch):
    told: list[str] = []

    def commit(market, *arguments, **named):
        told.append(f"voted {market.id}")
        return really_commit(market, *arguments, **named)

    def quote(market, *arguments):
        told.append(f"priced {market.id}")
        return really_quote(market, *arguments)

    really_commit, really_quote = relive.commit, outside.quote
    monkeypatch.setattr(relive, "commit", commit)
    monkeypatch.setattr(outside, "quote", quote)
    opened = [one.market.id for one in living(bars, NOW).markets]
    assert told == [f"{done} {id}" for id in opened for done in ("voted", "priced")]


def test_below_the_quorum_no_market_is_opened(bars, fits, monkeypatch):
    """It is tried again at the next instant; here five votes are asked of four."""
    monkeypatch.setattr(relive, "VOTERS", tuple(Stubborn(0.5, name) for name in "abcd"))
    assert relive.relive(bars, NOW, NOW + DAY, fits, SEED, 5, {}).markets == ()
    assert len(relive.relive(bars, NOW, NOW, fits, SEED, 4, {}).markets) > 0


def test_each_month_is_voted_on_with_what_was_learnt_before_it(bars, fits):
    """The days around the first of May: those before know the fits of April, however much follows."""
    since, until = NOW - DAY, NOW + 12 * HOUR
    found = relive.relive(bars, since, until, fits, SEED, 5, SWARM)
    april = int(datetime(2025, 4, 1, tzinfo=UTC).timestamp())
    assert {one.commitment.fitted_at for one in found.markets if one.market.created_at < NOW} == {april}
    assert {one.commitment.fitted_at for one in found.markets if one.market.created_at >= NOW} == {NOW}
    other = relive.relive(changed_after(bars, NOW - 12 * HOUR), since, until, fits, SEED, 5, SWARM)
    assert committed(other, NOW - 12 * HOUR) == committed(found, NOW - 12 * HOUR)


def test_an_asset_that_begins_later_changes_nothing_before(bars, fits):
    """Until ethereum's first bar comes the past is that of a world without it, and so are the fits of April."""
    since, begins, until = NOW - DAY, NOW - 12 * HOUR, NOW
    late = {**bars, "eth": bars["eth"].since(begins)}
    without = {asset: known for asset, known in bars.items() if asset != "eth"}
    found = relive.relive(late, since, until, fits, SEED, 5, SWARM)
    other = relive.relive(without, since, until, fits, SEED, 5, SWARM)
    assert committed(found, begins) == committed(other, begins)
    assert len(other.markets) > 0


def test_two_months_give_hundreds_of_settled_markets_of_every_kind(monkeypatch):
    """Counted with volatility alone, which nothing has to be learnt for."""
    monkeypatch.setattr(relive, "VOTERS", (VOL,))
    unfitted = Fits(VERSION, NOW, 0, {}, None, {})
    monkeypatch.setattr(relive, "fit", lambda hourly, slot: replace(unfitted, slot=slot))
    hourly = {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(ASSETS)}
    found = settled(relive.relive(hourly, NOW - 62 * DAY, NOW, unfitted, SEED, 1, {}))
    outcomes = Counter(one.settlement.outcome for one in found)
    assert outcomes["yes"] + outcomes["no"] >= 300
    assert outcomes["void"] == 0
    assert min(outcomes["yes"], outcomes["no"]) > len(found) / 5
    assert set(Counter(one.market.question.comparator for one in found)) == {
        "up",
        "close_above",
        "close_below",
        "touch_above",
        "touch_below",
        "relative",
    }
