"""The prompt of a seat: the question rebuilt from its parse, the base rate, and the inputs of this seat alone.

The caller's own words are quoted as data between two marks that the caller cannot know.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

from service.forecasting.voters.brains import VOL
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs, base_of, require, settled
from service.forecasting.voters.inputs import LOOK_BACK_H, describe
from service.forecasting.voters.seats import SEATS
from service.questions.canonical import canonical, price
from service.questions.clean import LONGEST
from service.questions.question import Question

TEXTS = Path(__file__).parent
INPUTS = {seat.name: seat.inputs for seat in SEATS}


@dataclass(frozen=True)
class Prompt:
    """The messages to a model. `version` names the seat and a hash of its texts; it is stored with the vote."""

    system: str
    user: str
    version: str


def _text(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text(encoding="utf-8").strip()


FRAME, CASE = Template(_text("frame")), Template(_text("case"))
SYSTEMS = {seat: FRAME.substitute(seat=seat, evidence=_text(seat)) for seat in INPUTS}
VERSIONS = {
    seat: f"{seat}/{hashlib.sha256((system + CASE.template).encode()).hexdigest()[:8]}"
    for seat, system in SYSTEMS.items()
}


def write(seat: str, question: Question, inputs: ForecastInputs, nonce: str) -> Prompt:
    """The prompt of a seat for a question.

    Parameters
    ----------
    seat : str
        One of the six.
    question : Question
        What is asked.
    inputs : ForecastInputs
        The state of its assets.
    nonce : str
        Marks where the caller's words begin and end: random, new for every call, never shown to the caller.

    Raises Abstention where an input of the seat is missing.
    """
    user = CASE.substitute(
        question=canonical(question),
        horizon=_horizon(question, inputs.state),
        prices="\n".join(_price(state, inputs) for state in inputs.states),
        levels="".join(f"- {line}\n" for line in _levels(question, inputs)),
        base=f"{100 * VOL.forecast(question, inputs).p:.1f}",
        evidence="\n".join(f"- {line}" for state in inputs.states for line in _evidence(seat, state, inputs)),
        nonce=nonce,
        words=fenced(question.text, nonce),
    )
    return Prompt(SYSTEMS[seat], user, VERSIONS[seat])


def fenced(text: str, nonce: str) -> str:
    """The caller's words on one line, at most 500 characters, without the mark that ends the quotation."""
    visible = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in text[:LONGEST])
    return " ".join(visible.replace(nonce, "\N{REPLACEMENT CHARACTER}").split())


def _horizon(question: Question, state: AssetState) -> str:
    hours = question.horizon_hours
    return f"{hours:.1f} hours ({hours / 24:.1f} days), of which {state.asset} trades {state.hours:.1f} hours"


def _ratio(state: AssetState, inputs: ForecastInputs) -> float:
    return base_of(VOL.name, state, inputs.fits).sigma_ratio


def _price(state: AssetState, inputs: ForecastInputs) -> str:
    sigma = 100 * state.sigma * _ratio(state, inputs)
    return f"- {state.asset} is at {price(state.spot)} USD; one sigma until the deadline is {sigma:.1f}%"


def _levels(question: Question, inputs: ForecastInputs) -> Iterator[str]:
    """The distance of each level by the base rate's sigma, or why the outcome is practically decided."""
    state = inputs.state
    decided = settled(question, state)
    if decided is not None:
        yield decided
        return
    for level in question.levels:
        away = 100 * (level / state.spot - 1)
        yield f"{price(level)} USD is {away:+.1f}% away, {state.distance(level) / _ratio(state, inputs):+.1f} sigma"


def _evidence(seat: str, state: AssetState, inputs: ForecastInputs) -> Iterator[str]:
    """The seat's inputs of one asset in words; before the first fit their average is taken as 0."""
    names = INPUTS[seat]
    fit = inputs.fits.linear.get(seat) if inputs.fits else None
    centers = fit.centers if fit else (0.0,) * len(names)
    for name, value, center in zip(names, require(state, names, LOOK_BACK_H / 24).tolist(), centers, strict=True):
        yield f"{state.asset}: {describe(name, value, center, state.asset)}"
