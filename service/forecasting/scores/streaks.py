"""How often in a row each voter was right, on questions that do not overlap.

Whether a question counts is decided when it is voted on, so neither its outcome nor the instant of its resolution
has a say in it, and one that counted once counts for ever.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np

from service.forecasting.oracle import voters
from service.forecasting.predictions import Made, PredictionMarket, Settled
from service.forecasting.predictions.opened import Opened
from service.forecasting.questions.question import Comparator
from service.forecasting.scores.luck import best_of_flippers
from service.forecasting.scoring import effective_count, published, wilson_interval
from service.forecasting.votes import bull_probability, direction_of
from service.market.clock import World
from service.market.instants import DAY, HOUR, iso

CONSENSUS = ("consensus", "pool")
NINE = frozenset(voter.name for voter in voters())
WINDOWS_S = (2 * DAY, 8 * DAY, 32 * DAY)  # the longest horizons of a day's, a week's and a month's questions

Oracle = tuple[str, str]
Key = tuple[bool, tuple[str, ...], str, int]


@dataclass(frozen=True)
class Streak:
    """One voter's run of right answers, in order of resolution.

    `current` is the run that still holds and `best` the longest there was. `resolved` counts the questions that
    came out yes or no, `n` those among them on which the vote had a side, worth `n_eff` independent ones, and
    `correct` those on which it was the right one. The interval is that of `n_eff`.
    """

    rank: int
    oracle: str
    engine: str
    backfilled: bool
    current: int
    best: int
    resolved: int
    correct: int
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    n: int
    n_eff: float
    last_resolved_at: str | None


@dataclass(frozen=True)
class Luck:
    """The longest run that the best of so many coin flippers is expected to have in as many questions."""

    backfilled: bool
    flippers: int
    questions: int
    expected_best: float


@dataclass(frozen=True)
class StreaksDocument:
    """The document of GET /api/streaks: live runs before backfilled ones, the longest current one first."""

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]
    count: int
    streaks: tuple[Streak, ...]
    luck: tuple[Luck, ...]


@dataclass(frozen=True)
class _Said:
    """One vote on a question that resolved yes or no; `right` is None where it took no side."""

    voted_at: int
    deadline: int
    resolved_at: int
    right: bool | None


def streaks_document(settled: Iterable[Settled], opened: Iterable[Opened], made: Made) -> StreaksDocument:
    """The runs of the nine voters and their pool.

    `opened` is what nothing has settled yet: it keeps its place among what overlaps with it.
    """
    counted = count_once(settled, opened)
    rows = [_streak(*who, said) for who, said in _answers(counted).items()]
    rows.sort(key=lambda row: (row.backfilled, -row.current, -row.best, row.oracle, row.engine))
    return StreaksDocument(
        schema="streaks/1",
        **vars(made),
        count=len(rows),
        streaks=tuple(replace(row, rank=place) for place, row in enumerate(rows, 1)),
        luck=tuple(_luck(counted, backfilled) for backfilled in (False, True)),
    )


def count_once(settled: Iterable[Settled], opened: Iterable[Opened]) -> list[Settled]:
    """The settled questions that count, in order of resolution.

    Of one book, asset, kind and window, a question counts when none that counts was unresolved at the instant of
    its votes; of those voted on together, the one with the earliest deadline. The kind is `direction`, for an event
    the side of its level: `above`, `below` or `between`, and `relative` for two assets, whichever is named first.
    The window is that of the horizon: up to two days, eight days, 32 days, or longer, so that a question about next
    year does not silence every day's until then.
    """
    voted = [one for one in (*settled, *opened) if one.commitment and one.market.question.comparator != "open"]
    voted.sort(key=lambda one: (one.commitment.voted_at, one.market.deadline, one.market.id))
    busy_until: dict[Key, float] = {}
    counted = []
    for one in voted:
        key, voted_at = _key(one.market, one.commitment.voted_at), one.commitment.voted_at
        if voted_at < busy_until.get(key, voted_at):
            continue
        settlement = one.settlement if isinstance(one, Settled) else None
        busy_until[key] = settlement.resolved_at if settlement else inf
        if settlement:
            counted.append(one)
    return sorted(counted, key=lambda one: (one.settlement.resolved_at, one.market.deadline, one.market.id))


def _key(market: PredictionMarket, voted_at: int) -> Key:
    question, window = market.question, bisect_left(WINDOWS_S, market.deadline - voted_at)
    assets = tuple(sorted(filter(None, (question.asset, question.other_asset))))
    return market.backfilled, assets, _kind(question.comparator), window


def _kind(comparator: Comparator) -> str:
    if comparator in ("up", "down"):
        return "direction"
    return comparator.removeprefix("close_").removeprefix("touch_")


def _answers(counted: Sequence[Settled]) -> dict[tuple[Oracle, bool], list[_Said]]:
    """What each voter said, by (who, backfilled); the live pool is there even when it has said nothing."""
    found: dict[tuple[Oracle, bool], list[_Said]] = defaultdict(list, {(CONSENSUS, False): []})
    for one in counted:
        if one.settlement.outcome == "void":
            continue
        votes = [((vote.voter, vote.engine), vote.p) for vote in one.commitment.votes if vote.voter in NINE]
        for who, p in (*votes, (CONSENSUS, one.commitment.p)):
            found[who, one.market.backfilled].append(_said(one, p))
    return {who: said for who, said in found.items() if who == (CONSENSUS, False) or _sided(said)}


def _said(one: Settled, p: float) -> _Said:
    bull = bull_probability(one.market.question, p)
    right = None if direction_of(bull) == "NEUTRAL" else (p > 0.5) == (one.settlement.outcome == "yes")
    return _Said(one.commitment.voted_at, one.market.deadline, one.settlement.resolved_at, right)


def _sided(said: Iterable[_Said]) -> list[_Said]:
    return [one for one in said if one.right is not None]


def _streak(who: Oracle, backfilled: bool, said: Sequence[_Said]) -> Streak:
    sided = _sided(said)
    current, best = runs(one.right for one in sided)
    n, correct = len(sided), sum(one.right for one in sided)
    horizon = np.mean([one.deadline - one.voted_at for one in sided]) / HOUR if sided else 0.0
    n_eff = effective_count(np.array([one.voted_at / HOUR for one in sided]), float(horizon))
    share = correct / n if n else nan
    low, high = wilson_interval(share * n_eff, n_eff) if n else (nan, nan)
    return Streak(
        rank=0,
        oracle=who[0],
        engine=who[1],
        backfilled=backfilled,
        current=current,
        best=best,
        resolved=len(said),
        correct=correct,
        accuracy_pct=published(100 * share, 4),
        accuracy_low_pct=published(100 * low, 4),
        accuracy_high_pct=published(100 * high, 4),
        n=n,
        n_eff=round(n_eff, 2),
        last_resolved_at=iso(said[-1].resolved_at) if said else None,
    )


def runs(right: Iterable[bool]) -> tuple[int, int]:
    """The run of right answers at the end, and the longest one.

    >>> runs([True, True, False, True])
    (1, 2)
    """
    current = best = 0
    for one in right:
        current = current + 1 if one else 0
        best = max(best, current)
    return current, best


def _luck(counted: Sequence[Settled], backfilled: bool) -> Luck:
    own = [one for one in counted if one.market.backfilled == backfilled and one.settlement.outcome != "void"]
    return Luck(backfilled, len(NINE), len(own), round(best_of_flippers(len(NINE), len(own)), 2))
