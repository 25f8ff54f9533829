"""The prompt of a seat: the question rebuilt from its parse, what every seat is shown, and the evidence of this seat.

The caller's own words and headlines are quoted as data between two marks that their authors cannot know.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from service.forecasting.voters.embedded import VOL
from service.forecasting.voters.evidence import MOST_STORIES, NEWS_S, AssetNews, Story, similar
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs, density_of, require
from service.forecasting.voters.inputs import LOOK_BACK_H, SEAT_INPUTS, describe
from service.forecasting.voters.price_forecasts import price_quantiles
from service.forecasting.voters.prompts.quoting import MOST_TOKENS, fenced, quoted, rows
from service.forecasting.voters.prompts.sample import SAMPLE_QUESTION, SAMPLE_TOPIC, sample_inputs
from service.forecasting.voters.prompts.tables import TABLES
from service.forecasting.voters.prompts.tokens import tokens
from service.forecasting.voters.prompts.topic import TOPIC_FRAME, topic_message
from service.forecasting.voters.prompts.wording import Wording
from service.market.instants import HOUR
from service.questions.question import Question

TEXTS = Path(__file__).parent
NEWS = "news"


@dataclass(frozen=True)
class Prompt:
    """The messages to a model.

    `version` names the seat and a hash of its texts and of the layout of its evidence; it is stored with the vote.
    """

    system: str
    user: str
    version: str


def _text(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8").strip()


FRAME, CASE = Template(_text("frame")), Template(_text("case"))
SYSTEMS = {seat: FRAME.substitute(seat=seat, evidence=_text(seat)) for seat in SEAT_INPUTS}


def write(seat: str, question: Question, inputs: ForecastInputs, nonce: str, *, is_masked: bool = False) -> Prompt:
    """The prompt of a seat for a question.

    Parameters
    ----------
    seat : str
        One of the six.
    question : Question
        What is asked.
    inputs : ForecastInputs
        The state of its assets, and the evidence for language models.
    nonce : str
        Marks where quoted texts begin and end: random, new for every call, never shown to their authors.
    is_masked : bool
        Whether names, dates, prices and headlines are masked, so that a model cannot remember the outcome.

    Raises Abstention where an input of the seat is missing.
    """
    message = _message(seat, question, inputs, nonce, is_masked)
    is_topic = question.comparator == "topic"
    return Prompt(_system(seat, question), message, version(seat, is_masked, is_topic=is_topic))


@cache
def version(seat: str, is_masked: bool, *, is_topic: bool = False) -> str:
    """The version of a seat's prompts: it changes with any text and with the layout of the evidence.

    It is the hash of the prompt of a sample, which holds every part and no number of the day.
    """
    question = SAMPLE_TOPIC if is_topic else SAMPLE_QUESTION
    message = _message(seat, question, sample_inputs(), "nonce", is_masked)
    return f"{seat}/{hashlib.sha256((_system(seat, question) + message).encode()).hexdigest()[:8]}"


def _system(seat: str, question: Question) -> str:
    """The instructions of a seat; on a topic they are the same for all seats."""
    return TOPIC_FRAME if question.comparator == "topic" else SYSTEMS[seat]


def _message(seat: str, question: Question, inputs: ForecastInputs, nonce: str, is_masked: bool) -> str:
    wording = Wording(question, is_masked)
    if question.comparator == "topic":
        return topic_message(question, inputs, nonce)
    base = VOL.forecast(question, inputs).p
    parts = {
        "question": wording.sentence(inputs.state),
        "horizon": _horizon(question, inputs.state, wording),
        "prices": "\n".join(_price(state, inputs, wording) for state in inputs.states),
        "levels": rows(_levels(question, inputs, wording)),
        "base": f"{100 * base:.1f}",
        "quantiles": rows(_quantiles(state, inputs, wording) for state in inputs.states),
        "similar": rows(_similar(question, base, inputs)),
        "evidence": rows(_evidence(seat, inputs, wording)).rstrip(),
        "tables": _tables(seat, inputs, wording),
        "nonce": nonce,
        "words": fenced(wording.words(inputs.state), nonce),
    }
    bare = CASE.substitute(parts, headlines="")
    if seat != NEWS:
        return bare
    room = MOST_TOKENS - tokens(SYSTEMS[seat]) - tokens(bare)
    return CASE.substitute(parts, headlines=_headlines(inputs, wording, nonce, room))


def _horizon(question: Question, state: AssetState, wording: Wording) -> str:
    hours, asset = question.horizon_hours, wording.asset(state.asset)
    return f"{hours:.1f} hours ({hours / 24:.1f} days), of which {asset} trades {state.hours:.1f} hours"


def _price(state: AssetState, inputs: ForecastInputs, wording: Wording) -> str:
    sigma = 100 * density_of(VOL.name, state, inputs.fits).sigma
    asset, spot = wording.asset(state.asset), wording.price(state.spot, state)
    return f"- {asset} is at {spot}; one sigma until the deadline is {sigma:.1f}%"


def _levels(question: Question, inputs: ForecastInputs, wording: Wording) -> Iterator[str]:
    """The distance of each level by the base rate's sigma, or why the outcome is practically decided."""
    state = inputs.state
    decided = wording.decided(state)
    if decided is not None:
        yield decided
        return
    sigma = density_of(VOL.name, state, inputs.fits).sigma
    for level in question.levels:
        away, sigmas = 100 * (level / state.spot - 1), state.distance(level) / sigma
        yield f"{wording.price(level, state)} is {away:+.1f}% away, {sigmas:+.1f} sigma"


def _quantiles(state: AssetState, inputs: ForecastInputs, wording: Wording) -> str:
    """The pooled distribution of the price at the deadline, the same that is published."""
    quantiles = price_quantiles(state, inputs.fits).items()
    shown = ", ".join(f"{percent}%: {wording.rounded(usd, state)}" for percent, usd in quantiles)
    return f"quantiles of {wording.asset(state.asset)} at the deadline: {shown}"


def _similar(question: Question, base: float, inputs: ForecastInputs) -> Iterator[str]:
    """How often such a YES came true, where enough of them have resolved."""
    count = similar(question, base, inputs.evidence.resolved)
    if count is not None:
        share = 100 * count.yes / count.n
        yield f"{count.n} similar questions of this service have resolved (backfilled ones included): {share:.0f}% YES"


def _evidence(seat: str, inputs: ForecastInputs, wording: Wording) -> Iterator[str]:
    """The seat's inputs of each asset in words."""
    names = SEAT_INPUTS[seat]
    for state in inputs.states:
        for name, value in zip(names, require(state, names, LOOK_BACK_H / 24).tolist(), strict=True):
            words = describe(name, value, state.asset, wording.asset)
            yield f"{wording.asset(state.asset)}: {words}"


def _tables(seat: str, inputs: ForecastInputs, wording: Wording) -> str:
    """The seat's tables of past prices; empty for the news seat, and where no bars were handed in."""
    lines = list(TABLES[seat](inputs, wording)) if seat in TABLES else []
    return "\n".join(["", "Past prices:", *lines, ""]) if lines else ""


def _headlines(inputs: ForecastInputs, wording: Wording, nonce: str, room: int) -> str:
    """The pulse of the news and the newest headlines in fewer than `room` tokens; masked, the pulse alone."""
    news = {
        state.asset: inputs.evidence.news[state.asset] for state in inputs.states if state.asset in inputs.evidence.news
    }
    scores = "".join(f"{_pulse(wording.asset(asset), each)}\n" for asset, each in news.items())
    if wording.is_masked:
        return f"\n{scores}Headlines are left out.\n"
    stories = _newest(list(news.values()), inputs.state.now)
    if not stories:
        return f"\n{scores}No headlines of the last {NEWS_S // HOUR} hours are stored.\n"
    return quoted(f"\n{scores}Headlines of the last {NEWS_S // HOUR} hours", stories, inputs.state.now, nonce, room)


def _pulse(asset: str, news: AssetNews) -> str:
    return (
        f"News score of {asset}, from -1 (bearish) to 1 (bullish): {round(news.score, 2) + 0.0:+.2f}"
        f" ({news.n} stories of the last 24 h)"
    )


def _newest(news: Sequence[AssetNews], now: int) -> list[Story]:
    """The stories of all assets by `now`, each once, newest first, at most as many as one asset may have."""
    stories = {story for each in news for story in each.stories if story.published_at <= now}
    return sorted(stories, key=lambda story: (-story.published_at, story.source, story.title))[:MOST_STORIES]
