"""Every configured language model on resolved questions of a replay: `make evaluate-models BARS=folder QUESTIONS=100`.

The models are those of the ORACLE_ options. They get the prompts of their seats, masked: no names, no dates, no
headlines, nothing from after the question. What they say is compared with the base rate and with the seat's embedded
engine on the same questions.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from service import config
from service.config import Settings
from service.errors import NinefoldError
from service.forecasting.densities.density import Fits
from service.forecasting.densities.fitting import fit
from service.forecasting.news import simulated
from service.forecasting.news.headline import read
from service.forecasting.news.pulse import news_of
from service.forecasting.predictions import Prediction, series
from service.forecasting.predictions.open_markets import settle_past
from service.forecasting.voters.ballots import Abstention, Forecast
from service.forecasting.voters.context import Context, Evidence, Knowledge, PastQuestion, recall
from service.forecasting.voters.forecast_inputs import ForecastInputs, build_inputs
from service.forecasting.voters.inputs import survey
from service.forecasting.voters.panel import VOL, VOTERS
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR, iso
from service.market.months import month_starts
from service.questions.question import Question
from service.scores.intervals import DIFFERENCES, SKILL, ClusteredMean, clustered_mean, weeks_of
from service.scores.proper import brier
from service.sources.feeds.replay import open_replay
from service.sources.llm.limits import Budget, SpendingInMemory
from service.sources.llm.seating import ModelSeat, seated
from tests.measure.price_questions import BARS

QUESTIONS = 100
SEED = 1  # of the choice of questions
NEWS_BEFORE_S = 5 * DAY
LEARNT_FIRST = 180 * DAY  # of bars before the first question
MONTH_S = 32 * DAY


@dataclass(frozen=True)
class Case:
    """A question of the past with what was stored then, P(YES) by volatility alone, and the outcome."""

    question: Question
    inputs: ForecastInputs
    base: float
    happened: bool
    decided_at: int


@dataclass(frozen=True)
class ModelScore:
    """One model in one seat: `n` answers, `missing` questions without one, mean Brier scores, and what it cost.

    `against_base` and `against_embedded` are mean differences of Brier scores on the same questions, with intervals
    clustered by week of resolution; negative is better. `tokens` and `usd` are None where an answer had no count.
    """

    seat: str
    engine: str
    n: int
    missing: int
    brier: float
    base: float
    against_base: ClusteredMean
    against_embedded: ClusteredMean
    tokens: int | None
    usd: float | None


def past_cases(hourly: Mapping[str, Bars], since: int, count: int, generator: np.random.Generator) -> list[Case]:
    """At most `count` markets of the series that were opened from `since` on and had resolved by the last bar.

    Their instants are spread evenly; the voters are fitted to what was decided before each month.
    """
    history, end = survey(hourly), max(bars.as_of for bars in hourly.values())
    instants = opening_instants(since, end, count)
    fits: dict[int, Fits] = {}
    past_questions: list[tuple[int, PastQuestion]] = []
    cases: list[Case] = []
    for now in instants:
        month = month_starts(now - MONTH_S, now + 1)[-1]
        if month not in fits:
            fits[month] = fit(hourly, month)
        contexts = recall(history, hourly, now)
        evidence = evidence_at(now, hourly, contexts, [past for at, past in past_questions if at <= now])
        knowledge = Knowledge(contexts, fits[month], evidence=evidence)
        cases_now = decided_cases(now, knowledge, hourly, end)
        past_questions += [(case.decided_at, _past(case)) for case in cases_now]
        chosen = generator.permutation(len(cases_now))[: -(-count // len(instants))]
        cases += [cases_now[place] for place in sorted(chosen.tolist())]
    return cases[:count]


def opening_instants(since: int, end: int, count: int) -> list[int]:
    """At most `count` instants at which markets open, spread evenly from `since` to `end`."""
    spread = np.linspace(-(-since // series.EVERY_S) * series.EVERY_S, end, count, endpoint=False)
    return np.unique(spread.astype(np.int64) // series.EVERY_S * series.EVERY_S).tolist()


def evidence_at(
    now: int, hourly: Mapping[str, Bars], contexts: Mapping[str, Context], past_questions: Sequence[PastQuestion]
) -> Evidence:
    """What the service would have stored by `now`; a replay has the headlines that are written from its prices."""
    past = {asset: bars.until(now) for asset, bars in hourly.items()}
    return Evidence(
        hourly=past,
        variance={asset: context.slow for asset, context in contexts.items()},
        news=news_of(contexts, read(simulated.write(past, now - NEWS_BEFORE_S, now)), now),
        past_questions=tuple(past_questions),
    )


def decided_cases(now: int, knowledge: Knowledge, hourly: Mapping[str, Bars], end: int) -> list[Case]:
    """The markets that open at `now` and had resolved yes or no by `end`."""
    cases = (_case(market, knowledge, hourly, end) for market in series.opening(now, knowledge.contexts))
    return [case for case in cases if case]


def _case(market: Prediction, knowledge: Knowledge, hourly: Mapping[str, Bars], end: int) -> Case | None:
    settlement = settle_past(market, hourly, end)
    if settlement is None or settlement.outcome == "void":
        return None
    try:
        inputs = build_inputs(market.question, market.created_at, knowledge)
        base = VOL.forecast(market.question, inputs).p
    except Abstention:
        return None
    return Case(market.question, inputs, base, settlement.outcome == "yes", settlement.resolved_at)


def _past(case: Case) -> PastQuestion:
    question = case.question
    return PastQuestion(question.comparator, question.negated, question.horizon_hours, case.base, case.happened)


def ask_all(seats: Sequence[ModelSeat], cases: Sequence[Case]) -> list[ModelScore]:
    """The score of each model; the seats are asked side by side, the questions of one after the other."""
    with ThreadPoolExecutor(len(seats)) as executor:
        answers = list(executor.map(lambda seat: [_answer(seat, case) for case in cases], seats))
    return [_score(seat, cases, votes) for seat, votes in zip(seats, answers, strict=True)]


def _answer(seat: ModelSeat, case: Case) -> Forecast | None:
    """The model's forecast; None where it gave none."""
    try:
        return replace(seat, on_failure="abstain").forecast(case.question, case.inputs)
    except Abstention:
        return None


def _score(seat: ModelSeat, cases: Sequence[Case], answers: Sequence[Forecast | None]) -> ModelScore:
    rows = [(case, answer) for case, answer in zip(cases, answers, strict=True) if answer]
    outcomes = np.array([case.happened for case, _ in rows], dtype=float)
    weeks = weeks_of(np.array([case.decided_at for case, _ in rows], dtype=np.int64))
    score = brier(np.array([answer.p for _, answer in rows]), outcomes)
    base = brier(np.array([case.base for case, _ in rows]), outcomes)
    embedded = brier(np.array([_embedded(seat, case) for case, _ in rows]), outcomes)
    return ModelScore(
        seat=seat.name,
        engine=seat.engine,
        n=len(rows),
        missing=len(cases) - len(rows),
        brier=_mean(score),
        base=_mean(base),
        against_base=clustered_mean(score - base, weeks, SKILL),
        against_embedded=clustered_mean(score - embedded, weeks, DIFFERENCES),
        tokens=_total([answer.tokens for _, answer in rows]),
        usd=_total([answer.usd for _, answer in rows]),
    )


def _embedded(seat: ModelSeat, case: Case) -> float:
    """P(YES) of the seat's embedded engine; that of plain volatility where it abstains."""
    try:
        return seat.embedded.forecast(case.question, case.inputs).p
    except Abstention:
        return case.base


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _total(parts: Sequence[float | None]) -> float | None:
    """The sum; None where a part is not known."""
    scores = [part for part in parts if part is not None]
    return sum(scores) if len(scores) == len(parts) else None


def show(scores: Sequence[ModelScore]) -> None:
    """Print the table: lower Brier scores are better; intervals of 95% clustered by week."""
    titles = "  ".join(f"{'against ' + name:>29}" for name in ("the base rate", "the embedded engine"))
    print(
        f"{'seat':10} {'model':32} {'n':>4} {'none':>4}  {'Brier':>6}  {'base':>6}  {titles}  {'tokens':>9}  {'USD':>8}"
    )
    for score in scores:
        differences = "  ".join(map(_interval_text, (score.against_base, score.against_embedded)))
        tokens = "unknown" if score.tokens is None else f"{score.tokens:,}"
        usd = "unknown" if score.usd is None else f"{score.usd:.4f}"
        print(
            f"{score.seat:10} {score.engine:32} {score.n:4d} {score.missing:4d}  {score.brier:6.4f}  {score.base:6.4f}"
            f"  {differences}  {tokens:>9}  {usd:>8}"
        )


def _interval_text(difference: ClusteredMean) -> str:
    low, high = difference.interval()
    return f"{difference.mean:+.4f} [{low:+.4f}, {high:+.4f}]".rjust(29)


def configured(settings: Settings, folder: Path) -> list[ModelSeat]:
    """The configured models in their seats, masked as in a replay of `folder`."""
    of_replay = settings.model_copy(update={"world": "replay", "replay_dir": folder})
    budget = Budget(settings.oracle_daily_tokens, settings.oracle_daily_usd, SpendingInMemory(), time.time)
    return [seat for seat in seated(VOTERS, of_replay, budget) if isinstance(seat, ModelSeat)]


def evaluate(folder: Path, count: int, settings: Settings) -> int:
    """Ask every configured model and print the table; 1 where there is nothing to ask."""
    seats = configured(settings, folder)
    if not seats:
        print("No language model is configured: set ORACLE_MODEL or ORACLE_<SEAT>_MODEL.")
        return 1
    feed = open_replay(Settings(world="replay", replay_dir=folder))
    hourly = {asset: resample(bars, HOUR) for asset, bars in feed.bars.items()}
    since, generator = feed.history_from + LEARNT_FIRST, np.random.default_rng(SEED)
    cases = past_cases(hourly, since, count, generator) if since < feed.ends else []
    if not cases:
        print(f"No question to ask: the bars end {iso(feed.ends)}, within {LEARNT_FIRST // DAY} days of the first.")
        return 1
    print(
        f"{len(cases)} resolved questions, asked from {iso(since)} on, for each of {len(seats)} seats with a model.\n"
    )
    show(ask_all(seats, cases))
    return 0


def main() -> int:
    """Read the options and evaluate."""
    parser = argparse.ArgumentParser(description="Ask the configured language models resolved questions of a replay.")
    parser.add_argument("folder", nargs="?", type=Path, default=BARS, help="CSV files named for their assets")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help=f"for each model (default: {QUESTIONS})")
    options = parser.parse_args()
    try:
        return evaluate(options.folder, options.questions, config.read())
    except NinefoldError as error:
        print(error.detail, file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
